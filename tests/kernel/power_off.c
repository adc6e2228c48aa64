/* Turns a machine off that has no init which could be asked to. */
#include <sys/reboot.h>
#include <unistd.h>

int
main (void)
{
  sync ();
  return reboot (RB_POWER_OFF);
}
