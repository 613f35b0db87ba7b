/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.cc - device memory, pinned memory, and device memory of other processes.
 *
 * Each block of device memory is a separate mapping that ends where the block ends, between two inaccessible
 * ones.  It is an unnamed file, so that another process can open it.  Fresh memory is all ones, which is a
 * NaN in every floating-point type.
 */
#include "emulated-private.h"

#include <fcntl.h>
#include <map>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, n_bytes)   ((void) 0)
#define ASAN_UNPOISON_MEMORY_REGION(memory, n_bytes) ((void) 0)
#endif

enum
{
  ALIGN = 256,
  GUARD = 64 * 1024, /* a page or more */
  FRESH = 0xff
};

typedef struct
{
  char  *mapping; /* after the guard */
  size_t n_mapped, n_bytes;
  int    device;
  int    file;
  bool   is_foreign; /* imported from another process */
} Piece;

typedef struct
{
  size_t n_bytes;
  bool   is_ours; /* else only registered */
} Pinned;

/* By address. */
static std::map<const char *, Piece> pieces;
static std::map<const char *, Pinned> pinned;

static size_t
round_up (size_t n_bytes, size_t to)
{
  return (n_bytes + to - 1) / to * to;
}

static size_t
get_used (int device)
{
  size_t used = 0;

  for (const auto &entry : pieces)
    if (entry.second.device == device && !entry.second.is_foreign)
      used += round_up (entry.second.n_bytes, ALIGN);
  return used;
}

/* The last entry that starts at or before @memory. */
template <typename T>
static const std::pair<const char *const, T> *
find_before (const std::map<const char *, T> &map, const void *memory)
{
  auto after = map.upper_bound ((const char *) memory);

  return after == map.begin () ? NULL : &*--after;
}

UkEmulatedPlace
uk_emulated_place (const void *memory, size_t n_bytes)
{
  const char *from = (const char *) memory;
  const auto *piece = find_before (pieces, memory);
  const auto *host = find_before (pinned, memory);

  if (piece != NULL && from < piece->first + piece->second.n_bytes)
    return from + n_bytes <= piece->first + piece->second.n_bytes ? UK_EMULATED_DEVICE
                                                                  : UK_EMULATED_OUTSIDE;
  return host != NULL && from + n_bytes <= host->first + host->second.n_bytes ? UK_EMULATED_PINNED
                                                                      : UK_EMULATED_PAGEABLE;
}

void
uk_emulated_protect (bool from_everybody)
{
  for (const auto &entry : pieces)
    mprotect (entry.second.mapping, entry.second.n_mapped,
              from_everybody ? PROT_NONE : PROT_READ | PROT_WRITE);
}

void
uk_emulated_count_memory (UkEmulatedCounts *counts)
{
  for (const auto &entry : pieces)
    if (!entry.second.is_foreign)
      counts->device_bytes += entry.second.n_bytes;
  for (const auto &entry : pinned)
    counts->pinned_bytes += entry.second.n_bytes;
}

/* ------------------------------------------------------------------------ */
/* Device memory                                                             */

/* Maps @file and takes ownership of it; NULL, with the file closed, on failure. */
static char *
map_piece (int file, size_t n_bytes, int device, bool is_foreign)
{
  Piece piece = { NULL, round_up (n_bytes, GUARD), n_bytes, device, file, is_foreign };
  char *low = (char *) mmap (NULL, piece.n_mapped + 2 * GUARD, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  char *memory;

  if (low == MAP_FAILED
      || mmap (low + GUARD, piece.n_mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0)
           == MAP_FAILED)
    {
      if (low != MAP_FAILED)
        munmap (low, piece.n_mapped + 2 * GUARD);
      close (file);
      return NULL;
    }
  piece.mapping = low + GUARD;
  memory = piece.mapping + piece.n_mapped - round_up (n_bytes, ALIGN);
  pieces[memory] = piece;
  return memory;
}

/* Makes everything beyond the caller's bytes inaccessible, as far as possible. */
static void
seal (const char *memory)
{
  const Piece *piece = &pieces[memory];
  [[maybe_unused]] const char *end = memory + piece->n_bytes;

  ASAN_POISON_MEMORY_REGION (piece->mapping, (size_t) (memory - piece->mapping));
  ASAN_POISON_MEMORY_REGION (end, (size_t) (piece->mapping + piece->n_mapped - end));
  if (uk_emulated.settings[UK_EMULATED_GUARDED])
    mprotect (piece->mapping, piece->n_mapped, PROT_NONE);
}

static void
unmap_piece (const char *memory)
{
  Piece piece = pieces[memory];

  ASAN_UNPOISON_MEMORY_REGION (piece.mapping, piece.n_mapped);
  munmap (piece.mapping - GUARD, piece.n_mapped + 2 * GUARD);
  close (piece.file);
  pieces.erase (memory);
}

cudaError_t
uk_emulated_alloc (void **out, size_t n_bytes)
{
  int device = uk_emulated_device (), file;
  char *memory;

  *out = NULL;
  if (n_bytes == 0)
    return cudaSuccess;
  if (n_bytes > uk_emulated_memory ()
      || get_used (device) + round_up (n_bytes, ALIGN) > uk_emulated_memory ())
    return cudaErrorMemoryAllocation;
  file = memfd_create ("emulated-gpu", MFD_CLOEXEC);
  if (file < 0)
    return cudaErrorMemoryAllocation;
  memory = ftruncate (file, (off_t) round_up (n_bytes, GUARD)) == 0
             ? map_piece (file, n_bytes, device, false)
             : NULL;
  if (memory == NULL)
    return cudaErrorMemoryAllocation;
  memset (memory, FRESH, n_bytes);
  seal (memory);
  *out = memory;
  return cudaSuccess;
}

cudaError_t
uk_emulated_release (void *memory)
{
  auto found = pieces.find ((const char *) memory);

  if (memory == NULL)
    return cudaSuccess;
  if (found == pieces.end () || found->second.is_foreign)
    return cudaErrorInvalidValue;
  unmap_piece (found->first);
  return cudaSuccess;
}

cudaError_t
cudaMalloc (void **memory, size_t n_bytes)
{
  UkEmulatedLock lock (uk_emulated_mutex);

  if (uk_emulated_spoils_capture ())
    return uk_emulated_return (cudaErrorStreamCaptureUnsupported);
  return uk_emulated_return (uk_emulated_alloc (memory, n_bytes));
}

/* Waits for all work, like CUDA. */
cudaError_t
cudaFree (void *memory)
{
  UkEmulatedLock lock (uk_emulated_mutex);

  if (uk_emulated_spoils_capture ())
    return uk_emulated_return (cudaErrorStreamCaptureUnsupported);
  uk_emulated_finish_all ();
  return uk_emulated_return (uk_emulated_release (memory));
}

cudaError_t
cudaMemGetInfo (size_t *n_free, size_t *n_total)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  size_t used = get_used (uk_emulated_device ());

  *n_total = uk_emulated_memory ();
  *n_free = used < *n_total ? *n_total - used : 0;
  return uk_emulated_return (cudaSuccess);
}

/* ------------------------------------------------------------------------ */
/* Pinned memory: the host's heap, so that AddressSanitizer knows it         */

static cudaError_t
alloc_pinned (void **memory, size_t n_bytes, unsigned flags)
{
  *memory = NULL;
  if (uk_emulated_spoils_capture ())
    return cudaErrorStreamCaptureUnsupported;
  if (flags > cudaHostAllocPortable)
    return cudaErrorInvalidValue;
  if (n_bytes == 0)
    return cudaSuccess;
  if (posix_memalign (memory, ALIGN, n_bytes) != 0)
    return cudaErrorMemoryAllocation;
  memset (*memory, FRESH, n_bytes);
  pinned[(const char *) *memory] = Pinned{ n_bytes, true };
  return cudaSuccess;
}

/* Only for memory of the kind @is_ours. */
static cudaError_t
unpin (void *memory, bool is_ours, cudaError_t otherwise)
{
  auto found = pinned.find ((const char *) memory);

  if (uk_emulated_spoils_capture ())
    return cudaErrorStreamCaptureUnsupported;
  if (found == pinned.end () || found->second.is_ours != is_ours)
    return otherwise;
  uk_emulated_finish_all ();
  pinned.erase (found);
  if (is_ours)
    free (memory);
  return cudaSuccess;
}

cudaError_t
cudaHostAlloc (void **memory, size_t n_bytes, unsigned flags)
{
  UkEmulatedLock lock (uk_emulated_mutex);

  return uk_emulated_return (alloc_pinned (memory, n_bytes, flags));
}

cudaError_t
cudaMallocHost (void **memory, size_t n_bytes)
{
  return cudaHostAlloc (memory, n_bytes, cudaHostAllocDefault);
}

cudaError_t
cudaFreeHost (void *memory)
{
  UkEmulatedLock lock (uk_emulated_mutex);

  return uk_emulated_return (memory == NULL ? cudaSuccess
                                            : unpin (memory, true, cudaErrorInvalidValue));
}

cudaError_t
cudaHostRegister (void *memory, size_t n_bytes, unsigned flags)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  const char *end = (const char *) memory + n_bytes;
  const auto *before = find_before (pinned, end - 1);

  if (uk_emulated_spoils_capture ())
    return uk_emulated_return (cudaErrorStreamCaptureUnsupported);
  if (memory == NULL || n_bytes == 0 || flags > cudaHostRegisterPortable)
    return uk_emulated_return (cudaErrorInvalidValue);
  if (before != NULL && before->first + before->second.n_bytes > memory)
    return uk_emulated_return (cudaErrorHostMemoryAlreadyRegistered);
  pinned[(const char *) memory] = Pinned{ n_bytes, false };
  return uk_emulated_return (cudaSuccess);
}

cudaError_t
cudaHostUnregister (void *memory)
{
  UkEmulatedLock lock (uk_emulated_mutex);

  return uk_emulated_return (unpin (memory, false, cudaErrorHostMemoryNotRegistered));
}

/* ------------------------------------------------------------------------ */
/* Other processes                                                           */

typedef struct
{
  long   process;
  int    file, device;
  size_t n_bytes;
} Handle;

static_assert (sizeof (Handle) <= sizeof (cudaIpcMemHandle_t), "a handle holds what it must");

cudaError_t
cudaIpcGetMemHandle (cudaIpcMemHandle_t *handle, void *memory)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  auto found = pieces.find ((const char *) memory);
  Handle contents = {};

  if (found == pieces.end () || found->second.is_foreign)
    return uk_emulated_return (cudaErrorInvalidValue);
  contents.process = getpid ();
  contents.file = found->second.file;
  contents.device = found->second.device;
  contents.n_bytes = found->second.n_bytes;
  memset (handle, 0, sizeof *handle);
  memcpy (handle, &contents, sizeof contents);
  return uk_emulated_return (cudaSuccess);
}

cudaError_t
cudaIpcOpenMemHandle (void **memory, cudaIpcMemHandle_t handle, unsigned flags)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  Handle contents;
  char path[64];
  struct stat status;
  int file;

  *memory = NULL;
  memcpy (&contents, &handle, sizeof contents);
  if (contents.process == getpid () || flags != cudaIpcMemLazyEnablePeerAccess)
    return uk_emulated_return (cudaErrorInvalidValue);
  snprintf (path, sizeof path, "/proc/%ld/fd/%d", contents.process, contents.file);
  file = open (path, O_RDWR | O_CLOEXEC);
  if (file < 0)
    return uk_emulated_return (cudaErrorInvalidResourceHandle);
  if (fstat (file, &status) != 0 || (size_t) status.st_size != round_up (contents.n_bytes, GUARD))
    {
      close (file); /* the descriptor now refers to another file */
      return uk_emulated_return (cudaErrorInvalidResourceHandle);
    }
  *memory = map_piece (file, contents.n_bytes, contents.device, true);
  if (*memory == NULL)
    return uk_emulated_return (cudaErrorMemoryAllocation);
  seal ((const char *) *memory);
  return uk_emulated_return (cudaSuccess);
}

cudaError_t
cudaIpcCloseMemHandle (void *memory)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  auto found = pieces.find ((const char *) memory);

  if (found == pieces.end () || !found->second.is_foreign)
    return uk_emulated_return (cudaErrorInvalidValue);
  uk_emulated_finish_all ();
  unmap_piece (found->first);
  return uk_emulated_return (cudaSuccess);
}
