/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trial.c - memory on which equivalent implementations are compared.
 *
 * Values are random, since a GPU multiplies zeros faster, and clocks higher on them.  Small problems get
 * several sets of buffers, used in turn: a run must not find its data in the cache, where a step of training
 * would not find it either.
 */
#include "kernels/cuda/libraries-private.h"

#include "kernels/uk-half.h"

#include <stdlib.h>

enum
{
  MAX_SETS = 8,
  CACHES = 2,                  /* all sets together fill the GPU's cache this many times */
  PATTERN_BYTES = 1 << 20      /* random values on the host; repeated on the GPU */
};

/* Uniform on [-1, 1). */
static void *
new_pattern (UkDataType type)
{
  void *pattern = malloc (PATTERN_BYTES);
  size_t count = PATTERN_BYTES / uk_data_size (type);
  uint32_t state = 1;

  for (size_t i = 0; pattern != NULL && i < count; i++)
    {
      float value;

      state = state * 1664525u + 1013904223u;
      value = (float) ((double) state * 0x1p-31 - 1);
      if (uk_is_half (type))
        ((uint16_t *) pattern)[i] = uk_to_half (type, value);
      else
        ((float *) pattern)[i] = value;
    }
  return pattern;
}

/* Copies the first @n_filled bytes of @block over the rest of it. */
static bool
repeat (char *block, size_t n_filled, size_t n_bytes, cudaStream_t stream)
{
  bool ok = true;

  while (ok && n_filled < n_bytes)
    {
      size_t more = n_filled < n_bytes - n_filled ? n_filled : n_bytes - n_filled;

      ok = cudaMemcpyAsync (block + n_filled, block, more, cudaMemcpyDeviceToDevice, stream) == cudaSuccess;
      n_filled += more;
    }
  return ok;
}

static bool
fill (char *memory, const UkTrialBuffer *buffer, cudaStream_t stream)
{
  size_t n_bytes = buffer->n_bytes < PATTERN_BYTES ? buffer->n_bytes : PATTERN_BYTES;
  void *pattern = new_pattern (buffer->type);
  bool ok = pattern != NULL
            && cudaMemcpyAsync (memory, pattern, n_bytes, cudaMemcpyHostToDevice, stream) == cudaSuccess
            && repeat (memory, n_bytes, buffer->n_bytes, stream)
            && cudaStreamSynchronize (stream) == cudaSuccess;

  free (pattern);
  return ok;
}

bool
uk_trial_open (UkTrial *self, UkCudaBackend *backend, const UkTrialBuffer *buffers, int n_buffers)
{
  int cache_bytes = 0;
  bool ok = true;

  *self = (UkTrial) { 0 };
  for (int i = 0; i < n_buffers; i++)
    {
      self->at[i] = self->set_bytes;
      self->set_bytes += uk_cuda_align (buffers[i].n_bytes);
    }
  if (cudaDeviceGetAttribute (&cache_bytes, cudaDevAttrL2CacheSize, backend->device) != cudaSuccess)
    cache_bytes = 0;
  self->n_sets = 1 + (int) (CACHES * (size_t) cache_bytes / (self->set_bytes + 1));
  self->n_sets = self->n_sets < MAX_SETS ? self->n_sets : MAX_SETS;
  if (cudaMalloc ((void **) &self->block, (size_t) self->n_sets * self->set_bytes) != cudaSuccess)
    {
      self->n_sets = 1;
      if (cudaMalloc ((void **) &self->block, self->set_bytes) != cudaSuccess)
        self->block = NULL;
    }
  ok = self->block != NULL;
  for (int i = 0; ok && i < n_buffers; i++)
    ok = buffers[i].n_bytes == 0 || fill (self->block + self->at[i], &buffers[i], backend->stream);
  ok = ok && repeat (self->block, self->set_bytes, (size_t) self->n_sets * self->set_bytes, backend->stream);
  if (!ok)
    uk_trial_close (self);
  cudaGetLastError (); /* clears a failed allocation */
  return ok;
}

void
uk_trial_close (UkTrial *self)
{
  if (self->block != NULL)
    cudaFree (self->block);
  *self = (UkTrial) { 0 };
}

void
uk_trial_turn (UkTrial *self)
{
  self->set = (self->set + 1) % self->n_sets;
}

void *
uk_trial_get (const UkTrial *self, int buffer)
{
  return self->block + (size_t) self->set * self->set_bytes + self->at[buffer];
}
