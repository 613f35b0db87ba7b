/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend.c - the `cpu` backend: opening, memory, and the table.
 *
 * Threads are OpenMP's, because oneDNN's are.  The thread count is set on every call, which is one store
 * and lets backends with different counts coexist in one process.
 */
#include "kernels/cpu/cpu-private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum
{
  HUGE_PAGE_BYTES = 2 << 20,
  /* Bytes to copy per thread: beyond its private cache, one core cannot saturate the memory bandwidth. */
  COPY_BYTES_PER_THREAD = 256 << 10
};

static const UkBackendTable table;

/* ------------------------------------------------------------------------ */
/* Opening                                                                   */

static void
close_backend (UkBackend *base)
{
  UkCpuBackend *self = (UkCpuBackend *) base;

  if (self == NULL)
    return;
  uk_dnnl_free (self->dnnl);
  free (self);
}

static UkStatus
open_backend (const UkBackendConfig *config, UkBackend **out)
{
  UkCpuBackend *self;
  UkStatus status;

  if (out == NULL || (config != NULL && (config->n_threads < 0
                                         || config->n_threads > UK_CPU_MAX_THREADS)))
    return UK_BAD_ARGUMENT;
  if (config != NULL && config->precision != UK_FP32 && (config->precision != UK_BF16 || !uk_cpu_has_bf16 ()))
    return UK_UNSUPPORTED;
  self = calloc (1, sizeof *self);
  if (self == NULL)
    return UK_NO_MEMORY;
  self->base.table = &table;
  self->base.value_type = UK_DATA_F32;
  self->isa = uk_cpu_isa ();
  self->n_threads = config != NULL && config->n_threads > 0 ? config->n_threads
                                                            : uk_cpu_n_cores ();
  self->precision = config != NULL ? config->precision : UK_FP32;
  status = uk_dnnl_new (&self->dnnl);
  if (status != UK_OK)
    {
      close_backend (&self->base);
      return status;
    }
  *out = &self->base;
  return UK_OK;
}

/* ------------------------------------------------------------------------ */
/* Memory                                                                    */

/* Large blocks come straight from mmap, aligned to huge pages and requesting them: with 4 KiB pages a
 * step of the 32 M network spends a considerable part of its time in page faults and TLB misses. */
static void *
alloc_huge (size_t n_bytes)
{
  size_t room = n_bytes + HUGE_PAGE_BYTES;
  char *raw = mmap (NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *start, *end;

  if (raw == MAP_FAILED)
    return NULL;
  start = (char *) (((uintptr_t) raw + HUGE_PAGE_BYTES - 1)
                    & ~((uintptr_t) HUGE_PAGE_BYTES - 1));
  end = start + n_bytes;
  if (start > raw)
    munmap (raw, (size_t) (start - raw));
  if (end < raw + room)
    munmap (end, (size_t) (raw + room - end));
  madvise (start, n_bytes, MADV_HUGEPAGE); /* only a hint */
  return start;
}

static bool
is_huge (size_t n_bytes)
{
  return n_bytes >= HUGE_PAGE_BYTES;
}

static size_t
to_pages (size_t n_bytes)
{
  return (n_bytes + 4095) / 4096 * 4096;
}

static void *
alloc_memory (UkBackend *self, size_t n_bytes)
{
  void *memory;

  if (n_bytes > SIZE_MAX / 2)
    return NULL;
  if (is_huge (n_bytes))
    return alloc_huge (to_pages (n_bytes));
  n_bytes = uk_cpu_align (n_bytes > 0 ? n_bytes : 1);
  memory = aligned_alloc (UK_CPU_ALIGN, n_bytes);
  if (memory != NULL)
    memset (memory, 0, n_bytes);
  return memory;
}

static void
free_memory (UkBackend *self, void *memory, size_t n_bytes)
{
  if (memory == NULL)
    return;
  if (is_huge (n_bytes))
    munmap (memory, to_pages (n_bytes));
  else
    free (memory);
}

static UkStatus
write_memory (UkBackend *self, void *dst, const void *src, size_t n_bytes)
{
  if (n_bytes > 0 && (dst == NULL || src == NULL))
    return UK_BAD_ARGUMENT;
  if (n_bytes > 0)
    memcpy (dst, src, n_bytes);
  return UK_OK;
}

static UkStatus
upload (UkBackend *self, UkArgType type, void *dst, const float *src, int64_t count)
{
  if (count < 0)
    return UK_BAD_SHAPE;
  return write_memory (self, dst, src, (size_t) count * sizeof (float));
}

static UkStatus
download (UkBackend *self, UkArgType type, float *dst, const void *src, int64_t count)
{
  if (count < 0)
    return UK_BAD_SHAPE;
  return write_memory (self, dst, src, (size_t) count * sizeof (float));
}

#ifdef __SANITIZE_THREAD__
void __tsan_ignore_thread_begin (void);
void __tsan_ignore_thread_end (void);
#endif

/* Asynchronous training deliberately copies parameters while other ranks update them
 * (engine/parallel/hogwild.c).  An attribute would not suffice to silence ThreadSanitizer: it intercepts
 * memcpy() whatever the caller. */
static void
copy_part (void *dst, const void *src, size_t n_bytes)
{
#ifdef __SANITIZE_THREAD__
  __tsan_ignore_thread_begin ();
#endif
  memcpy (dst, src, n_bytes);
#ifdef __SANITIZE_THREAD__
  __tsan_ignore_thread_end ();
#endif
}

/* Split into whole cache lines: if @dst has alloc()'s alignment, no two threads write to the same one. */
static UkStatus
copy_memory (UkBackend *base, void *dst, const void *src, size_t n_bytes)
{
  size_t worth = n_bytes / COPY_BYTES_PER_THREAD;
  int n_threads = ((UkCpuBackend *) base)->n_threads;
  int n = worth < 1 ? 1 : worth < (size_t) n_threads ? (int) worth : n_threads;
  size_t part = uk_cpu_align ((n_bytes + (size_t) n - 1) / (size_t) n);

  if (n_bytes == 0)
    return UK_OK;
  if (dst == NULL || src == NULL)
    return UK_BAD_ARGUMENT;
  if (n == 1)
    {
      copy_part (dst, src, n_bytes);
      return UK_OK;
    }
#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    {
      size_t begin = (size_t) t * part, end = begin + part < n_bytes ? begin + part : n_bytes;

      if (begin < end) /* rounding may leave nothing for the last thread */
        copy_part ((char *) dst + begin, (const char *) src + begin, end - begin);
    }
  return UK_OK;
}

/* ------------------------------------------------------------------------ */
/* Operations                                                                */

static void
release (UkOp *base)
{
  UkCpuOp *op = (UkCpuOp *) base;

  if (op == NULL)
    return;
  uk_dnnl_conv_free (op->conv);
  free (op->zero_bias);
  free (op);
}

static UkStatus
prepare (UkBackend *base, const UkOpDesc *desc, UkOp **out)
{
  UkCpuBackend *self = (UkCpuBackend *) base;
  UkStatus status = uk_op_check (desc);
  UkCpuOp *op;

  if (status != UK_OK)
    return status;
  op = calloc (1, sizeof *op);
  if (op == NULL)
    return UK_NO_MEMORY;
  op->base.backend = base;
  op->base.desc = *desc;
  op->kernel = uk_cpu_conv_kernel (desc->kind);
  if (op->kernel == NULL)
    op->kernel = self->isa->kernels[desc->kind];
  op->isa = self->isa;
  op->n_threads = self->n_threads;
  status = op->kernel == NULL ? UK_UNSUPPORTED : UK_OK;
  if (status == UK_OK && op->kernel->prepare != NULL)
    status = op->kernel->prepare (op);
  if (status != UK_OK)
    {
      release (&op->base);
      return status;
    }
  *out = &op->base;
  return UK_OK;
}

static UkStatus
pack (UkOp *base, const void *w, void *packed)
{
  UkCpuOp *op = (UkCpuOp *) base;

  if (op->kernel->pack == NULL || op->base.packed_bytes == 0 || w == NULL || packed == NULL)
    return UK_BAD_ARGUMENT;
  return op->kernel->pack (op, w, packed);
}

static UkStatus
run (UkOp *base, void *const *args, void *scratch)
{
  UkCpuOp *op = (UkCpuOp *) base;
  UkStatus status = uk_op_check_args (op->base.desc.kind, args);

  if (op->base.scratch_bytes > 0 && scratch == NULL)
    return UK_BAD_ARGUMENT;
  return status == UK_OK ? op->kernel->run (op, args, scratch) : status;
}

static UkStatus
sync_backend (UkBackend *self)
{
  return UK_OK; /* nothing here is asynchronous */
}

static const UkBackendTable table = {
  .name = "cpu",
  .element_size = sizeof (float),
  .is_host = true,
  .open = open_backend,
  .close = close_backend,
  .alloc = alloc_memory,
  .free = free_memory,
  .upload = upload,
  .download = download,
  .write = write_memory,
  .read = write_memory,
  .copy = copy_memory,
  .prepare = prepare,
  .release = release,
  .pack = pack,
  .run = run,
  .sync = sync_backend,
};

const UkBackendTable *
uk_backend_cpu (void)
{
  return &table;
}
