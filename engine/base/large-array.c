/* SPDX-License-Identifier: Apache-2.0 */
#include "base/large-array.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Below, few large pages would fit. */
#define LEAST_BYTES ((gsize) 4 << 20)

gpointer
urb_large_array_new (gsize n, gsize item_bytes)
{
  gpointer array = g_malloc_n (MAX (n, 1), item_bytes);
  uintptr_t page = (uintptr_t) sysconf (_SC_PAGESIZE);
  uintptr_t start = ((uintptr_t) array + page - 1) & ~(page - 1), end;

  if (n < LEAST_BYTES / item_bytes)
    return array;
  end = ((uintptr_t) array + n * item_bytes) & ~(page - 1);
  madvise ((void *) start, end - start, MADV_HUGEPAGE); /* a wish */
  return array;
}
