/* Stands in for /dev/vhost-net where the kernel has none: preloaded into VPP, it lets VPP make TAPs.
 *
 * With VHOST_PASSES_PACKETS in the environment, a thread for each TAP carries packets between its file and VPP's two
 * split rings (virtio 1.1, 2.6); otherwise no packet ever passes, and Linux behind a TAP is silent. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum
{
  DESCRIPTORS = 1 << 16,
  VHOST = 0xAF, /* the type of vhost's requests (linux/vhost.h), and their numbers */
  GET_FEATURES = 0,
  SET_VRING_NUM = 0x10,
  SET_VRING_ADDR = 0x11,
  SET_VRING_KICK = 0x20,
  SET_VRING_CALL = 0x21,
  NET_SET_BACKEND = 0x30,
  NEXT = 1,	/* VIRTQ_DESC_F_NEXT */
  INDIRECT = 4, /* VIRTQ_DESC_F_INDIRECT */
  PIECES = 64,
  LARGEST = 70000,
  NUM_BUFFERS = 10 /* where the header of a packet has its number of buffers (virtio_net_hdr_v1) */
};

struct descriptor
{
  uint64_t address;
  uint32_t length;
  uint16_t flags, next;
};

struct available
{
  uint16_t flags, index, ring[];
};

struct used
{
  uint16_t flags, index;
  struct
  {
    uint32_t id, length;
  } ring[];
};

struct ring
{
  unsigned size;
  struct descriptor *descriptors;
  struct available *available;
  struct used *used;
  int call, kick, tap;
  uint16_t taken; /* how many buffers of VPP's were taken */
};

struct device
{
  struct ring to_vpp, from_vpp; /* as vhost numbers them: 0 and 1 */
  int stop, is_running;
  pthread_t thread;
};

static struct device *devices[DESCRIPTORS];

static struct device *
device_of (int fd)
{
  return fd >= 0 && fd < DESCRIPTORS ? devices[fd] : NULL;
}

static void
give_back (struct ring *ring, uint16_t place, uint32_t id, uint32_t length)
{
  ring->used->ring[place & (ring->size - 1)].id = id;
  ring->used->ring[place & (ring->size - 1)].length = length;
}

static void
write_packets (struct ring *ring)
{
  while (ring->taken != __atomic_load_n (&ring->available->index, __ATOMIC_ACQUIRE))
    {
      uint16_t id = ring->available->ring[ring->taken++ & (ring->size - 1)], next = id;
      struct descriptor *table = ring->descriptors;
      struct iovec pieces[PIECES];
      int count = 0;
      if (table[id].flags & INDIRECT)
	{
	  table = (struct descriptor *) table[id].address;
	  next = 0;
	}
      for (int is_last = 0; !is_last && count < PIECES; next = table[next].next)
	{
	  pieces[count].iov_base = (void *) table[next].address;
	  pieces[count++].iov_len = table[next].length;
	  is_last = !(table[next].flags & NEXT);
	}
      (void) !writev (ring->tap, pieces, count);
      give_back (ring, ring->used->index, id, 0);
      __atomic_store_n (&ring->used->index, ring->used->index + 1, __ATOMIC_RELEASE);
    }
}

/* Return whether VPP has too few buffers for another packet. */
static int
read_packets (struct ring *ring)
{
  static __thread uint8_t packet[LARGEST];
  int is_full = 0, is_any = 0;
  for (;;)
    {
      uint16_t free_buffers = __atomic_load_n (&ring->available->index, __ATOMIC_ACQUIRE) - ring->taken;
      uint16_t place = ring->used->index, buffers = 0;
      uint8_t *header = NULL;
      ssize_t length;
      if ((is_full = free_buffers < PIECES) || (length = read (ring->tap, packet, sizeof packet)) <= 0)
	break;
      for (ssize_t done = 0; done < length; buffers++)
	{
	  uint16_t id = ring->available->ring[ring->taken++ & (ring->size - 1)];
	  struct descriptor *buffer = &ring->descriptors[id];
	  uint32_t part = length - done < buffer->length ? length - done : buffer->length;
	  memcpy ((void *) buffer->address, packet + done, part);
	  header = header ? header : (uint8_t *) buffer->address;
	  give_back (ring, place + buffers, id, part);
	  done += part;
	}
      memcpy (header + NUM_BUFFERS, &buffers, sizeof buffers);
      __atomic_store_n (&ring->used->index, place + buffers, __ATOMIC_RELEASE);
      is_any = 1;
    }
  if (is_any && ring->call >= 0)
    (void) !write (ring->call, &(uint64_t){ 1 }, sizeof (uint64_t));
  return is_full;
}

static void *
carry (void *argument)
{
  struct device *device = argument;
  struct ring *in = &device->to_vpp, *out = &device->from_vpp;
  sigset_t all;
  sigfillset (&all);
  pthread_sigmask (SIG_BLOCK, &all, NULL);
  for (int is_full = 0;;)
    {
      struct pollfd waits[] = { { device->stop, POLLIN, 0 },
				{ out->kick, POLLIN, 0 },
				{ is_full ? -1 : in->tap, POLLIN, 0 } };
      uint64_t count;
      poll (waits, 3, is_full ? 1 : 1000);
      if (waits[0].revents)
	return NULL;
      if (waits[1].revents)
	(void) !read (out->kick, &count, sizeof count);
      write_packets (out);
      is_full = read_packets (in);
    }
}

static int
answer (struct device *device, int number, int is_read, void *argument)
{
  unsigned *words = argument;
  uint64_t *addresses = argument; /* after the index: descriptors, used, available (struct vhost_vring_addr) */
  struct ring *ring = words && words[0] & 1 ? &device->from_vpp : &device->to_vpp;
  switch (number)
    {
    case GET_FEATURES:
      if (is_read)
	*(uint64_t *) argument = UINT64_MAX;
      break;
    case SET_VRING_NUM:
      ring->size = words[1];
      break;
    case SET_VRING_ADDR:
      ring->descriptors = (struct descriptor *) addresses[1];
      ring->used = (struct used *) addresses[2];
      ring->available = (struct available *) addresses[3];
      break;
    case SET_VRING_KICK:
      ring->kick = dup (words[1]);
      break;
    case SET_VRING_CALL:
      ring->call = dup (words[1]);
      break;
    case NET_SET_BACKEND:
      ring->tap = dup (words[1]);
      if (getenv ("VHOST_PASSES_PACKETS") && device->to_vpp.tap >= 0 && device->from_vpp.tap >= 0 && !device->is_running)
	device->is_running = !pthread_create (&device->thread, NULL, carry, device);
    }
  return 0;
}

static int
open_as (const char *symbol, const char *path, int flags, mode_t mode)
{
  int (*next) (const char *, int, ...) = dlsym (RTLD_NEXT, symbol);
  int is_wanted = strcmp (path, "/dev/vhost-net") == 0;
  int fd = next (is_wanted ? "/dev/null" : path, flags, mode);
  if (is_wanted && fd >= 0 && fd < DESCRIPTORS)
    {
      struct ring none = { .call = -1, .kick = -1, .tap = -1 };
      devices[fd] = calloc (1, sizeof (struct device));
      devices[fd]->to_vpp = devices[fd]->from_vpp = none;
      devices[fd]->stop = eventfd (0, EFD_NONBLOCK);
    }
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
  struct device *device = device_of (fd);
  if (device)
    {
      devices[fd] = NULL;
      if (device->is_running)
	{
	  (void) !write (device->stop, &(uint64_t){ 1 }, sizeof (uint64_t));
	  pthread_join (device->thread, NULL);
	}
      int own[] = { device->stop,	   device->to_vpp.call,	  device->to_vpp.kick,	 device->to_vpp.tap,
		    device->from_vpp.call, device->from_vpp.kick, device->from_vpp.tap };
      for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
	if (own[i] >= 0)
	  next (own[i]);
      free (device);
    }
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
  struct device *device = device_of (fd);
  if (!device || _IOC_TYPE (request) != VHOST)
    return next (fd, request, argument);
  return answer (device, _IOC_NR (request), _IOC_DIR (request) & _IOC_READ, argument);
}
