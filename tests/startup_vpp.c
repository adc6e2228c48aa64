/* Lets a VPP believe that it runs on another machine: pinning threads to CPUs and memory to NUMA nodes that are not
   there succeeds and does nothing. Loaded into VPP with LD_PRELOAD, by tests only. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

int
pthread_setaffinity_np (pthread_t thread, size_t size, const cpu_set_t *set)
{
  return 0;
}

int
sched_setaffinity (pid_t pid, size_t size, const cpu_set_t *set)
{
  return 0;
}

/* The node that memory was asked for last; the pages are said to be there. */
static _Thread_local int node;

static void
remember (const unsigned long *mask)
{
  if (mask && *mask)
    node = __builtin_ctzl (*mask);
}

long
syscall (long number, ...)
{
  static long (*real) (long, ...);
  long a[6];
  va_list list;

  va_start (list, number);
  for (int i = 0; i < 6; i++)
    a[i] = va_arg (list, long);
  va_end (list);

  if (number == SYS_mbind || number == SYS_set_mempolicy)
    {
      remember ((const unsigned long *) (number == SYS_mbind ? a[3] : a[1]));
      return 0;
    }
  if (number == SYS_move_pages && !a[3])
    {
      for (long i = 0; i < a[1]; i++)
        ((int *) a[4])[i] = node;
      return 0;
    }
  if (!real)
    real = (long (*) (long, ...)) dlsym (RTLD_NEXT, "syscall");
  return real (number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
