/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free-space.c - see free-space.h.
 */
#include "base/free-space.h"

#include <sys/statvfs.h>

gint64
urb_free_space_get_bytes (const char *folder)
{
  struct statvfs info;

  /* File systems without blocks, such as /proc, are no disks or have no limit. */
  return statvfs (folder, &info) == 0 && info.f_blocks > 0
           ? (gint64) info.f_bavail * (gint64) info.f_frsize : G_MAXINT64;
}
