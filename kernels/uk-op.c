/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uk-op.c - the name, arguments and cost of every operation.
 *
 * One table, in the order of UkOpKind.  Each argument has a rule for its count (COUNT_X, COUNT_W, ...), which
 * uk_op_arg_count() applies to the shapes of a description.
 */
#include "kernels/uk.h"

/* An argument's element count, in terms of the description. */
typedef enum
{
  COUNT_1,
  COUNT_2,
  COUNT_3,
  COUNT_HYPER,
  COUNT_X,      /* x: n h w c */
  COUNT_Y,      /* y: n h w c */
  COUNT_N,      /* x.n */
  COUNT_HALF_N, /* x.n / 2, the fakes of a paired batch */
  COUNT_XC,     /* x.c */
  COUNT_YC,     /* y.c */
  COUNT_2XC,    /* 2 x.c */
  COUNT_RANKS,  /* 2 x.c for each of batch / x.n ranks */
  COUNT_PIXELS, /* x: h w c, one sample */
  COUNT_TILES,  /* y, in bytes: one byte or one bit per value */
  COUNT_W,      /* convolution weights: x.c y.c kernel kernel */
  COUNT_REST,   /* y without the channels of x: n h w (y.c - x.c) */
  COUNT_SHARES  /* 2 for each share */
} CountRule;

#define IN(name, count) { name, UK_REAL, UK_IN, false, COUNT_##count }
#define OUT(name, count) { name, UK_REAL, UK_OUT, false, COUNT_##count }
#define INOUT(name, count) { name, UK_REAL, UK_INOUT, false, COUNT_##count }
#define OPTIONAL_IN(name, count) { name, UK_REAL, UK_IN, true, COUNT_##count }
#define OPTIONAL_OUT(name, count) { name, UK_REAL, UK_OUT, true, COUNT_##count }
#define OPTIONAL_INOUT(name, count) { name, UK_REAL, UK_INOUT, true, COUNT_##count }
#define VALUE_IN(name, count) { name, UK_VALUE, UK_IN, false, COUNT_##count }
#define VALUE_OUT(name, count) { name, UK_VALUE, UK_OUT, false, COUNT_##count }
#define VALUE_OPTIONAL_IN(name, count) { name, UK_VALUE, UK_IN, true, COUNT_##count }
#define VALUE_OPTIONAL_OUT(name, count) { name, UK_VALUE, UK_OUT, true, COUNT_##count }
#define TILES { "tiles", UK_U8, UK_IN, false, COUNT_TILES }
#define RNG { "rng", UK_U64, UK_IN, false, COUNT_2 }

static const UkOpInfo ops[UK_N_OPS] = {
  [UK_OP_LOAD] = { "load", 3, { TILES, RNG, VALUE_OUT ("y", Y) } },
  [UK_OP_NOISE] = { "noise", 2, { RNG, VALUE_OUT ("y", Y) } },
  [UK_OP_AUGMENT] = { "augment", 4, { VALUE_IN ("x", X), RNG, IN ("p", 1), VALUE_OUT ("y", Y) } },
  [UK_OP_AUGMENT_GRAD] = { "augment-grad", 4, { VALUE_IN ("dy", Y), RNG, IN ("p", 1), VALUE_OUT ("dx", X) } },

  [UK_OP_CONV] = { "conv", 4, { VALUE_IN ("x", X), IN ("w", W), OPTIONAL_IN ("b", YC), VALUE_OUT ("y", Y) } },
  [UK_OP_CONV_DGRAD] = { "conv-dgrad", 3, { VALUE_IN ("dy", Y), IN ("w", W), VALUE_OUT ("dx", X) } },
  [UK_OP_CONV_WGRAD] = { "conv-wgrad", 3, { VALUE_IN ("x", X), VALUE_IN ("dy", Y), OUT ("dw", W) } },

  [UK_OP_DEPTHWISE] = { "depthwise", 3, { VALUE_IN ("x", X), IN ("w", PIXELS), VALUE_OUT ("y", Y) } },
  [UK_OP_DEPTHWISE_DGRAD] = { "depthwise-dgrad", 3,
    { VALUE_IN ("dy", Y), IN ("w", PIXELS), VALUE_OUT ("dx", X) } },
  [UK_OP_DEPTHWISE_WGRAD] = { "depthwise-wgrad", 3,
    { VALUE_IN ("x", X), VALUE_IN ("dy", Y), OUT ("dw", PIXELS) } },

  [UK_OP_BIAS_ACT] = { "bias-act", 3, { VALUE_IN ("x", X), OPTIONAL_IN ("b", XC), VALUE_OUT ("y", Y) } },
  [UK_OP_ACT_GRAD] = { "act-grad", 5,
    { VALUE_OPTIONAL_IN ("y", Y), VALUE_IN ("dy", Y), VALUE_OPTIONAL_IN ("scale", N), OPTIONAL_OUT ("db", XC),
      VALUE_OPTIONAL_OUT ("dx", X) } },

  [UK_OP_BATCH_NORM] = { "batch-norm", 8,
    { VALUE_IN ("x", X), IN ("gamma", XC), IN ("beta", XC), OPTIONAL_INOUT ("running_mean", XC),
      OPTIONAL_INOUT ("running_var", XC), VALUE_OUT ("y", Y), OUT ("mean", XC), OUT ("inv_std", XC) } },
  [UK_OP_BATCH_NORM_GRAD] = { "batch-norm-grad", 9,
    { VALUE_IN ("x", X), VALUE_IN ("dy", Y), IN ("gamma", XC), IN ("beta", XC), IN ("mean", XC),
      IN ("inv_std", XC), VALUE_OUT ("dx", X), OUT ("dgamma", XC), OUT ("dbeta", XC) } },
  [UK_OP_BATCH_NORM_INFER] = { "batch-norm-infer", 6,
    { VALUE_IN ("x", X), IN ("gamma", XC), IN ("beta", XC), IN ("mean", XC), IN ("var", XC),
      VALUE_OUT ("y", Y) } },
  [UK_OP_BATCH_NORM_RECOMPUTE] = { "batch-norm-recompute", 6,
    { VALUE_IN ("x", X), IN ("gamma", XC), IN ("beta", XC), IN ("mean", XC), IN ("inv_std", XC),
      VALUE_OUT ("y", Y) } },
  [UK_OP_BATCH_NORM_LOCAL] = { "batch-norm-local", 2, { VALUE_IN ("x", X), OUT ("statistics", 2XC) } },
  [UK_OP_BATCH_NORM_GLOBAL] = { "batch-norm-global", 9,
    { VALUE_IN ("x", X), IN ("statistics", RANKS), IN ("gamma", XC), IN ("beta", XC),
      OPTIONAL_INOUT ("running_mean", XC), OPTIONAL_INOUT ("running_var", XC), VALUE_OUT ("y", Y),
      OUT ("mean", XC), OUT ("inv_std", XC) } },
  [UK_OP_BATCH_NORM_GRAD_LOCAL] = { "batch-norm-grad-local", 9,
    { VALUE_IN ("x", X), VALUE_IN ("dy", Y), IN ("gamma", XC), IN ("beta", XC), IN ("mean", XC),
      IN ("inv_std", XC), OUT ("sums", 2XC), OPTIONAL_OUT ("dgamma", XC), OPTIONAL_OUT ("dbeta", XC) } },
  [UK_OP_BATCH_NORM_GRAD_GLOBAL] = { "batch-norm-grad-global", 8,
    { VALUE_IN ("x", X), VALUE_IN ("dy", Y), IN ("gamma", XC), IN ("beta", XC), IN ("mean", XC),
      IN ("inv_std", XC), IN ("sums", 2XC), VALUE_OUT ("dx", X) } },

  [UK_OP_UPSAMPLE] = { "upsample", 2, { VALUE_IN ("x", X), VALUE_OUT ("y", Y) } },
  [UK_OP_DOWNSAMPLE] = { "downsample", 2, { VALUE_IN ("x", X), VALUE_OUT ("y", Y) } },

  [UK_OP_ADD] = { "add", 3, { VALUE_IN ("a", X), VALUE_IN ("b", X), VALUE_OUT ("y", Y) } },
  [UK_OP_AXPBY] = { "axpby", 5,
    { VALUE_IN ("a", X), VALUE_IN ("c", N), VALUE_IN ("u", X), IN ("k", 1), VALUE_OUT ("y", Y) } },

  [UK_OP_SQUARED_NORM] = { "squared-norm", 3, { VALUE_IN ("v", X), OUT ("sums", N), OUT ("metrics", 1) } },
  [UK_OP_LOSS_BCE] = { "loss-bce", 4,
    { VALUE_IN ("logits", N), OPTIONAL_IN ("scale", 1), VALUE_OUT ("dlogits", N), OUT ("metrics", 2) } },
  [UK_OP_LOSS_PAIR_D] = { "loss-pair-d", 4,
    { VALUE_IN ("logits", N), OPTIONAL_IN ("scale", 1), VALUE_OUT ("dlogits", N), OUT ("metrics", 3) } },
  [UK_OP_LOSS_PAIR_G] = { "loss-pair-g", 4,
    { VALUE_IN ("logits", N), OPTIONAL_IN ("scale", 1), VALUE_OUT ("dfake", HALF_N), OUT ("metrics", 3) } },

  [UK_OP_GRAD_SQUARES] = { "grad-squares", 2, { IN ("g", N), OUT ("sum", 1) } },
  [UK_OP_GRAD_FACTOR] = { "grad-factor", 3,
    { IN ("sums", N), IN ("hyper", HYPER), OUT ("out", 2) } },
  [UK_OP_ADAM] = { "adam", 8,
    { INOUT ("w", N), IN ("g", N), OPTIONAL_INOUT ("m", N), INOUT ("v", N), OPTIONAL_INOUT ("ema", N),
      IN ("hyper", HYPER), IN ("norm", 2), VALUE_OPTIONAL_OUT ("packed", N) } },
  [UK_OP_FILL] = { "fill", 2, { OPTIONAL_IN ("scale", 1), VALUE_OUT ("y", Y) } },
  [UK_OP_CONCAT] = { "concat", 3, { VALUE_IN ("a", X), VALUE_IN ("b", REST), VALUE_OUT ("y", Y) } },
  [UK_OP_SHARES] = { "shares", 3, { VALUE_IN ("x", X), IN ("scale", SHARES), VALUE_OUT ("y", Y) } },
  [UK_OP_SHARES_GRAD] = { "shares-grad", 4,
    { VALUE_IN ("x", X), VALUE_IN ("dy", Y), IN ("scale", SHARES), VALUE_OUT ("dx", X) } },
};

const char *
uk_status_text (UkStatus status)
{
  switch (status)
    {
    case UK_OK:
      return "success";
    case UK_BAD_SHAPE:
      return "the shapes do not match";
    case UK_BAD_ARGUMENT:
      return "an argument is missing or out of range";
    case UK_NO_MEMORY:
      return "out of memory";
    case UK_UNSUPPORTED:
      return "not supported by this backend or processor";
    case UK_DEVICE_ERROR:
      return "the device or its library failed";
    case UK_BUSY:
      return "not finished yet";
    }
  return "unknown status";
}

const char *
uk_precision_name (UkPrecision precision)
{
  static const char *const names[] = UK_PRECISION_NAMES;

  return precision < UK_N_PRECISIONS ? names[precision] : "unknown";
}

size_t
uk_data_size (UkDataType type)
{
  static const size_t sizes[UK_N_DATA_TYPES] = {
    [UK_DATA_F32] = 4,
    [UK_DATA_F64] = 8,
    [UK_DATA_BF16] = 2,
    [UK_DATA_F16] = 2,
    [UK_DATA_U8] = 1,
  };

  return sizes[type];
}

UkDataType
uk_data_type_of (UkPrecision precision)
{
  return precision == UK_BF16 ? UK_DATA_BF16 : precision == UK_FP16 ? UK_DATA_F16 : UK_DATA_F32;
}

int64_t
uk_shape_count (UkShape shape)
{
  return shape.n * shape.h * shape.w * shape.c;
}

const UkOpInfo *
uk_op_info (UkOpKind kind)
{
  return (unsigned) kind < UK_N_OPS ? &ops[kind] : NULL;
}

int64_t
uk_op_arg_count (const UkOpDesc *desc, int arg)
{
  if ((unsigned) desc->kind >= UK_N_OPS || arg < 0 || arg >= ops[desc->kind].n_args)
    return 0;
  switch ((CountRule) ops[desc->kind].args[arg].count_rule)
    {
    case COUNT_1:
      return 1;
    case COUNT_2:
      return 2;
    case COUNT_3:
      return 3;
    case COUNT_HYPER:
      return UK_N_HYPER;
    case COUNT_X:
      return uk_shape_count (desc->x);
    case COUNT_Y:
      return uk_shape_count (desc->y);
    case COUNT_N:
      return desc->x.n;
    case COUNT_HALF_N:
      return desc->x.n / 2;
    case COUNT_XC:
      return desc->x.c;
    case COUNT_YC:
      return desc->y.c;
    case COUNT_2XC:
      return 2 * desc->x.c;
    case COUNT_RANKS:
      return desc->x.n > 0 ? desc->batch / desc->x.n * 2 * desc->x.c : 0;
    case COUNT_PIXELS:
      return desc->x.h * desc->x.w * desc->x.c;
    case COUNT_TILES:
      {
        int64_t per_sample = desc->y.h * desc->y.w * desc->y.c;

        return desc->y.n * (desc->bits ? (per_sample + 7) / 8 : per_sample);
      }
    case COUNT_W:
      return desc->x.c * desc->y.c * desc->kernel * desc->kernel;
    case COUNT_REST:
      return desc->y.n * desc->y.h * desc->y.w * (desc->y.c - desc->x.c);
    case COUNT_SHARES:
      return 2 * UK_N_SHARES;
    }
  return 0;
}

static bool
is_same_shape (const UkShape *a, const UkShape *b)
{
  return a->n == b->n && a->h == b->h && a->w == b->w && a->c == b->c;
}

/* Not memcmp(): the padding between fields is undefined. */
bool
uk_op_desc_equal (const UkOpDesc *a, const UkOpDesc *b)
{
  return a->kind == b->kind && is_same_shape (&a->x, &b->x) && is_same_shape (&a->y, &b->y)
         && a->kernel == b->kernel && a->stride == b->stride && a->pad == b->pad
         && a->transposed == b->transposed && a->act == b->act && a->slope == b->slope
         && a->scale == b->scale && a->eps == b->eps && a->momentum == b->momentum
         && a->target == b->target && a->batch == b->batch && a->accumulate == b->accumulate
         && a->dihedral == b->dihedral && a->bits == b->bits && a->stream == b->stream
         && a->first_sample == b->first_sample;
}

/* FNV-1a over the fields that tell operations of one program apart. */
uint32_t
uk_op_desc_hash (const UkOpDesc *desc)
{
  const int64_t fields[] = { desc->kind, desc->x.n, desc->x.h, desc->x.w, desc->x.c, desc->y.n, desc->y.h,
                             desc->y.w, desc->y.c, desc->kernel, desc->act, desc->accumulate, desc->stream,
                             desc->first_sample };
  uint64_t hash = 0xcbf29ce484222325u;

  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    hash = (hash ^ (uint64_t) fields[i]) * 0x100000001b3u;
  return (uint32_t) (hash ^ hash >> 32);
}

/* FLOP per element of x and of y, and per sample; exp, log and sqrt count as one.  Convolutions: below. */
static const struct
{
  int x, y, n;
} flops[UK_N_OPS] = {
  [UK_OP_LOAD] = { .y = 2 }, [UK_OP_NOISE] = { .y = 6 },
  [UK_OP_DEPTHWISE] = { 2 }, [UK_OP_DEPTHWISE_DGRAD] = { 1 }, [UK_OP_DEPTHWISE_WGRAD] = { 2 },
  [UK_OP_BIAS_ACT] = { 2 }, [UK_OP_ACT_GRAD] = { 3 },
  [UK_OP_BATCH_NORM] = { 7 }, [UK_OP_BATCH_NORM_GRAD] = { 15 },
  [UK_OP_BATCH_NORM_INFER] = { 3 }, [UK_OP_BATCH_NORM_RECOMPUTE] = { 3 },
  [UK_OP_BATCH_NORM_LOCAL] = { 4 }, [UK_OP_BATCH_NORM_GLOBAL] = { 3 },
  [UK_OP_BATCH_NORM_GRAD_LOCAL] = { 8 }, [UK_OP_BATCH_NORM_GRAD_GLOBAL] = { 7 },
  [UK_OP_UPSAMPLE] = { .y = 8 },    /* 2 x 2 taps per output */
  [UK_OP_DOWNSAMPLE] = { .y = 32 }, /* 4 x 4 */
  [UK_OP_ADD] = { 1 }, [UK_OP_AXPBY] = { 3 }, [UK_OP_SQUARED_NORM] = { 2 },
  [UK_OP_LOSS_BCE] = { .n = 6 }, [UK_OP_LOSS_PAIR_D] = { .n = 6 }, [UK_OP_LOSS_PAIR_G] = { .n = 6 },
  [UK_OP_GRAD_SQUARES] = { .n = 2 }, [UK_OP_GRAD_FACTOR] = { .n = 1 }, [UK_OP_ADAM] = { .n = 12 },
};

double
uk_op_flops (const UkOpDesc *desc)
{
  /* The pixels at which the kernel is applied: outputs of a convolution, inputs of a transposed one. */
  const UkShape *placed = desc->transposed ? &desc->x : &desc->y;
  UkOpKind kind = desc->kind;

  if (kind == UK_OP_CONV || kind == UK_OP_CONV_DGRAD || kind == UK_OP_CONV_WGRAD)
    return 2.0 * placed->n * placed->h * placed->w * desc->kernel * desc->kernel
           * desc->x.c * desc->y.c;
  if ((unsigned) kind >= UK_N_OPS)
    return 0;
  if (kind == UK_OP_SHARES || kind == UK_OP_SHARES_GRAD) /* two sums per pixel and box average */
    return (double) desc->x.n * desc->x.h * desc->x.w * 2 * desc->kernel * (kind == UK_OP_SHARES ? 1 : 2);
  return (double) flops[kind].x * uk_shape_count (desc->x)
         + (double) flops[kind].y * uk_shape_count (desc->y) + (double) flops[kind].n * desc->x.n;
}

size_t
uk_type_size (const UkBackend *backend, UkArgType type)
{
  switch (type)
    {
    case UK_REAL:
      return backend->table->element_size;
    case UK_VALUE:
      return uk_data_size (backend->value_type);
    case UK_U8:
      return 1;
    case UK_U64:
      return 8;
    }
  return 0;
}

/* Batch norm over a batch needs all of it for the statistics, and again; its gradient likewise. */
static int
count_passes (UkOpKind kind, int arg)
{
  return (kind == UK_OP_BATCH_NORM && arg == 0) || (kind == UK_OP_BATCH_NORM_GRAD && arg < 2) ? 2 : 1;
}

double
uk_op_arg_bytes (const UkOpDesc *desc, int arg, const UkBackend *backend)
{
  const UkArgInfo *info = &ops[desc->kind].args[arg];
  /* Gradients of parameters are added to, gradients of values never. */
  bool is_both = info->role == UK_INOUT || (info->role == UK_OUT && info->type == UK_REAL && desc->accumulate);

  return (double) uk_op_arg_count (desc, arg) * (double) uk_type_size (backend, info->type)
         * (is_both ? 2 : count_passes (desc->kind, arg));
}

double
uk_op_bytes (const UkOpDesc *desc, const UkBackend *backend)
{
  double n_bytes = 0;

  if ((unsigned) desc->kind >= UK_N_OPS)
    return 0;
  for (int arg = 0; arg < ops[desc->kind].n_args; arg++)
    {
      /* Of the optional arguments, only an activation gradient's y and dx follow from @desc. */
      if (!ops[desc->kind].args[arg].optional
          || (desc->kind == UK_OP_ACT_GRAD && desc->act != UK_ACT_NONE && (arg == 0 || arg == 4)))
        n_bytes += uk_op_arg_bytes (desc, arg, backend);
    }
  return n_bytes;
}
