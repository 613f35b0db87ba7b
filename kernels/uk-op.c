/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uk-op.c - what every operation is called, takes, and costs.
 *
 * One table tells it all, in the order of UkOpKind.  Beside what UkArgInfo
 * shows, it holds each argument's count as a rule (COUNT_X, COUNT_W, ...),
 * which uk_op_arg_count() applies to the shapes of a description.
 */
#include "kernels/uk.h"

/* How many elements an argument has, in terms of the description. */
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
  COUNT_RANKS,  /* 2 x.c of each rank; there are batch / x.n */
  COUNT_PIXELS, /* x: h w c, one sample */
  COUNT_TILES,  /* y, in bytes: a value takes one, or a bit */
  COUNT_W       /* convolution weights: x.c y.c kernel kernel */
} CountRule;

typedef struct
{
  UkOpInfo  info;
  CountRule counts[UK_MAX_ARGS];
} OpRow;

#define IN(text) { text, UK_REAL, UK_IN, false }
#define OUT(text) { text, UK_REAL, UK_OUT, false }
#define INOUT(text) { text, UK_REAL, UK_INOUT, false }
#define OPTIONAL_IN(text) { text, UK_REAL, UK_IN, true }
#define OPTIONAL_OUT(text) { text, UK_REAL, UK_OUT, true }
#define OPTIONAL_INOUT(text) { text, UK_REAL, UK_INOUT, true }
#define VALUE_IN(text) { text, UK_VALUE, UK_IN, false }
#define VALUE_OUT(text) { text, UK_VALUE, UK_OUT, false }
#define VALUE_OPTIONAL_IN(text) { text, UK_VALUE, UK_IN, true }
#define VALUE_OPTIONAL_OUT(text) { text, UK_VALUE, UK_OUT, true }
#define TILES { "tiles", UK_U8, UK_IN, false }
#define RNG { "rng", UK_U64, UK_IN, false }

static const OpRow rows[UK_N_OPS] = {
  [UK_OP_LOAD] = { .info = { "load", 3, { TILES, RNG, VALUE_OUT ("y") } },
                   .counts = { COUNT_TILES, COUNT_2, COUNT_Y } },
  [UK_OP_NOISE] = { .info = { "noise", 2, { RNG, VALUE_OUT ("y") } },
                    .counts = { COUNT_2, COUNT_Y } },
  [UK_OP_AUGMENT] = { .info = { "augment", 4, { VALUE_IN ("x"), RNG, IN ("p"), VALUE_OUT ("y") } },
                      .counts = { COUNT_X, COUNT_2, COUNT_1, COUNT_Y } },
  [UK_OP_AUGMENT_GRAD] = { .info = { "augment-grad", 4, { VALUE_IN ("dy"), RNG, IN ("p"), VALUE_OUT ("dx") } },
                           .counts = { COUNT_Y, COUNT_2, COUNT_1, COUNT_X } },

  [UK_OP_CONV] = { .info = { "conv", 4,
                             { VALUE_IN ("x"), IN ("w"), OPTIONAL_IN ("b"), VALUE_OUT ("y") } },
                   .counts = { COUNT_X, COUNT_W, COUNT_YC, COUNT_Y } },
  [UK_OP_CONV_DGRAD] = { .info = { "conv-dgrad", 3, { VALUE_IN ("dy"), IN ("w"), VALUE_OUT ("dx") } },
                         .counts = { COUNT_Y, COUNT_W, COUNT_X } },
  [UK_OP_CONV_WGRAD] = { .info = { "conv-wgrad", 3, { VALUE_IN ("x"), VALUE_IN ("dy"), OUT ("dw") } },
                         .counts = { COUNT_X, COUNT_Y, COUNT_W } },

  [UK_OP_DEPTHWISE] = { .info = { "depthwise", 3, { VALUE_IN ("x"), IN ("w"), VALUE_OUT ("y") } },
                        .counts = { COUNT_X, COUNT_PIXELS, COUNT_Y } },
  [UK_OP_DEPTHWISE_DGRAD] = { .info = { "depthwise-dgrad", 3,
                                        { VALUE_IN ("dy"), IN ("w"), VALUE_OUT ("dx") } },
                              .counts = { COUNT_Y, COUNT_PIXELS, COUNT_X } },
  [UK_OP_DEPTHWISE_WGRAD] = { .info = { "depthwise-wgrad", 3,
                                        { VALUE_IN ("x"), VALUE_IN ("dy"), OUT ("dw") } },
                              .counts = { COUNT_X, COUNT_Y, COUNT_PIXELS } },

  [UK_OP_BIAS_ACT] = { .info = { "bias-act", 3, { VALUE_IN ("x"), OPTIONAL_IN ("b"), VALUE_OUT ("y") } },
                       .counts = { COUNT_X, COUNT_XC, COUNT_Y } },
  [UK_OP_ACT_GRAD] = { .info = { "act-grad", 5,
                                 { VALUE_OPTIONAL_IN ("y"), VALUE_IN ("dy"), VALUE_OPTIONAL_IN ("scale"),
                                   OPTIONAL_OUT ("db"), VALUE_OPTIONAL_OUT ("dx") } },
                       .counts = { COUNT_Y, COUNT_Y, COUNT_N, COUNT_XC, COUNT_X } },

  [UK_OP_BATCH_NORM] = { .info = { "batch-norm", 8,
                                   { VALUE_IN ("x"), IN ("gamma"), IN ("beta"),
                                     OPTIONAL_INOUT ("running_mean"),
                                     OPTIONAL_INOUT ("running_var"),
                                     VALUE_OUT ("y"), OUT ("mean"), OUT ("inv_std") } },
                         .counts = { COUNT_X, COUNT_XC, COUNT_XC, COUNT_XC, COUNT_XC,
                                     COUNT_Y, COUNT_XC, COUNT_XC } },
  [UK_OP_BATCH_NORM_GRAD] = { .info = { "batch-norm-grad", 9,
                                        { VALUE_IN ("x"), VALUE_IN ("y"), VALUE_IN ("dy"), IN ("gamma"),
                                          IN ("mean"), IN ("inv_std"),
                                          VALUE_OUT ("dx"), OUT ("dgamma"), OUT ("dbeta") } },
                              .counts = { COUNT_X, COUNT_Y, COUNT_Y, COUNT_XC,
                                          COUNT_XC, COUNT_XC,
                                          COUNT_X, COUNT_XC, COUNT_XC } },
  [UK_OP_BATCH_NORM_INFER] = { .info = { "batch-norm-infer", 6,
                                         { VALUE_IN ("x"), IN ("gamma"), IN ("beta"),
                                           IN ("mean"), IN ("var"), VALUE_OUT ("y") } },
                               .counts = { COUNT_X, COUNT_XC, COUNT_XC,
                                           COUNT_XC, COUNT_XC, COUNT_Y } },
  [UK_OP_BATCH_NORM_RECOMPUTE] = { .info = { "batch-norm-recompute", 6,
                                         { VALUE_IN ("x"), IN ("gamma"), IN ("beta"),
                                           IN ("mean"), IN ("inv_std"), VALUE_OUT ("y") } },
                               .counts = { COUNT_X, COUNT_XC, COUNT_XC,
                                           COUNT_XC, COUNT_XC, COUNT_Y } },
  [UK_OP_BATCH_NORM_LOCAL] = { .info = { "batch-norm-local", 2,
                                         { VALUE_IN ("x"), OUT ("statistics") } },
                               .counts = { COUNT_X, COUNT_2XC } },
  [UK_OP_BATCH_NORM_GLOBAL] = { .info = { "batch-norm-global", 9,
                                          { VALUE_IN ("x"), IN ("statistics"), IN ("gamma"),
                                            IN ("beta"), OPTIONAL_INOUT ("running_mean"),
                                            OPTIONAL_INOUT ("running_var"),
                                            VALUE_OUT ("y"), OUT ("mean"), OUT ("inv_std") } },
                                .counts = { COUNT_X, COUNT_RANKS, COUNT_XC, COUNT_XC, COUNT_XC,
                                            COUNT_XC, COUNT_Y, COUNT_XC, COUNT_XC } },
  [UK_OP_BATCH_NORM_GRAD_LOCAL] = { .info = { "batch-norm-grad-local", 8,
                                              { VALUE_IN ("x"), VALUE_IN ("y"), VALUE_IN ("dy"), IN ("mean"),
                                                IN ("inv_std"), OUT ("sums"),
                                                OPTIONAL_OUT ("dgamma"),
                                                OPTIONAL_OUT ("dbeta") } },
                                    .counts = { COUNT_X, COUNT_Y, COUNT_Y, COUNT_XC, COUNT_XC,
                                                COUNT_2XC, COUNT_XC, COUNT_XC } },
  [UK_OP_BATCH_NORM_GRAD_GLOBAL] = { .info = { "batch-norm-grad-global", 8,
                                               { VALUE_IN ("x"), VALUE_IN ("y"), VALUE_IN ("dy"), IN ("gamma"),
                                                 IN ("mean"), IN ("inv_std"), IN ("sums"),
                                                 VALUE_OUT ("dx") } },
                                     .counts = { COUNT_X, COUNT_Y, COUNT_Y, COUNT_XC, COUNT_XC,
                                                 COUNT_XC, COUNT_2XC, COUNT_X } },

  [UK_OP_UPSAMPLE] = { .info = { "upsample", 2, { VALUE_IN ("x"), VALUE_OUT ("y") } },
                       .counts = { COUNT_X, COUNT_Y } },
  [UK_OP_DOWNSAMPLE] = { .info = { "downsample", 2, { VALUE_IN ("x"), VALUE_OUT ("y") } },
                         .counts = { COUNT_X, COUNT_Y } },

  [UK_OP_ADD] = { .info = { "add", 3, { VALUE_IN ("a"), VALUE_IN ("b"), VALUE_OUT ("y") } },
                  .counts = { COUNT_X, COUNT_X, COUNT_Y } },
  [UK_OP_AXPBY] = { .info = { "axpby", 5, { VALUE_IN ("a"), VALUE_IN ("c"), VALUE_IN ("u"), IN ("k"), VALUE_OUT ("y") } },
                  .counts = { COUNT_X, COUNT_N, COUNT_X, COUNT_1, COUNT_Y } },

  [UK_OP_SQUARED_NORM] = { .info = { "squared-norm", 3,
                                     { VALUE_IN ("v"), OUT ("sums"), OUT ("metrics") } },
                           .counts = { COUNT_X, COUNT_N, COUNT_1 } },
  [UK_OP_LOSS_BCE] = { .info = { "loss-bce", 3,
                                 { VALUE_IN ("logits"), VALUE_OUT ("dlogits"), OUT ("metrics") } },
                       .counts = { COUNT_N, COUNT_N, COUNT_2 } },
  [UK_OP_LOSS_PAIR_D] = { .info = { "loss-pair-d", 3,
                                    { VALUE_IN ("logits"), VALUE_OUT ("dlogits"), OUT ("metrics") } },
                          .counts = { COUNT_N, COUNT_N, COUNT_3 } },
  [UK_OP_LOSS_PAIR_G] = { .info = { "loss-pair-g", 3,
                                    { VALUE_IN ("logits"), VALUE_OUT ("dfake"), OUT ("metrics") } },
                          .counts = { COUNT_N, COUNT_HALF_N, COUNT_3 } },

  [UK_OP_GRAD_NORM] = { .info = { "grad-norm", 3, { IN ("g"), IN ("hyper"), OUT ("out") } },
                        .counts = { COUNT_N, COUNT_HYPER, COUNT_2 } },
  [UK_OP_ADAM] = { .info = { "adam", 7,
                             { INOUT ("w"), IN ("g"), OPTIONAL_INOUT ("m"), INOUT ("v"),
                               OPTIONAL_INOUT ("ema"), IN ("hyper"), IN ("norm") } },
                   .counts = { COUNT_N, COUNT_N, COUNT_N, COUNT_N,
                               COUNT_N, COUNT_HYPER, COUNT_2 } },
  [UK_OP_FILL] = { .info = { "fill", 1, { VALUE_OUT ("y") } }, .counts = { COUNT_Y } },
};

const char *
uk_status_text (UkStatus status)
{
  switch (status)
    {
    case UK_OK:
      return "success";
    case UK_BAD_SHAPE:
      return "the shapes do not fit together";
    case UK_BAD_ARGUMENT:
      return "an argument is missing or out of range";
    case UK_NO_MEMORY:
      return "there is not enough memory";
    case UK_UNSUPPORTED:
      return "this backend or processor does not support it";
    case UK_DEVICE_ERROR:
      return "the device or the library below it failed";
    case UK_BUSY:
      return "it is not done yet";
    }
  return "unknown status";
}

const char *
uk_precision_name (UkPrecision precision)
{
  static const char *const names[] = UK_PRECISION_NAMES;

  return precision <= UK_TF32 ? names[precision] : "unknown";
}

int64_t
uk_shape_count (UkShape shape)
{
  return shape.n * shape.h * shape.w * shape.c;
}

const UkOpInfo *
uk_op_info (UkOpKind kind)
{
  return (unsigned) kind < UK_N_OPS ? &rows[kind].info : NULL;
}

static int64_t
count_tile_bytes (const UkOpDesc *desc)
{
  int64_t per_sample = desc->y.h * desc->y.w * desc->y.c;

  return desc->y.n * (desc->bits ? (per_sample + 7) / 8 : per_sample);
}

int64_t
uk_op_arg_count (const UkOpDesc *desc, int arg)
{
  if ((unsigned) desc->kind >= UK_N_OPS || arg < 0 || arg >= rows[desc->kind].info.n_args)
    return 0;
  switch (rows[desc->kind].counts[arg])
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
      return count_tile_bytes (desc);
    case COUNT_W:
      return desc->x.c * desc->y.c * desc->kernel * desc->kernel;
    }
  return 0;
}

/* Every tap of the kernel at every place where the kernel is set down: the
 * outputs of a convolution, the inputs of a transposed one. */
static double
conv_flops (const UkOpDesc *desc)
{
  const UkShape *placed = desc->transposed ? &desc->x : &desc->y;

  return 2.0 * placed->n * placed->h * placed->w * desc->kernel * desc->kernel
         * desc->x.c * desc->y.c;
}

/* Per element of x or y, counting an exp, a log or a root as one. */
double
uk_op_flops (const UkOpDesc *desc)
{
  double x = (double) uk_shape_count (desc->x);
  double y = (double) uk_shape_count (desc->y);

  switch (desc->kind)
    {
    case UK_OP_CONV:
    case UK_OP_CONV_DGRAD:
    case UK_OP_CONV_WGRAD:
      return conv_flops (desc);
    case UK_OP_DEPTHWISE:
    case UK_OP_DEPTHWISE_WGRAD:
      return 2 * x;
    case UK_OP_DEPTHWISE_DGRAD:
      return x;
    case UK_OP_LOAD:
      return 2 * y;
    case UK_OP_NOISE:
      return 6 * y;
    case UK_OP_AUGMENT:
    case UK_OP_AUGMENT_GRAD:
    case UK_OP_FILL:
    case UK_N_OPS:
      return 0;
    case UK_OP_BIAS_ACT:
      return 2 * x;
    case UK_OP_ACT_GRAD:
      return 3 * x;
    case UK_OP_BATCH_NORM:
      return 7 * x;
    case UK_OP_BATCH_NORM_GRAD:
      return 11 * x;
    case UK_OP_BATCH_NORM_INFER:
    case UK_OP_BATCH_NORM_RECOMPUTE:
    case UK_OP_BATCH_NORM_GLOBAL:
      return 3 * x;
    case UK_OP_BATCH_NORM_LOCAL:
      return 4 * x;
    case UK_OP_BATCH_NORM_GRAD_LOCAL:
      return 6 * x;
    case UK_OP_BATCH_NORM_GRAD_GLOBAL:
      return 5 * x;
    case UK_OP_UPSAMPLE:
      return 8 * y; /* 2 x 2 taps reach each output */
    case UK_OP_DOWNSAMPLE:
      return 32 * y; /* 4 x 4 */
    case UK_OP_ADD:
      return x;
    case UK_OP_AXPBY:
      return 3 * x;
    case UK_OP_SQUARED_NORM:
      return 2 * x;
    case UK_OP_LOSS_BCE:
    case UK_OP_LOSS_PAIR_D:
    case UK_OP_LOSS_PAIR_G:
      return 6.0 * desc->x.n;
    case UK_OP_GRAD_NORM:
      return 2.0 * desc->x.n;
    case UK_OP_ADAM:
      return 12.0 * desc->x.n;
    }
  return 0;
}

/* An optional argument counts only where the description tells that it is
 * there: what activation gradients read and write. */
static bool
is_moved (const UkOpDesc *desc, int arg)
{
  const UkArgInfo *info = &rows[desc->kind].info.args[arg];

  if (!info->optional)
    return true;
  return desc->kind == UK_OP_ACT_GRAD && desc->act != UK_ACT_NONE && (arg == 0 || arg == 4);
}

size_t
uk_type_size (const UkBackend *backend, UkArgType type)
{
  switch (type)
    {
    case UK_REAL:
      return backend->table->element_size;
    case UK_VALUE:
      return backend->value_size;
    case UK_U8:
      return 1;
    case UK_U64:
      return 8;
    }
  return 0;
}

double
uk_op_bytes (const UkOpDesc *desc, const UkBackend *backend)
{
  double n_bytes = 0;

  if ((unsigned) desc->kind >= UK_N_OPS)
    return 0;
  for (int arg = 0; arg < rows[desc->kind].info.n_args; arg++)
    {
      const UkArgInfo *info = &rows[desc->kind].info.args[arg];
      size_t size = uk_type_size (backend, info->type);
      int times = info->role == UK_INOUT ? 2 : 1; /* read and written */

      if (is_moved (desc, arg))
        n_bytes += (double) uk_op_arg_count (desc, arg) * size * times;
    }
  return n_bytes;
}
