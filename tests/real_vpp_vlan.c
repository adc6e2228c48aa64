/* Stands in for 802.1Q where the kernel has none: preloaded into VPP, it makes a veth of the name that linux-cp looks
 * for before it makes a VLAN device. linux-cp takes a device that exists as it is; no tagged packet passes it.
 * Only names with a dot are VLAN devices: tests name the pairs of sub-interfaces so, and no other pairs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
is_plain (const char *name)
{
  return strspn (name, "abcdefghijklmnopqrstuvwxyz0123456789.-") == strlen (name);
}

unsigned int
if_nametoindex (const char *name)
{
  static unsigned int made;
  unsigned int (*next) (const char *) = dlsym (RTLD_NEXT, "if_nametoindex");
  unsigned int index = next (name);
  char command[128];
  if (index || !strchr (name, '.') || !is_plain (name))
    return index;
  snprintf (command, sizeof (command), "LD_PRELOAD= ip link add %s type veth peer name vlan-peer%u", name, ++made);
  if (system (command) == 127)
    return 0;
  return next (name); /* whatever the status was: VPP reaps children of its own accord */
}
