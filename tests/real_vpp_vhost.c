/* Stands in for /dev/vhost-net where the kernel has none: preloaded into VPP, it lets VPP make TAPs.
 * VPP believes that a vhost backend serves its queues; no packet ever passes through such a TAP. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/types.h>

enum
{
  DESCRIPTORS = 1 << 16,
  VHOST = 0xAF,	   /* the type of vhost's requests (linux/vhost.h) */
  GET_FEATURES = 0 /* VHOST_GET_FEATURES */
};

static uint8_t is_vhost[DESCRIPTORS];

static int
known (int fd)
{
  return fd >= 0 && fd < DESCRIPTORS && is_vhost[fd];
}

static int
open_as (const char *symbol, const char *path, int flags, mode_t mode)
{
  int (*next) (const char *, int, ...) = dlsym (RTLD_NEXT, symbol);
  int is_wanted = strcmp (path, "/dev/vhost-net") == 0;
  int fd = next (is_wanted ? "/dev/null" : path, flags, mode);
  if (is_wanted && fd >= 0 && fd < DESCRIPTORS)
    is_vhost[fd] = 1;
  return fd;
}

int
open (const char *path, int flags, ...)
{
  va_list more;
  va_start (more, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg (more, mode_t) : 0;
  va_end (more);
  return open_as ("open", path, flags, mode);
}

int
open64 (const char *path, int flags, ...)
{
  va_list more;
  va_start (more, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg (more, mode_t) : 0;
  va_end (more);
  return open_as ("open64", path, flags, mode);
}

int
close (int fd)
{
  int (*next) (int) = dlsym (RTLD_NEXT, "close");
  if (known (fd))
    is_vhost[fd] = 0;
  return next (fd);
}

int
ioctl (int fd, unsigned long request, ...)
{
  int (*next) (int, unsigned long, ...) = dlsym (RTLD_NEXT, "ioctl");
  va_list more;
  va_start (more, request);
  void *argument = va_arg (more, void *);
  va_end (more);
  if (!known (fd) || _IOC_TYPE (request) != VHOST)
    return next (fd, request, argument);
  if (_IOC_NR (request) == GET_FEATURES && _IOC_DIR (request) & _IOC_READ)
    *(uint64_t *) argument = UINT64_MAX;
  return 0;
}
