/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory-file.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of more than 2 GiB, write() takes a part. */
static gboolean
write_all (int fd, const char *bytes, gsize n_bytes)
{
  while (n_bytes > 0)
    {
      gssize n = write (fd, bytes, n_bytes);

      if (n <= 0)
        return FALSE;
      bytes += n;
      n_bytes -= (gsize) n;
    }
  return TRUE;
}

int
urb_memory_file_new (const void *bytes, gsize n_bytes)
{
  int fd = memfd_create ("input", MFD_CLOEXEC), code;

  if (fd < 0 || (write_all (fd, bytes, n_bytes) && lseek (fd, 0, SEEK_SET) == 0))
    return fd;
  code = errno;
  close (fd);
  errno = code;
  return -1;
}
