/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vertex-block.c - see vertex-block.h.
 *
 * What was checked must not change afterwards: a seal against writing succeeds only when no process has the
 * block mapped for writing, and then forbids to map it so again.
 */
#include "map/vertex-block.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

#define VERTEX_BYTES ((gint64) (2 * sizeof (double)))
/* Apart from the numbers that a new process gives to its descriptors. */
#define LEAST_FD 10

static int
create (unsigned int flags)
{
  int fd = memfd_create ("vertices", MFD_CLOEXEC | MFD_ALLOW_SEALING | flags), high;

  if (fd < 0)
    return -1;
  high = fcntl (fd, F_DUPFD_CLOEXEC, LEAST_FD);
  close (fd);
  return high;
}

/* A file beyond this would end the process by SIGXFSZ. */
static gint64
bound (gint64 n_bytes)
{
  struct rlimit most;

  return getrlimit (RLIMIT_FSIZE, &most) == 0 && most.rlim_cur < (rlim_t) n_bytes ? (gint64) most.rlim_cur
                                                                                   : n_bytes;
}

int
urb_vertex_block_create (gint64 n_bytes)
{
  int fd = create (MFD_NOEXEC_SEAL);

  if (fd < 0 && errno == EINVAL) /* before Linux 6.3 */
    fd = create (0);
  if (fd >= 0 && ftruncate (fd, bound (n_bytes)) == 0
      && fcntl (fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0)
    return fd;
  if (fd >= 0)
    close (fd);
  return -1;
}

static gint64
get_capacity (int fd)
{
  struct stat info;

  return fstat (fd, &info) == 0 ? info.st_size / VERTEX_BYTES : 0;
}

static double *
map_block (int fd, gint64 n_vertices, int rights, int flags)
{
  void *block = n_vertices > 0 ? mmap (NULL, (gsize) (n_vertices * VERTEX_BYTES), rights, flags, fd, 0)
                               : MAP_FAILED;

  return block != MAP_FAILED ? block : NULL;
}

double *
urb_vertex_block_open (int fd, gint64 *capacity)
{
  *capacity = get_capacity (fd);
  return map_block (fd, *capacity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE);
}

double *
urb_vertex_block_take (int fd, gint64 n_vertices)
{
  if (n_vertices > get_capacity (fd) || fcntl (fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL) != 0)
    return NULL;
  return map_block (fd, n_vertices, PROT_READ, MAP_SHARED | MAP_POPULATE);
}

void
urb_vertex_block_close (double *xy, gint64 n_vertices)
{
  if (xy != NULL)
    munmap (xy, (gsize) (n_vertices * VERTEX_BYTES));
}
