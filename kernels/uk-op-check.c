/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uk-op-check.c - validates an operation's description.
 *
 * Every backend calls this first, so that a kernel can trust its shapes: all sizes are positive,
 * every argument's count fits comfortably into 64 bits, and y matches x and the fields.  Shapes
 * that an operation does not use (y of a loss, x of FILL) are not checked.
 */
#include "kernels/uk.h"

#include <math.h>

/* Leaves room for byte counts and for sums of a few counts. */
#define MAX_COUNT (INT64_MAX / 256)
#define MAX_KERNEL 1024

/* Random numbers are indexed by (sample << 20) + element / 4: see uk-random.h. */
#define MAX_NOISE_PER_SAMPLE ((int64_t) 1 << 22)
#define MAX_SAMPLES ((int64_t) 1 << 43)

static bool
count_fits (const int64_t *sizes, int n_sizes)
{
  int64_t count = 1;

  for (int i = 0; i < n_sizes; i++)
    if (sizes[i] <= 0 || __builtin_mul_overflow (count, sizes[i], &count) || count > MAX_COUNT)
      return false;
  return true;
}

static bool
shape_fits (UkShape shape)
{
  const int64_t sizes[] = { shape.n, shape.h, shape.w, shape.c };

  return count_fits (sizes, 4);
}

static UkStatus
check_same (const UkOpDesc *desc)
{
  UkShape x = desc->x, y = desc->y;

  return shape_fits (x) && x.n == y.n && x.h == y.h && x.w == y.w && x.c == y.c ? UK_OK : UK_BAD_SHAPE;
}

static UkStatus
check_act (const UkOpDesc *desc, bool softmax_allowed)
{
  if ((unsigned) desc->act > UK_ACT_SOFTMAX)
    return UK_BAD_ARGUMENT;
  if (desc->act == UK_ACT_SOFTMAX && !softmax_allowed)
    return UK_BAD_ARGUMENT;
  /* A negative slope would hide the sign that the gradient reads off y. */
  if (desc->act == UK_ACT_LEAKY_RELU && !(desc->slope >= 0 && isfinite (desc->slope)))
    return UK_BAD_ARGUMENT;
  return UK_OK;
}

static UkStatus
check_samples (const UkOpDesc *desc, int64_t n)
{
  return desc->first_sample >= 0 && desc->first_sample <= MAX_SAMPLES && n <= MAX_SAMPLES
           ? UK_OK
           : UK_BAD_ARGUMENT;
}

/* The forward output's extent along one axis, or 0 where the kernel does not fit. */
static int64_t
conv_edge (const UkOpDesc *desc, int64_t edge)
{
  int64_t covered;

  if (desc->transposed)
    {
      if (edge > MAX_COUNT / desc->stride)
        return 0;
      covered = (edge - 1) * desc->stride + desc->kernel - 2 * desc->pad;
      return covered > 0 ? covered : 0;
    }
  covered = edge + 2 * desc->pad - desc->kernel;
  return covered >= 0 ? covered / desc->stride + 1 : 0;
}

static UkStatus
check_conv (const UkOpDesc *desc)
{
  if (desc->kernel < 1 || desc->kernel > MAX_KERNEL || desc->stride < 1
      || desc->stride > MAX_KERNEL || desc->pad < 0 || desc->pad >= desc->kernel)
    return UK_BAD_ARGUMENT;

  const int64_t weights[] = { desc->x.c, desc->y.c, desc->kernel, desc->kernel };

  if (!shape_fits (desc->x) || !shape_fits (desc->y) || !count_fits (weights, 4))
    return UK_BAD_SHAPE;
  if (desc->y.n != desc->x.n || desc->y.h != conv_edge (desc, desc->x.h)
      || desc->y.w != conv_edge (desc, desc->x.w))
    return UK_BAD_SHAPE;
  return desc->kind == UK_OP_CONV ? check_act (desc, true) : UK_OK;
}

static UkStatus
check_batch_norm (const UkOpDesc *desc)
{
  const int64_t all[] = { desc->batch, desc->x.h, desc->x.w, desc->x.c };
  bool is_global = desc->kind == UK_OP_BATCH_NORM_GLOBAL || desc->kind == UK_OP_BATCH_NORM_GRAD_GLOBAL;

  if (check_same (desc) != UK_OK)
    return UK_BAD_SHAPE;
  if (!(desc->eps > 0) || !isfinite (desc->eps))
    return UK_BAD_ARGUMENT;
  if ((desc->kind == UK_OP_BATCH_NORM || desc->kind == UK_OP_BATCH_NORM_GLOBAL)
      && !(desc->momentum >= 0 && desc->momentum <= 1))
    return UK_BAD_ARGUMENT;
  /* All ranks hold as many samples as this one, and the total count fits. */
  if (is_global && (desc->batch < desc->x.n || desc->batch % desc->x.n != 0 || !count_fits (all, 4)))
    return UK_BAD_ARGUMENT;
  return check_act (desc, false);
}

/* Each spatial extent of @fine is twice that of @coarse. */
static UkStatus
check_resample (const UkOpDesc *desc, UkShape coarse, UkShape fine)
{
  if (!shape_fits (coarse) || !shape_fits (fine))
    return UK_BAD_SHAPE;
  if (fine.n != coarse.n || fine.h != 2 * coarse.h || fine.w != 2 * coarse.w
      || fine.c != coarse.c)
    return UK_BAD_SHAPE;
  return isfinite (desc->scale) && desc->scale != 0 ? UK_OK : UK_BAD_ARGUMENT;
}

/* Logits are a vector of x.n values. */
static UkStatus
check_loss (const UkOpDesc *desc, bool paired)
{
  if (!shape_fits (desc->x) || desc->x.h != 1 || desc->x.w != 1 || desc->x.c != 1
      || (paired && desc->x.n % 2 != 0))
    return UK_BAD_SHAPE;
  if (desc->batch < (paired ? desc->x.n / 2 : desc->x.n))
    return UK_BAD_ARGUMENT;
  if (desc->kind == UK_OP_LOSS_BCE && !(desc->target >= 0 && desc->target <= 1))
    return UK_BAD_ARGUMENT;
  return UK_OK;
}

static UkStatus
check_concat (UkShape a, UkShape y)
{
  if (!shape_fits (a) || !shape_fits (y) || y.n != a.n || y.h != a.h || y.w != a.w || y.c <= a.c)
    return UK_BAD_SHAPE;
  return UK_OK;
}

static UkStatus
check_shares (const UkOpDesc *desc)
{
  UkShape x = desc->x, y = desc->y;

  if (!shape_fits (x) || (x.c != 1 && x.c != 3) || y.n != x.n || y.h != 1 || y.w != 1
      || y.c != UK_N_SHARES)
    return UK_BAD_SHAPE;
  if (desc->kernel < 1 || desc->kernel > MAX_KERNEL || desc->kernel % 2 == 0)
    return UK_BAD_ARGUMENT;
  return desc->target >= 0 && desc->target < 1 ? UK_OK : UK_BAD_ARGUMENT;
}

UkStatus
uk_op_check (const UkOpDesc *desc)
{
  if (desc == NULL)
    return UK_BAD_ARGUMENT;

  UkShape x = desc->x, y = desc->y;

  switch (desc->kind)
    {
    case UK_OP_LOAD:
      if (!shape_fits (y) || (desc->dihedral && y.h != y.w))
        return UK_BAD_SHAPE;
      return check_samples (desc, y.n);
    case UK_OP_NOISE:
      if (!shape_fits (y) || y.h * y.w * y.c > MAX_NOISE_PER_SAMPLE)
        return UK_BAD_SHAPE;
      return check_samples (desc, y.n);
    case UK_OP_AUGMENT:
    case UK_OP_AUGMENT_GRAD:
      return check_same (desc) != UK_OK || x.h != x.w ? UK_BAD_SHAPE : check_samples (desc, x.n);
    case UK_OP_CONV:
    case UK_OP_CONV_DGRAD:
    case UK_OP_CONV_WGRAD:
      return check_conv (desc);
    case UK_OP_DEPTHWISE:
    case UK_OP_DEPTHWISE_DGRAD:
    case UK_OP_DEPTHWISE_WGRAD:
      return shape_fits (x) && y.n == x.n && y.h == 1 && y.w == 1 && y.c == x.c ? UK_OK : UK_BAD_SHAPE;
    case UK_OP_BIAS_ACT:
    case UK_OP_ACT_GRAD:
      return check_same (desc) != UK_OK ? UK_BAD_SHAPE : check_act (desc, true);
    case UK_OP_BATCH_NORM:
    case UK_OP_BATCH_NORM_GRAD:
    case UK_OP_BATCH_NORM_INFER:
    case UK_OP_BATCH_NORM_RECOMPUTE:
    case UK_OP_BATCH_NORM_LOCAL:
    case UK_OP_BATCH_NORM_GRAD_LOCAL:
    case UK_OP_BATCH_NORM_GLOBAL:
    case UK_OP_BATCH_NORM_GRAD_GLOBAL:
      return check_batch_norm (desc);
    case UK_OP_UPSAMPLE:
      return check_resample (desc, x, y);
    case UK_OP_DOWNSAMPLE:
      return check_resample (desc, y, x);
    case UK_OP_ADD:
    case UK_OP_AXPBY:
      return check_same (desc);
    case UK_OP_SQUARED_NORM:
      return shape_fits (x) ? UK_OK : UK_BAD_SHAPE;
    case UK_OP_LOSS_BCE:
      return check_loss (desc, false);
    case UK_OP_LOSS_PAIR_D:
    case UK_OP_LOSS_PAIR_G:
      return check_loss (desc, true);
    case UK_OP_GRAD_SQUARES:
    case UK_OP_GRAD_FACTOR:
    case UK_OP_ADAM:
      return x.n > 0 && x.n <= MAX_COUNT ? UK_OK : UK_BAD_SHAPE;
    case UK_OP_FILL:
      if (!shape_fits (y))
        return UK_BAD_SHAPE;
      return isfinite (desc->scale) ? UK_OK : UK_BAD_ARGUMENT;
    case UK_OP_CONCAT:
      return check_concat (x, y);
    case UK_OP_SHARES:
    case UK_OP_SHARES_GRAD:
      return check_shares (desc);
    case UK_N_OPS:
      break;
    }
  return UK_BAD_ARGUMENT;
}

UkStatus
uk_op_check_args (UkOpKind kind, void *const *args)
{
  const UkOpInfo *info = uk_op_info (kind);

  for (int arg = 0; arg < info->n_args; arg++)
    if (args[arg] == NULL && !info->args[arg].optional)
      return UK_BAD_ARGUMENT;
  return UK_OK;
}
