/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-cases.c - see test-cases.h.
 *
 * The shapes are chosen to reach every branch of a fast kernel: one, three and an odd number of channels, more
 * channels than a row of vectors (513 and up), few and many pixels, and enough elements for several threads
 * and for more than one flush of partial sums.
 */
#include "test-cases.h"
#include "test-kernels-util.h"

#include <math.h>

static const UkShape any_shapes[] = {
  { 1, 1, 1, 1 },   { 2, 1, 1, 3 },   { 5, 2, 2, 17 },  { 1, 4, 4, 16 },    { 2, 7, 7, 3 },
  { 1, 8, 8, 64 },  { 5, 1, 1, 128 }, { 2, 16, 16, 1 }, { 3, 4, 4, 520 },   { 2, 64, 64, 3 },
  { 5, 32, 32, 16 }, { 3, 90, 91, 1 }, { 1, 128, 128, 16 }, { 2, 530, 530, 1 },
};

/* Batch statistics need several values: with two, the gradient is only rounding error. */
static const UkShape norm_shapes[] = {
  { 8, 1, 1, 1 },  { 2, 2, 2, 3 },   { 5, 2, 2, 17 },  { 1, 4, 4, 16 },    { 2, 7, 7, 3 },
  { 1, 8, 8, 64 }, { 3, 4, 4, 520 }, { 2, 64, 64, 3 }, { 5, 32, 32, 16 }, { 1, 128, 128, 16 },
  { 8, 3, 3, 65 },
};

static const UkShape depthwise_shapes[] = {
  { 1, 1, 1, 1 }, { 2, 4, 4, 3 }, { 5, 4, 4, 64 }, { 3, 2, 4, 520 }, { 16, 4, 4, 128 },
  { 1, 7, 7, 17 }, { 70, 2, 2, 24 },
};

/* The coarse side. */
static const UkShape coarse_shapes[] = {
  { 1, 1, 1, 1 }, { 2, 1, 2, 3 },   { 1, 4, 4, 16 },  { 5, 7, 4, 17 },
  { 2, 8, 8, 64 }, { 2, 16, 16, 32 }, { 1, 32, 32, 3 }, { 1, 2, 2, 520 }, { 1, 32, 32, 1 },
  { 1, 37, 61, 64 },
};

static const UkShape square_shapes[] = {
  { 1, 1, 1, 1 },   { 2, 2, 2, 3 },   { 5, 7, 7, 1 },   { 16, 8, 8, 3 },
  { 4, 16, 16, 17 }, { 8, 32, 32, 3 }, { 9, 64, 64, 1 },
};

static const UkShape noise_shapes[] = {
  { 1, 1, 1, 1 }, { 5, 1, 1, 6 }, { 3, 1, 1, 256 }, { 2, 8, 8, 17 }, { 64, 1, 1, 512 },
};

static const int64_t vector_sizes[] = { 1, 3, 16, 17, 1000, 16384, 100003, 300001 };

typedef struct
{
  UkShape x;
  int64_t c_out;
  int     kernel, stride, pad;
  bool    transposed;
} ConvShape;

static const ConvShape conv_shapes[] = {
  { { 2, 4, 4, 16 }, 32, 1, 1, 0, false },   { { 1, 7, 7, 17 }, 3, 1, 1, 0, false },
  { { 5, 8, 8, 64 }, 32, 1, 1, 0, false },   { { 1, 8, 8, 3 }, 16, 3, 1, 1, false },
  { { 2, 16, 16, 16 }, 16, 3, 1, 1, false }, { { 2, 7, 7, 17 }, 17, 3, 1, 1, false },
  { { 1, 8, 8, 64 }, 64, 3, 1, 1, false },   { { 1, 4, 4, 128 }, 128, 3, 1, 1, false },
  { { 1, 16, 16, 32 }, 3, 3, 1, 1, false },  { { 1, 16, 16, 32 }, 1, 3, 1, 1, false },
  { { 2, 8, 8, 1 }, 16, 3, 1, 1, false },    { { 1, 5, 7, 16 }, 32, 3, 1, 1, false },
  { { 1, 8, 8, 16 }, 32, 3, 1, 0, false },   { { 2, 8, 8, 16 }, 32, 3, 2, 1, false },
  { { 1, 2, 2, 32 }, 32, 3, 1, 1, false },   { { 1, 1, 1, 16 }, 16, 3, 1, 1, false },
  { { 2, 8, 8, 3 }, 64, 4, 2, 1, false },    { { 2, 16, 16, 1 }, 32, 4, 2, 1, false },
  { { 1, 8, 8, 32 }, 64, 4, 2, 1, false },   { { 5, 4, 4, 64 }, 128, 4, 2, 1, false },
  { { 1, 7, 7, 17 }, 16, 4, 2, 1, false },   { { 2, 32, 32, 3 }, 32, 4, 2, 1, false },
  { { 1, 9, 6, 3 }, 3, 4, 2, 1, false },     { { 1, 6, 6, 1 }, 1, 3, 1, 1, false },
  { { 2, 32, 32, 32 }, 32, 3, 1, 1, false }, { { 2, 64, 64, 8 }, 3, 3, 1, 1, false },
  { { 2, 64, 64, 3 }, 8, 4, 2, 1, false },   { { 3, 33, 31, 16 }, 3, 3, 1, 1, false },
  /* few channels on one side, and widths that do not fill a row of vectors */
  { { 2, 9, 11, 2 }, 20, 3, 1, 1, false },   { { 1, 12, 10, 4 }, 33, 4, 2, 1, false },
  { { 2, 6, 9, 33 }, 4, 3, 1, 1, false },    { { 1, 6, 9, 20 }, 2, 5, 1, 2, false },
  { { 2, 8, 8, 4 }, 64, 1, 1, 0, false },    { { 1, 10, 10, 3 }, 64, 7, 1, 3, false },
  { { 1, 64, 64, 16 }, 1, 3, 1, 1, false },  { { 2, 40, 48, 3 }, 64, 3, 1, 1, false },
  { { 1, 6, 9, 33 }, 4, 4, 2, 1, true },     { { 2, 5, 4, 20 }, 2, 3, 2, 1, true },
  { { 1, 9, 5, 3 }, 32, 4, 2, 1, true },     { { 3, 6, 7, 64 }, 3, 3, 1, 1, true },
  /* the same beside a multiple of 32 channels, and sizes that do not fill a tile */
  { { 2, 18, 78, 3 }, 64, 4, 2, 1, false },  { { 1, 20, 70, 4 }, 32, 4, 2, 1, false },
  { { 2, 19, 37, 32 }, 3, 3, 1, 1, false },  { { 1, 9, 35, 3 }, 96, 3, 1, 1, false },
  { { 1, 17, 33, 64 }, 2, 3, 1, 1, true },   { { 1, 9, 40, 96 }, 1, 4, 2, 1, true },
  { { 1, 4, 33, 2 }, 32, 3, 1, 1, true },    { { 180, 1, 33, 1 }, 96, 3, 1, 1, false },
  /* 32 and 64 channels, likewise */
  { { 1, 17, 37, 32 }, 32, 3, 1, 1, false }, { { 1, 9, 48, 64 }, 32, 3, 1, 1, false },
  { { 1, 6, 33, 32 }, 64, 3, 1, 1, true },   { { 2, 10, 35, 32 }, 32, 3, 1, 1, true },
  { { 1, 8, 32, 32 }, 64, 3, 1, 1, false },  { { 265, 1, 33, 32 }, 32, 3, 1, 1, false },
  /* many weights for few pixels */
  { { 1, 4, 4, 512 }, 512, 4, 2, 1, false }, { { 1, 2, 2, 512 }, 512, 4, 2, 1, true },
  { { 3, 5, 4, 256 }, 256, 4, 2, 1, false },
  /* Winograd: tiles that overhang, channels that do not fill a panel, other paddings, and both ways to split
   * the work, which need many tiles or channels */
  { { 2, 16, 22, 32 }, 48, 4, 2, 1, false }, { { 1, 17, 23, 17 }, 37, 4, 2, 1, false },
  { { 1, 20, 20, 16 }, 18, 4, 2, 0, false }, { { 1, 22, 20, 24 }, 16, 4, 2, 2, false },
  { { 2, 8, 11, 32 }, 16, 4, 2, 1, true },    { { 1, 12, 10, 19 }, 35, 4, 2, 1, true },
  { { 1, 17, 23, 41 }, 37, 4, 2, 1, false }, { { 1, 12, 10, 39 }, 35, 4, 2, 1, true },
  { { 1, 9, 12, 16 }, 40, 4, 2, 0, true },   { { 2, 40, 40, 40 }, 64, 4, 2, 1, false },
  { { 1, 62, 66, 64 }, 32, 4, 2, 1, false }, { { 2, 32, 33, 36 }, 32, 3, 1, 1, false },
  { { 2, 9, 8, 20 }, 33, 3, 1, 0, false },   { { 1, 10, 11, 16 }, 17, 3, 1, 2, false },
  { { 2, 9, 8, 40 }, 33, 3, 1, 1, true },    { { 1, 4, 4, 520 }, 512, 3, 1, 1, false },
  { { 1, 10, 10, 260 }, 257, 4, 2, 1, false }, { { 1, 5, 5, 257 }, 260, 4, 2, 1, true },
  /* fully connected */
  { { 2, 4, 4, 64 }, 1, 4, 1, 0, false },    { { 5, 4, 4, 32 }, 17, 4, 1, 0, false },
  { { 2, 1, 1, 128 }, 64, 1, 1, 0, false },  { { 5, 1, 1, 64 }, 512, 1, 1, 0, false },
  { { 2, 1, 1, 64 }, 32, 4, 1, 0, true },    { { 5, 1, 1, 17 }, 16, 4, 1, 0, true },
  { { 1, 1, 1, 128 }, 64, 4, 1, 0, true },   { { 5, 1, 1, 64 }, 32, 1, 1, 0, true },
  /* transposed */
  { { 2, 4, 4, 64 }, 32, 4, 2, 1, true },    { { 1, 8, 8, 32 }, 16, 4, 2, 1, true },
  { { 2, 16, 16, 32 }, 3, 4, 2, 1, true },   { { 1, 16, 16, 16 }, 1, 4, 2, 1, true },
  { { 1, 7, 7, 17 }, 16, 4, 2, 1, true },    { { 1, 4, 4, 16 }, 16, 3, 1, 1, true },
  { { 2, 4, 4, 16 }, 17, 1, 1, 0, true },    { { 1, 4, 4, 8 }, 8, 3, 2, 1, true },
  { { 2, 4, 4, 16 }, 16, 4, 1, 1, true },    { { 1, 5, 3, 3 }, 3, 4, 2, 1, true },
  { { 2, 32, 32, 16 }, 3, 4, 2, 1, true },
};

/* ------------------------------------------------------------------------ */
/* The cases of a kind                                                       */

static TestCase
case_of (UkOpKind kind, UkShape x, UkShape y)
{
  return (TestCase) {
    .desc = { .kind = kind, .x = x, .y = y, .slope = 0.2f, .scale = 1, .eps = 1e-3f,
              .momentum = 0.1f, .stream = 3 },
    .in_place_out = -1,
    .in_place_in = -1,
  };
}

/* For large shapes one mode per activation is enough. */
static bool
is_spared (UkShape shape, int act, int mode, int n_modes)
{
  return uk_shape_count (shape) > 30000 && act % n_modes != mode;
}

static void
add_elementwise (GArray *cases, UkOpKind kind)
{
  for (gsize i = 0; i < G_N_ELEMENTS (any_shapes); i++)
    for (int place = 0; place < 3; place++)
      {
        TestCase test = case_of (kind, any_shapes[i], any_shapes[i]);

        test.desc.scale = 0.375f;
        if (place > 0 && (kind == UK_OP_ADD || kind == UK_OP_AXPBY))
          {
            test.in_place_out = kind == UK_OP_ADD ? 2 : 4;
            test.in_place_in = place == 1 ? 0 : kind == UK_OP_ADD ? 1 : 2;
          }
        else if (place > 0)
          continue;
        g_array_append_val (cases, test);
      }
}

static void
add_bias_act (GArray *cases)
{
  for (gsize i = 0; i < G_N_ELEMENTS (any_shapes); i++)
    for (int act = UK_ACT_NONE; act <= UK_ACT_SOFTMAX; act++)
      for (int mode = 0; mode < 4; mode++)
        {
          TestCase test = case_of (UK_OP_BIAS_ACT, any_shapes[i], any_shapes[i]);

          test.desc.act = act;
          test.absent = mode & 1 ? 1u << 1 : 0;
          test.in_place_out = mode & 2 ? 2 : -1;
          test.in_place_in = mode & 2 ? 0 : -1;
          if (is_spared (any_shapes[i], act, mode, 4))
            continue;
          g_array_append_val (cases, test);
        }
}

enum { ACT_GRAD_Y = 0, ACT_GRAD_SCALE = 2, ACT_GRAD_DB = 3, ACT_GRAD_DX = 4 };

static void
add_act_grad (GArray *cases)
{
  /* What is NULL, whether db accumulates, whether dx = dy; the last two only without activation. */
  static const struct
  {
    guint absent;
    bool  accumulate, in_place;
  } modes[] = {
    { 1u << ACT_GRAD_DB | 1u << ACT_GRAD_SCALE, false, false },
    { 1u << ACT_GRAD_SCALE, false, true },
    { 0, true, false },
    { 0, false, true },
    { 1u << ACT_GRAD_Y | 1u << ACT_GRAD_DX, false, false },
    { 1u << ACT_GRAD_Y | 1u << ACT_GRAD_SCALE, true, false },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (any_shapes); i++)
    for (int act = UK_ACT_NONE; act <= UK_ACT_SOFTMAX; act++)
      for (int m = 0; m < (act == UK_ACT_NONE ? 6 : 4); m++)
        {
          TestCase test = case_of (UK_OP_ACT_GRAD, any_shapes[i], any_shapes[i]);

          test.desc.act = act;
          test.desc.accumulate = modes[m].accumulate;
          test.absent = modes[m].absent;
          test.in_place_out = modes[m].in_place ? ACT_GRAD_DX : -1;
          test.in_place_in = modes[m].in_place ? 1 : -1;
          if (m < 4 && is_spared (any_shapes[i], act, m, 4))
            continue;
          g_array_append_val (cases, test);
        }
}

static bool
is_norm_forward (UkOpKind kind)
{
  return kind == UK_OP_BATCH_NORM || kind == UK_OP_BATCH_NORM_GLOBAL;
}

/* The second mode omits optional arguments, accumulates, or runs in place; one to three ranks. */
static void
add_batch_norm (GArray *cases, UkOpKind kind)
{
  for (gsize i = 0; i < G_N_ELEMENTS (norm_shapes); i++)
    for (int act = UK_ACT_NONE; act < UK_ACT_SOFTMAX; act++)
      for (int mode = 0; mode < 2; mode++)
        {
          TestCase test = case_of (kind, norm_shapes[i], norm_shapes[i]);

          test.desc.act = act;
          test.desc.batch = norm_shapes[i].n * (1 + (act + mode) % 3);
          if (is_spared (norm_shapes[i], act, mode, 2))
            continue;
          if (mode == 1 && is_norm_forward (kind))
            for (int arg = 0; arg < uk_op_info (kind)->n_args; arg++)
              test.absent |= uk_op_info (kind)->args[arg].optional ? 1u << arg : 0;
          if (kind == UK_OP_BATCH_NORM_GRAD_LOCAL && act == UK_ACT_RELU)
            test.absent = 1u << 7 | 1u << 8; /* without parameter gradients */
          if (kind == UK_OP_BATCH_NORM_GRAD || kind == UK_OP_BATCH_NORM_GRAD_LOCAL)
            test.desc.accumulate = mode == 1;
          if (mode == 1 && kind == UK_OP_BATCH_NORM_INFER)
            {
              test.in_place_out = 5;
              test.in_place_in = 0;
            }
          if (mode == 1 && (kind == UK_OP_BATCH_NORM_GRAD || kind == UK_OP_BATCH_NORM_GRAD_GLOBAL))
            {
              test.in_place_out = kind == UK_OP_BATCH_NORM_GRAD ? 6 : 7;
              test.in_place_in = 1;
            }
          g_array_append_val (cases, test);
        }
  if (is_norm_forward (kind))
    {
      TestCase single = case_of (kind, (UkShape) { 1, 1, 1, 5 }, (UkShape) { 1, 1, 1, 5 });

      single.desc.batch = 1;
      g_array_append_val (cases, single);
    }
}

static void
add_depthwise (GArray *cases, UkOpKind kind)
{
  for (gsize i = 0; i < G_N_ELEMENTS (depthwise_shapes); i++)
    for (int accumulate = 0; accumulate < (kind == UK_OP_DEPTHWISE_WGRAD ? 2 : 1); accumulate++)
      {
        UkShape x = depthwise_shapes[i];
        TestCase test = case_of (kind, x, (UkShape) { x.n, 1, 1, x.c });

        test.desc.accumulate = accumulate == 1;
        g_array_append_val (cases, test);
      }
}

static void
add_resample (GArray *cases, UkOpKind kind)
{
  static const float scales[] = { 1, 0.25f, 4 };

  for (gsize i = 0; i < G_N_ELEMENTS (coarse_shapes); i++)
    {
      UkShape c = coarse_shapes[i], fine = { c.n, 2 * c.h, 2 * c.w, c.c };
      TestCase test = kind == UK_OP_UPSAMPLE ? case_of (kind, c, fine) : case_of (kind, fine, c);

      test.desc.scale = scales[i % G_N_ELEMENTS (scales)];
      g_array_append_val (cases, test);
    }
}

static void
add_concat (GArray *cases)
{
  static const int64_t more[] = { 1, 3, 16 };

  for (gsize i = 0; i < G_N_ELEMENTS (any_shapes); i++)
    {
      UkShape a = any_shapes[i], y = { a.n, a.h, a.w, a.c + more[i % G_N_ELEMENTS (more)] };
      TestCase test = case_of (UK_OP_CONCAT, a, y);

      g_array_append_val (cases, test);
    }
}

/* Boxes of one pixel, of a few, and larger than the image; the level 0 keeps all. */
static void
add_shares (GArray *cases, UkOpKind kind)
{
  static const UkShape shapes[] = {
    { 1, 1, 1, 3 }, { 2, 7, 5, 1 }, { 3, 8, 8, 3 }, { 2, 33, 31, 3 }, { 5, 32, 32, 1 },
    { 17, 64, 64, 3 }, { 1, 130, 128, 3 },
  };
  static const int edges[] = { 1, 5, 11 };
  static const float levels[] = { 0.5f, 0, 0.25f };

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (edges); k++)
      {
        TestCase test = case_of (kind, shapes[i], (UkShape) { shapes[i].n, 1, 1, UK_N_SHARES });

        test.desc.kernel = edges[k];
        test.desc.target = levels[(i + k) % G_N_ELEMENTS (levels)];
        g_array_append_val (cases, test);
      }
}

/* For AUGMENT the variant is twice the probability. */
static void
add_squares (GArray *cases, UkOpKind kind)
{
  for (gsize i = 0; i < G_N_ELEMENTS (square_shapes); i++)
    for (int variant = 0; variant < 3; variant++)
      {
        TestCase test = case_of (kind, square_shapes[i], square_shapes[i]);

        test.variant = variant;
        test.desc.dihedral = variant == 1;
        test.desc.first_sample = variant == 2 ? 1000003 : 0;
        g_array_append_val (cases, test);
      }
}

/* Bytes, then bits.  Includes samples that are not square, which cannot be rotated. */
static void
add_load (GArray *cases)
{
  static const UkShape oblong_shapes[] = { { 3, 4, 6, 3 }, { 3, 5, 7, 3 }, { 2, 3, 16, 1 } };
  guint n_bytes;

  add_squares (cases, UK_OP_LOAD);
  for (gsize i = 0; i < G_N_ELEMENTS (oblong_shapes); i++)
    {
      TestCase oblong = case_of (UK_OP_LOAD, (UkShape) { 0 }, oblong_shapes[i]);

      g_array_append_val (cases, oblong);
    }
  n_bytes = cases->len;
  for (guint i = 0; i < n_bytes; i++)
    {
      TestCase test = g_array_index (cases, TestCase, i);

      test.desc.bits = true;
      g_array_append_val (cases, test);
    }
}

static void
add_noise (GArray *cases)
{
  for (gsize i = 0; i < G_N_ELEMENTS (noise_shapes); i++)
    {
      TestCase test = case_of (UK_OP_NOISE, (UkShape) { 0 }, noise_shapes[i]);

      test.desc.first_sample = (int64_t) i * 5000000000;
      g_array_append_val (cases, test);
    }
}

static void
add_losses (GArray *cases, UkOpKind kind)
{
  static const int64_t sizes[] = { 2, 4, 10, 64, 130 };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (int variant = 0; variant < 2; variant++)
      {
        TestCase test = case_of (kind, (UkShape) { sizes[i], 1, 1, 1 }, (UkShape) { 0 });

        test.desc.batch = variant == 0 ? sizes[i] : 3 * sizes[i];
        test.desc.target = variant;
        test.absent = variant == 0 ? 1u << 1 : 0; /* the scale */
        g_array_append_val (cases, test);
      }
}

/* Variants of GRAD_SQUARES and GRAD_FACTOR: no limit, a low one, a high one, NaN, infinity.
 * ADAM's bits: no m, no ema, a skipped step; without both of the first, no packed copy either. */
static void
add_vectors (GArray *cases, UkOpKind kind)
{
  for (gsize i = 0; i < G_N_ELEMENTS (vector_sizes); i++)
    for (int variant = 0; variant < (kind == UK_OP_ADAM ? 8 : 5); variant++)
      {
        TestCase test = case_of (kind, (UkShape) { vector_sizes[i], 1, 1, 1 }, (UkShape) { 0 });

        test.variant = variant;
        if (kind == UK_OP_ADAM)
          test.absent = (variant & 1 ? 1u << 2 : 0) | (variant & 2 ? 1u << 4 : 0) | (variant == 3 ? 1u << 7 : 0);
        g_array_append_val (cases, test);
      }
}

static TestCase
conv_case (UkOpKind kind, const ConvShape *shape)
{
  int64_t edges[2] = { shape->x.h, shape->x.w };

  for (int i = 0; i < 2; i++)
    edges[i] = shape->transposed
                 ? (edges[i] - 1) * shape->stride + shape->kernel - 2 * shape->pad
                 : (edges[i] + 2 * shape->pad - shape->kernel) / shape->stride + 1;

  TestCase test = case_of (kind, shape->x,
                           (UkShape) { shape->x.n, edges[0], edges[1], shape->c_out });

  test.desc.kernel = shape->kernel;
  test.desc.stride = shape->stride;
  test.desc.pad = shape->pad;
  test.desc.transposed = shape->transposed;
  return test;
}

static void
add_conv (GArray *cases, UkOpKind kind)
{
  for (gsize i = 0; i < G_N_ELEMENTS (conv_shapes); i++)
    for (int mode = 0; mode < (kind == UK_OP_CONV ? 3 : kind == UK_OP_CONV_WGRAD ? 2 : 1); mode++)
      {
        TestCase test = conv_case (kind, &conv_shapes[i]);

        if (kind == UK_OP_CONV)
          {
            test.desc.act = mode == 2 ? UK_ACT_LEAKY_RELU : (i + 3 * mode) % 6;
            test.absent = mode == 1 ? 1u << 2 : 0;
          }
        test.desc.accumulate = kind == UK_OP_CONV_WGRAD && mode == 1;
        if (test.desc.x.c * test.desc.y.c >= 512 * 512 && mode == 0 && kind != UK_OP_CONV_DGRAD)
          continue; /* once or twice is enough for this many weights */
        g_array_append_val (cases, test);
      }
}

GArray *
test_cases_new (UkOpKind kind)
{
  GArray *cases = g_array_new (FALSE, FALSE, sizeof (TestCase));

  switch (kind)
    {
    case UK_OP_LOAD:
      add_load (cases);
      break;
    case UK_OP_AUGMENT:
    case UK_OP_AUGMENT_GRAD:
      add_squares (cases, kind);
      break;
    case UK_OP_NOISE:
      add_noise (cases);
      break;
    case UK_OP_CONV:
    case UK_OP_CONV_DGRAD:
    case UK_OP_CONV_WGRAD:
      add_conv (cases, kind);
      break;
    case UK_OP_DEPTHWISE:
    case UK_OP_DEPTHWISE_DGRAD:
    case UK_OP_DEPTHWISE_WGRAD:
      add_depthwise (cases, kind);
      break;
    case UK_OP_BIAS_ACT:
      add_bias_act (cases);
      break;
    case UK_OP_ACT_GRAD:
      add_act_grad (cases);
      break;
    case UK_OP_BATCH_NORM:
    case UK_OP_BATCH_NORM_GRAD:
    case UK_OP_BATCH_NORM_INFER:
    case UK_OP_BATCH_NORM_RECOMPUTE:
    case UK_OP_BATCH_NORM_LOCAL:
    case UK_OP_BATCH_NORM_GLOBAL:
    case UK_OP_BATCH_NORM_GRAD_LOCAL:
    case UK_OP_BATCH_NORM_GRAD_GLOBAL:
      add_batch_norm (cases, kind);
      break;
    case UK_OP_UPSAMPLE:
    case UK_OP_DOWNSAMPLE:
      add_resample (cases, kind);
      break;
    case UK_OP_ADD:
    case UK_OP_AXPBY:
    case UK_OP_SQUARED_NORM:
    case UK_OP_FILL:
      add_elementwise (cases, kind);
      break;
    case UK_OP_LOSS_BCE:
    case UK_OP_LOSS_PAIR_D:
    case UK_OP_LOSS_PAIR_G:
      add_losses (cases, kind);
      break;
    case UK_OP_GRAD_SQUARES:
    case UK_OP_GRAD_FACTOR:
    case UK_OP_ADAM:
      add_vectors (cases, kind);
      break;
    case UK_OP_CONCAT:
      add_concat (cases);
      break;
    case UK_OP_SHARES:
    case UK_OP_SHARES_GRAD:
      add_shares (cases, kind);
      break;
    case UK_N_OPS:
      break;
    }
  return cases;
}

/* ------------------------------------------------------------------------ */
/* Inputs                                                                    */

bool
test_case_adds_to (const TestCase *test, int arg)
{
  const char *name = uk_op_info (test->desc.kind)->args[arg].name;

  return test->desc.accumulate
         && (g_str_equal (name, "dw") || g_str_equal (name, "db")
             || g_str_equal (name, "dgamma") || g_str_equal (name, "dbeta"));
}

static int
find_arg (const TestCase *test, const char *name)
{
  const UkOpInfo *info = uk_op_info (test->desc.kind);

  for (int arg = 0; arg < info->n_args; arg++)
    if (g_str_equal (info->args[arg].name, name))
      return arg;
  return -1;
}

static void
to_floats (double *x, int64_t count)
{
  for (int64_t i = 0; i < count; i++)
    x[i] = (float) x[i];
}

/* Makes y a valid output of the activation. */
static void
make_outputs (const TestCase *test, double *y, GRand *rand)
{
  UkOpDesc act = test->desc;
  int64_t count = uk_shape_count (act.x);
  g_autofree double *x = test_random_array (rand, count);

  act.kind = UK_OP_BIAS_ACT;
  for (int64_t i = 0; i < count; i++)
    x[i] *= 3;
  test_reference (&act, (void *[]) { x, NULL, y });
  to_floats (y, count);
}

/* Gives channels means far from 0, as in the middle of a network. */
static void
offset_channels (const TestCase *test, double *x)
{
  for (int64_t i = 0; i < uk_shape_count (test->desc.x); i++)
    x[i] = (float) (x[i] + (double) (i % test->desc.x.c % 3) * 4);
}

/* mean and inv_std as computed by a forward pass. */
static void
make_norm_inputs (const TestCase *test, void *args[])
{
  int64_t c = test->desc.x.c, n_values = uk_shape_count (test->desc.x) / c;
  int sums = find_arg (test, "sums");
  double *mean = args[find_arg (test, "mean")], *inv_std = args[find_arg (test, "inv_std")];
  UkOpDesc forward = test->desc;
  g_autofree double *y = g_new (double, uk_shape_count (test->desc.y));

  offset_channels (test, args[0]);
  forward.kind = UK_OP_BATCH_NORM;
  test_reference (&forward, (void *[]) { args[0], args[find_arg (test, "gamma")], args[find_arg (test, "beta")],
                                         NULL, NULL, y, mean, inv_std });
  to_floats (mean, c);
  to_floats (inv_std, c);
  /* Large enough to matter after the division by the number of values. */
  for (int64_t i = 0; test->desc.kind == UK_OP_BATCH_NORM_GRAD_GLOBAL && i < 2 * c; i++)
    ((double *) args[sums])[i] *= (double) n_values;
}

/* Means far from 0, positive variances. */
static void
make_statistics (const TestCase *test, double *statistics)
{
  int64_t c = test->desc.x.c;

  for (int64_t i = 0; i < uk_op_arg_count (&test->desc, find_arg (test, "statistics")); i++)
    statistics[i] = i / c % 2 == 0 ? (float) (statistics[i] + (double) (i % c % 3) * 4)
                                   : fabs (statistics[i]);
}

static void
make_hyper (const TestCase *test, double *hyper)
{
  static const double values[UK_N_HYPER] = {
    [UK_HYPER_LR] = 1e-3,          [UK_HYPER_BETA1] = 0.5,   [UK_HYPER_BETA2] = 0.99,
    [UK_HYPER_EPS] = 1e-8,         [UK_HYPER_EMA_BETA] = 0.999, [UK_HYPER_CORRECTION1] = 0.75,
    [UK_HYPER_CORRECTION2] = 0.125, [UK_HYPER_LOSS_SCALE] = 256,
  };

  memcpy (hyper, values, sizeof values);
  if (test->desc.kind == UK_OP_ADAM && (test->variant & 3) != 0)
    hyper[UK_HYPER_WEIGHT_DECAY] = 40;
  if (test->desc.kind == UK_OP_ADAM && (test->variant & 1))
    {
      hyper[UK_HYPER_BETA1] = 0;
      hyper[UK_HYPER_CORRECTION1] = 1;
    }
  if (test->desc.kind == UK_OP_GRAD_FACTOR)
    hyper[UK_HYPER_CLIP_NORM] = test->variant == 1 ? 0.125 : test->variant == 2 ? 1e6 : 0;
  to_floats (hyper, UK_N_HYPER);
}

/* Inputs for which random values in [-1, 1) are unsuitable. */
static void
make_special_inputs (const TestCase *test, void *args[], GRand *rand)
{
  int64_t n = test->desc.x.n;
  double *g = args[find_arg (test, "g") >= 0 ? find_arg (test, "g") : 0];

  switch (test->desc.kind)
    {
    case UK_OP_ACT_GRAD:
      if (args[ACT_GRAD_Y] != NULL)
        make_outputs (test, args[ACT_GRAD_Y], rand);
      break;
    case UK_OP_BATCH_NORM:
    case UK_OP_BATCH_NORM_INFER:
    case UK_OP_BATCH_NORM_RECOMPUTE:
    case UK_OP_BATCH_NORM_LOCAL:
      offset_channels (test, args[0]);
      break;
    case UK_OP_BATCH_NORM_GLOBAL:
      offset_channels (test, args[0]);
      make_statistics (test, args[1]);
      break;
    case UK_OP_BATCH_NORM_GRAD:
    case UK_OP_BATCH_NORM_GRAD_LOCAL:
    case UK_OP_BATCH_NORM_GRAD_GLOBAL:
      make_norm_inputs (test, args);
      break;
    case UK_OP_AUGMENT:
    case UK_OP_AUGMENT_GRAD:
      *(double *) args[2] = test->variant / 2.0;
      break;
    case UK_OP_GRAD_SQUARES:
      if (test->variant >= 3)
        g[n / 2] = test->variant == 3 ? NAN : -INFINITY;
      break;
    case UK_OP_GRAD_FACTOR:
      make_hyper (test, args[1]);
      for (int64_t i = 0; i < n; i++)
        ((double *) args[0])[i] = fabs (((double *) args[0])[i]);
      if (test->variant >= 3)
        ((double *) args[0])[n / 2] = test->variant == 3 ? NAN : INFINITY;
      break;
    case UK_OP_ADAM:
      make_hyper (test, args[5]);
      ((double *) args[6])[0] = 2;
      ((double *) args[6])[1] = test->variant & 4 ? 0 : 0.5;
      if (test->variant & 4)
        g[n / 2] = NAN;
      break;
    case UK_OP_LOSS_BCE:
    case UK_OP_LOSS_PAIR_D:
    case UK_OP_LOSS_PAIR_G:
      for (int64_t i = 0; i < n; i++)
        g[i] *= 16;
      if (args[1] != NULL)
        *(double *) args[1] = 32;
      break;
    case UK_OP_FILL:
      *g = 0.5; /* so that the product is exact */
      break;
    default:
      break;
    }
}

/* Second moments and variances. */
static void
make_positive (const TestCase *test, void *args[])
{
  static const char *const names[] = { "v", "var", "running_var", "inv_std" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      int arg = find_arg (test, names[i]);
      double *x = arg >= 0 ? args[arg] : NULL;

      if (x == NULL || test->desc.kind == UK_OP_SQUARED_NORM)
        continue;
      for (int64_t k = 0; k < uk_op_arg_count (&test->desc, arg); k++)
        x[k] = fabs (x[k]);
    }
}

void
test_case_inputs (const TestCase *test, guint32 seed, void *args[UK_MAX_ARGS])
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  const UkOpInfo *info = uk_op_info (test->desc.kind);

  for (int arg = 0; arg < UK_MAX_ARGS; arg++)
    {
      int64_t count = uk_op_arg_count (&test->desc, arg);
      bool is_number;
      uint8_t *bytes;

      args[arg] = NULL;
      if (arg >= info->n_args || (test->absent & 1u << arg))
        continue;
      is_number = info->args[arg].type == UK_REAL || info->args[arg].type == UK_VALUE;
      if (is_number && info->args[arg].role == UK_OUT
          && !test_case_adds_to (test, arg))
        {
          args[arg] = test_nan_array (count);
          continue;
        }
      if (is_number)
        {
          args[arg] = test_random_array (rand, count);
          continue;
        }
      count *= info->args[arg].type == UK_U64 ? 8 : 1;
      bytes = args[arg] = g_malloc ((gsize) count);
      for (int64_t i = 0; i < count; i++)
        bytes[i] = (uint8_t) g_rand_int (rand);
    }
  make_positive (test, args);
  make_special_inputs (test, args, rand);
}

void
test_case_free_inputs (void *args[UK_MAX_ARGS])
{
  for (int arg = 0; arg < UK_MAX_ARGS; arg++)
    g_clear_pointer (&args[arg], g_free);
}
