/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend.c - the reference backend: plain C in double precision.
 *
 * It defines the correct results, so it is kept slow and simple: one thread, no scratch, no packed
 * weights, no fast paths.
 */
#include "kernels/reference/reference-private.h"

#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64

typedef struct
{
  UkOp            op; /* first: an UkOp * is a ReferenceOp * */
  UkReferenceRun *function;
} ReferenceOp;

static UkReferenceRun *const functions[UK_N_OPS] = {
  [UK_OP_LOAD] = uk_reference_load,
  [UK_OP_NOISE] = uk_reference_noise,
  [UK_OP_AUGMENT] = uk_reference_augment,
  [UK_OP_AUGMENT_GRAD] = uk_reference_augment,
  [UK_OP_CONV] = uk_reference_conv,
  [UK_OP_CONV_DGRAD] = uk_reference_conv_dgrad,
  [UK_OP_CONV_WGRAD] = uk_reference_conv_wgrad,
  [UK_OP_DEPTHWISE] = uk_reference_depthwise,
  [UK_OP_DEPTHWISE_DGRAD] = uk_reference_depthwise_dgrad,
  [UK_OP_DEPTHWISE_WGRAD] = uk_reference_depthwise_wgrad,
  [UK_OP_BIAS_ACT] = uk_reference_bias_act,
  [UK_OP_ACT_GRAD] = uk_reference_act_grad,
  [UK_OP_BATCH_NORM] = uk_reference_batch_norm,
  [UK_OP_BATCH_NORM_GRAD] = uk_reference_batch_norm_grad,
  [UK_OP_BATCH_NORM_INFER] = uk_reference_batch_norm_given,
  [UK_OP_BATCH_NORM_RECOMPUTE] = uk_reference_batch_norm_given,
  [UK_OP_BATCH_NORM_LOCAL] = uk_reference_batch_norm_local,
  [UK_OP_BATCH_NORM_GLOBAL] = uk_reference_batch_norm_global,
  [UK_OP_BATCH_NORM_GRAD_LOCAL] = uk_reference_batch_norm_grad_local,
  [UK_OP_BATCH_NORM_GRAD_GLOBAL] = uk_reference_batch_norm_grad_global,
  [UK_OP_UPSAMPLE] = uk_reference_resample,
  [UK_OP_DOWNSAMPLE] = uk_reference_resample,
  [UK_OP_ADD] = uk_reference_add,
  [UK_OP_AXPBY] = uk_reference_axpby,
  [UK_OP_SQUARED_NORM] = uk_reference_squared_norm,
  [UK_OP_LOSS_BCE] = uk_reference_loss_bce,
  [UK_OP_LOSS_PAIR_D] = uk_reference_loss_pair,
  [UK_OP_LOSS_PAIR_G] = uk_reference_loss_pair,
  [UK_OP_GRAD_SQUARES] = uk_reference_grad_squares,
  [UK_OP_GRAD_FACTOR] = uk_reference_grad_factor,
  [UK_OP_ADAM] = uk_reference_adam,
  [UK_OP_FILL] = uk_reference_fill,
  [UK_OP_CONCAT] = uk_reference_concat,
  [UK_OP_SHARES] = uk_reference_shares,
  [UK_OP_SHARES_GRAD] = uk_reference_shares_grad,
};

static UkStatus
reference_open (const UkBackendConfig *config, UkBackend **out)
{
  UkBackend *self;

  *out = NULL;
  if (config != NULL && config->precision != UK_FP32)
    return UK_UNSUPPORTED;
  self = malloc (sizeof *self);
  if (self == NULL)
    return UK_NO_MEMORY;
  self->table = uk_backend_reference ();
  self->value_type = UK_DATA_F64;
  *out = self;
  return UK_OK;
}

static void
reference_close (UkBackend *self)
{
  free (self);
}

static void *
reference_alloc (UkBackend *self, size_t n_bytes)
{
  size_t rounded = (n_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  void *memory;

  if (rounded < n_bytes)
    return NULL;
  if (rounded == 0)
    rounded = ALIGNMENT;
  memory = aligned_alloc (ALIGNMENT, rounded);
  if (memory != NULL)
    memset (memory, 0, rounded);
  return memory;
}

static void
reference_free (UkBackend *self, void *memory, size_t n_bytes)
{
  free (memory);
}

static UkStatus
reference_upload (UkBackend *self, UkArgType type, void *dst, const float *src, int64_t count)
{
  double *x = dst;

  for (int64_t i = 0; i < count; i++)
    x[i] = src[i];
  return UK_OK;
}

static UkStatus
reference_download (UkBackend *self, UkArgType type, float *dst, const void *src, int64_t count)
{
  const double *x = src;

  for (int64_t i = 0; i < count; i++)
    dst[i] = (float) x[i];
  return UK_OK;
}

/* Also serves as read and write: all memory is host memory. */
static UkStatus
reference_copy (UkBackend *self, void *dst, const void *src, size_t n_bytes)
{
  if (n_bytes > 0)
    memcpy (dst, src, n_bytes);
  return UK_OK;
}

static UkStatus
reference_prepare (UkBackend *self, const UkOpDesc *desc, UkOp **out)
{
  UkStatus status = uk_op_check (desc);
  ReferenceOp *op;

  *out = NULL;
  if (status != UK_OK)
    return status;
  op = calloc (1, sizeof *op);
  if (op == NULL)
    return UK_NO_MEMORY;
  op->op.backend = self;
  op->op.desc = *desc;
  op->function = functions[desc->kind];
  *out = &op->op;
  return UK_OK;
}

static void
reference_release (UkOp *op)
{
  free (op);
}

static UkStatus
reference_pack (UkOp *op, const void *w, void *packed)
{
  return UK_UNSUPPORTED; /* packed_bytes is always 0 */
}

static UkStatus
reference_run (UkOp *op, void *const *args, void *scratch)
{
  UkStatus status = uk_op_check_args (op->desc.kind, args);

  return status == UK_OK ? ((ReferenceOp *) op)->function (&op->desc, args) : status;
}

static UkStatus
reference_sync (UkBackend *self)
{
  return UK_OK;
}

static const UkBackendTable table = {
  .name = "reference",
  .element_size = sizeof (double),
  .is_host = true,
  .open = reference_open,
  .close = reference_close,
  .alloc = reference_alloc,
  .free = reference_free,
  .upload = reference_upload,
  .download = reference_download,
  .write = reference_copy,
  .read = reference_copy,
  .copy = reference_copy,
  .prepare = reference_prepare,
  .release = reference_release,
  .pack = reference_pack,
  .run = reference_run,
  .sync = reference_sync,
};

const UkBackendTable *
uk_backend_reference (void)
{
  return &table;
}
