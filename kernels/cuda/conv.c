/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv.c - the three convolution operations, plain and transposed.
 *
 * conv-tiled.cu runs those that it has a kernel for, NVIDIA's libraries most others, and conv-direct.cu the
 * rest: what the libraries cannot do, and what is not aligned for the other two.  Since that is known only at
 * run time, all read the same packed weights, and the scratch suffices for each: the weight gradient that is not
 * final (OUTER), then working memory.
 */
#include "kernels/cuda/conv-private.h"
#include "kernels/uk-half.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
  PACK_KEY = 1, /* one for all: packed copies of the same weights are the same */
  ALIGN_BYTES = 16,
  LEAST_TILED_CAPABILITY = 80, /* see tensor-core.cuh */
  MAX_EDGE = 1 << 28 /* so that indices within an image's row or column fit into 32 bits */
};

typedef struct
{
  UkConvShape    shape;
  UkCudaOp      *epilogue; /* owned, (nullable): bias and activation, in place */
  bool           is_tiled; /* conv-tiled.cu runs it */
  UkConvLibrary *library;  /* owned, (nullable) */
  size_t         work_at;  /* offset in the scratch, bytes */
  bool           was_unaligned; /* in a run, memory was not aligned for either of these */
  UkStatus       made;          /* of the library's plan */
} ConvState;

static size_t
max_size (size_t a, size_t b)
{
  return a > b ? a : b;
}

/* ------------------------------------------------------------------------ */
/* Preparing                                                                 */

static void
release (UkCudaOp *op)
{
  ConvState *state = op->state;

  if (state == NULL)
    return;
  uk_conv_library_free (state->library);
  if (state->epilogue != NULL && state->epilogue->kernel->release != NULL)
    state->epilogue->kernel->release (state->epilogue);
  free (state->epilogue);
  free (state);
  op->state = NULL;
}

static UkStatus
make_epilogue (const UkCudaOp *op, UkCudaOp **out)
{
  const UkOpDesc *desc = &op->base.desc;
  UkCudaOp *epilogue = calloc (1, sizeof *epilogue);
  UkStatus status = UK_OK;

  if (epilogue == NULL)
    return UK_NO_MEMORY;
  *epilogue = (UkCudaOp) {
    .base = { .backend = op->base.backend,
              .desc = { .kind = UK_OP_BIAS_ACT, .x = desc->y, .y = desc->y, .act = desc->act,
                        .slope = desc->slope } },
    .kernel = &uk_cuda_bias_act,
    .stream = op->stream,
    .type = op->type,
  };
  if (epilogue->kernel->prepare != NULL)
    status = epilogue->kernel->prepare (epilogue);
  if (status != UK_OK)
    free (epilogue);
  else
    *out = epilogue;
  return status;
}

static void
set_sizes (UkCudaOp *op, ConvState *state)
{
  const UkConvShape *shape = &state->shape;
  size_t n_weights = (size_t) uk_conv_n_weights (shape);
  size_t work = uk_cuda_conv_direct_scratch_bytes (shape);

  if (state->is_tiled)
    work = max_size (work, uk_cuda_conv_tiled_scratch_bytes (shape));
  if (state->library != NULL)
    work = max_size (work, uk_conv_library_get_workspace_bytes (state->library));
  if (state->epilogue != NULL)
    work = max_size (work, state->epilogue->base.scratch_bytes);
  if (shape->way == UK_CONV_OUTER)
    state->work_at = uk_cuda_align (n_weights * sizeof (float));
  op->base.scratch_bytes = state->work_at + uk_cuda_align (work);
  if (op->base.scratch_bytes > 0)
    op->base.scratch_bytes += UK_CUDA_ALIGN; /* callers guarantee 64 bytes, libraries need 256 */

  /* Of floats, packing makes an aligned copy: the libraries need that, and where stored weights are depends on the
   * sizes of the tensors before them. */
  if (shape->way != UK_CONV_OUTER)
    {
      op->base.packed_bytes = n_weights * uk_data_size (op->type);
      op->base.pack_key = PACK_KEY;
      op->base.packs_type_only = true;
    }
}

static UkStatus
prepare (UkCudaOp *op)
{
  const UkShape *x = &op->base.desc.x, *y = &op->base.desc.y;
  UkStatus status = UK_OK;
  ConvState *state;

  if (op->base.desc.kind != UK_OP_CONV && op->base.desc.kind != UK_OP_CONV_DGRAD
      && op->base.desc.kind != UK_OP_CONV_WGRAD)
    return UK_BAD_ARGUMENT;
  state = calloc (1, sizeof *state);
  if (state == NULL)
    return UK_NO_MEMORY;
  op->state = state;
  state->shape = uk_conv_shape_of (&op->base.desc);
  if (x->h > MAX_EDGE || x->w > MAX_EDGE || x->c > MAX_EDGE || y->h > MAX_EDGE || y->w > MAX_EDGE
      || y->c > MAX_EDGE || !uk_cuda_conv_direct_can (&state->shape))
    status = UK_UNSUPPORTED;
  if (status == UK_OK && op->base.desc.kind == UK_OP_CONV)
    status = make_epilogue (op, &state->epilogue);
  state->is_tiled = uk_is_half (op->type) && uk_cuda_backend_of (op)->capability >= LEAST_TILED_CAPABILITY
                    && uk_cuda_conv_tiled_can (&state->shape);
  if (status == UK_OK && !state->is_tiled)
    {
      status = uk_conv_library_new (op, &state->shape, state->epilogue, &state->library);
      if (status == UK_UNSUPPORTED)
        status = UK_OK; /* conv-direct.cu runs it */
    }
  if (status != UK_OK)
    release (op);
  else
    set_sizes (op, state);
  return status;
}

static UkStatus
pack (UkCudaOp *op, const void *w, void *packed)
{
  const ConvState *state = op->state;

  return uk_cuda_weights_pack (op, uk_conv_n_weights (&state->shape), w, packed);
}

/* ------------------------------------------------------------------------ */
/* Running                                                                   */

static char *
align_scratch (void *scratch)
{
  uintptr_t at = (uintptr_t) scratch;

  return (char *) scratch + ((UK_CUDA_ALIGN - at % UK_CUDA_ALIGN) % UK_CUDA_ALIGN);
}

typedef enum { BY_DIRECT, BY_TILED, BY_LIBRARY } Runner;

/* If another than the plain kernel should but cannot run it, that is noted. */
static Runner
find_runner (ConvState *state, const UkConvMemory *memory)
{
  uintptr_t bits = (uintptr_t) memory->small | (uintptr_t) memory->large | (uintptr_t) memory->w;

  if (!state->is_tiled && state->library == NULL)
    return BY_DIRECT;
  if (bits % ALIGN_BYTES != 0)
    {
      state->was_unaligned = true;
      return BY_DIRECT;
    }
  if (state->is_tiled)
    return BY_TILED;
  state->made = uk_conv_library_make (state->library);
  return state->made == UK_OK ? BY_LIBRARY : BY_DIRECT;
}

/* @bias: NULL unless the runner adds it. */
static UkStatus
run_by (Runner runner, UkCudaOp *op, const UkConvMemory *memory, const float *bias, void *work)
{
  ConvState *state = op->state;

  switch (runner)
    {
    case BY_TILED:
      return uk_cuda_conv_tiled (op, &state->shape, memory, bias, work);
    case BY_LIBRARY:
      return uk_conv_library_run (state->library, op, memory, bias, work);
    default:
      return uk_cuda_conv_direct (op, &state->shape, memory, work);
    }
}

static UkStatus
run_conv (UkCudaOp *op, void *const *args, void *scratch)
{
  ConvState *state = op->state;
  bool transposed = op->base.desc.transposed;
  void *work = align_scratch (scratch), *y = args[3];
  const float *bias = args[2];
  UkConvMemory memory = { .small = transposed ? args[0] : y, .large = transposed ? y : args[0],
                          .w = args[1] };
  Runner runner = find_runner (state, &memory);
  bool fused = runner == BY_TILED    ? uk_cuda_conv_tiled_fuses (&state->shape, op->base.desc.act)
               : runner == BY_LIBRARY && uk_conv_library_is_fused (state->library);
  UkStatus status = run_by (runner, op, &memory, fused ? bias : NULL, work);

  if (status != UK_OK || fused || (bias == NULL && op->base.desc.act == UK_ACT_NONE))
    return status;
  return state->epilogue->kernel->run (state->epilogue, (void *[]) { y, args[2], y }, work);
}

static UkStatus
run_dgrad (UkCudaOp *op, void *const *args, void *scratch)
{
  ConvState *state = op->state;
  bool transposed = op->base.desc.transposed;
  UkConvMemory memory = { .small = args[transposed ? 2 : 0], .large = args[transposed ? 0 : 2],
                          .w = args[1] };

  return run_by (find_runner (state, &memory), op, &memory, NULL, align_scratch (scratch));
}

static UkStatus
run_wgrad (UkCudaOp *op, void *const *args, void *scratch)
{
  ConvState *state = op->state;
  const UkOpDesc *desc = &op->base.desc;
  char *room = align_scratch (scratch);
  float *dw = args[2];
  UkConvMemory memory = { .small = args[desc->transposed ? 0 : 1],
                          .large = args[desc->transposed ? 1 : 0], .w = room };
  Runner runner = find_runner (state, &memory);
  UkDataType type = runner == BY_LIBRARY ? uk_conv_library_get_gradient_type (state->library) : UK_DATA_F32;
  bool is_final = !desc->accumulate && type == UK_DATA_F32 && (uintptr_t) dw % ALIGN_BYTES == 0;
  UkStatus status;

  if (is_final)
    memory.w = dw;
  status = run_by (runner, op, &memory, NULL, room + state->work_at);
  if (status != UK_OK || is_final)
    return status;
  return uk_cuda_weights_unpack (op, uk_conv_n_weights (&state->shape), room, type, dw);
}

static bool
describe (const UkCudaOp *op, char *text, size_t size)
{
  const ConvState *state = op->state;
  const char *why = state->was_unaligned          ? "its memory is not aligned to 16 bytes"
                    : state->library == NULL      ? "the libraries have no plan for it"
                    : state->made == UK_NO_MEMORY ? "no memory for its plan"
                    : state->made != UK_UNSUPPORTED
                      ? "its plan could not be made"
                      : "the cached plan does not exist; the next start chooses another";

  if (state->is_tiled && !state->was_unaligned)
    snprintf (text, size, "own kernel");
  else if (uk_cuda_backend_of (op)->libraries == NULL)
    snprintf (text, size, "plain kernel");
  else if (state->library != NULL && !state->was_unaligned && state->made == UK_OK)
    uk_conv_library_describe (state->library, text, size);
  else
    {
      snprintf (text, size, "plain kernel: %s", why);
      return false;
    }
  return true;
}

const UkCudaKernel uk_cuda_conv = { prepare, pack, run_conv, release, describe };
const UkCudaKernel uk_cuda_conv_dgrad = { prepare, pack, run_dgrad, release, describe };
const UkCudaKernel uk_cuda_conv_wgrad = { prepare, NULL, run_wgrad, release, describe };
