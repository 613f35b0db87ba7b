/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-backends.c - compares a backend, named on the command line, with the reference: every operation on
 * every case of test-cases.c.
 *
 * The device's memory is deliberately hostile: each argument lies between guards that must not change,
 * outputs and working memory start as NaN, inputs must not change, and a second round shifts every argument
 * by one element, so that only element alignment holds, and uses another number of threads.  The same run
 * twice must be bit-identical.  For convolutions, whose code path depends on which arguments are aligned, a
 * third round shifts a single argument.
 *
 * `cpu-baseline` and `cpu-avx2` are the cpu backend with the loops of that instruction set, which it would
 * not choose on a better processor.  `cuda` is skipped without a GPU, except in the program linked with an
 * emulated one.
 */
#include "test-cases.h"
#include "test-kernels-util.h"

#include "kernels/cpu/cpu-private.h"
#include "kernels/uk-half.h"

#include <math.h>

enum
{
  GUARD_BYTES = 256,
  ALIGN = 64,
  N_THREADS = 2,
  N_OTHER_THREADS = 3
};

static const guint8 GUARD = 0xa5;

/* ------------------------------------------------------------------------ */
/* Devices                                                                   */

static const char *device_name;
static UkPrecision device_precision;

typedef struct
{
  const UkBackendTable *uk;
  UkBackend            *backend; /* owned */
  char                  how[256]; /* the last operation was run */
} Device;

/* Forces the loops of one instruction set; false if the processor lacks it. */
static bool
force_isa (UkBackend *backend, const char *isa)
{
  UkCpuBackend *cpu = (UkCpuBackend *) backend;

  if (g_str_equal (isa, "baseline"))
    cpu->isa = &uk_cpu_isa_baseline;
#ifdef UK_CPU_X86
  else if (g_str_equal (isa, "avx2") && uk_cpu_isa () != &uk_cpu_isa_baseline)
    cpu->isa = &uk_cpu_isa_avx2;
#endif
  else
    return false;
  return true;
}

/* oneDNN 2.6 reads one element past the end of a vector of its own while it generates AMX code (bf16 forward,
 * 1x2x2x32, 3x3).  The results are correct, but AddressSanitizer may have nothing mapped there. */
static bool
is_unsafe_here (void)
{
#if defined(__SANITIZE_ADDRESS__)
  UkCpuInfo info;

  uk_cpu_info (&info);
  return g_str_has_prefix (device_name, "cpu") && device_precision == UK_BF16
         && g_str_has_prefix (info.library, "oneDNN 2.");
#else
  return false;
#endif
}

/* Skips the test, and frees the device. */
static Device *
skip (Device *device, const char *why)
{
  g_test_skip (why);
  g_free (device);
  return NULL;
}

/* NULL, with the test skipped, if the device is unavailable, or the same as another one under test. */
static Device *
device_open (int n_threads)
{
  const char *isa = g_str_has_prefix (device_name, "cpu-") ? device_name + 4 : NULL;
  const UkBackendConfig config = { .n_threads = n_threads, .precision = device_precision };
  Device *device = g_new0 (Device, 1);
  UkStatus status;

  if (is_unsafe_here ())
    return skip (device, "this oneDNN's bf16 code and an address sanitizer do not go together");
  device->uk = uk_backend_find (isa != NULL ? "cpu" : device_name);
  if (device->uk == NULL && g_str_equal (device_name, "cuda"))
    return skip (device, "this build is without CUDA");
  g_assert_nonnull (device->uk);
  status = device->uk->open (&config, &device->backend);
  if (status == UK_OK && isa != NULL && !force_isa (device->backend, isa))
    {
      device->uk->close (device->backend);
      status = UK_UNSUPPORTED;
    }
  if (status == UK_UNSUPPORTED)
    return skip (device, "this machine does not have it");
  g_assert_cmpint (status, ==, UK_OK);
  if (isa != NULL && ((UkCpuBackend *) device->backend)->isa == uk_cpu_isa ())
    {
      device->uk->close (device->backend);
      return skip (device, "these loops are those that cpu has chosen, and is tested with");
    }
  return device;
}

static void
device_free (Device *device)
{
  device->uk->close (device->backend);
  g_free (device);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Device, device_free)

/* ------------------------------------------------------------------------ */
/* Guarded device memory                                                     */

typedef struct
{
  Device *device;
  char   *memory;  /* on the device */
  gsize   n_total; /* with both guards */
  gsize   start;   /* of the data, from the start of the memory */
  gsize   n_bytes; /* of the data */
} Buffer;

/* @shift moves the data off its alignment; @bytes are its contents. */
static void
buffer_init (Buffer *self, Device *device, const void *bytes, gsize n_bytes, gsize shift)
{
  g_autofree char *image = NULL;

  self->device = device;
  self->start = GUARD_BYTES + shift;
  self->n_bytes = n_bytes;
  self->n_total = self->start + n_bytes + GUARD_BYTES;
  self->memory = device->uk->alloc (device->backend, self->n_total);
  g_assert_nonnull (self->memory);
  g_assert_cmpuint ((uintptr_t) self->memory % ALIGN, ==, 0);
  image = g_malloc (self->n_total);
  memset (image, GUARD, self->n_total);
  memcpy (image + self->start, bytes, n_bytes);
  g_assert_cmpint (device->uk->write (device->backend, self->memory, image, self->n_total), ==,
                   UK_OK);
}

static void
buffer_init_nan (Buffer *self, Device *device, gsize n_bytes)
{
  g_autofree char *ones = g_malloc (n_bytes);

  memset (ones, 0xff, n_bytes);
  buffer_init (self, device, ones, n_bytes, 0);
}

static void *
buffer_data (const Buffer *self)
{
  return self->memory != NULL ? self->memory + self->start : NULL;
}

/* Checks guard bytes [@from, @to) of @image. */
static void
check_guard (const Buffer *self, const char *image, gsize from, gsize to, const char *what)
{
  for (gsize i = from; i < to; i++)
    if ((guint8) image[i] != GUARD)
      g_error ("%s: written out of bounds, byte %" G_GSSIZE_FORMAT " of %" G_GSIZE_FORMAT, what,
               (gssize) i - (gssize) self->start, self->n_bytes);
}

/* Checks the guards, returns a copy of the data, and frees the memory. */
static char *
buffer_take (Buffer *self, const char *what)
{
  g_autofree char *image = g_malloc (self->n_total);
  const UkBackendTable *uk = self->device->uk;

  g_assert_cmpint (uk->read (self->device->backend, image, self->memory, self->n_total), ==,
                   UK_OK);
  check_guard (self, image, 0, self->start, what);
  check_guard (self, image, self->start + self->n_bytes, self->n_total, what);
  uk->free (self->device->backend, self->memory, self->n_total);
  self->memory = NULL;
  return g_memdup2 (image + self->start, self->n_bytes);
}

/* ------------------------------------------------------------------------ */
/* One case on a device                                                      */

static gsize
type_size (const Device *device, UkArgType type)
{
  return uk_type_size (device->backend, type);
}

static bool
is_number (UkArgType type)
{
  return type == UK_REAL || type == UK_VALUE;
}

/* Converts an argument to the device's type: double, float, 16 bits, or raw bytes. */
static char *
to_device_type (const Device *device, UkArgType type, const void *host, int64_t count)
{
  gsize size = type_size (device, type);
  char *bytes;

  if (!is_number (type) || size == sizeof (double))
    return g_memdup2 (host, (gsize) count * size);
  bytes = g_malloc ((gsize) count * size);
  for (int64_t i = 0; i < count; i++)
    if (size == sizeof (float))
      ((float *) bytes)[i] = (float) ((const double *) host)[i];
    else
      ((uint16_t *) bytes)[i] = uk_to_half (device->backend->value_type, (float) ((const double *) host)[i]);
  return bytes;
}

static double
get_number (const Device *device, UkArgType type, const void *bytes, int64_t i)
{
  switch (type_size (device, type))
    {
    case sizeof (double):
      return ((const double *) bytes)[i];
    case sizeof (float):
      return ((const float *) bytes)[i];
    default:
      return uk_from_half (device->backend->value_type, ((const uint16_t *) bytes)[i]);
    }
}

/* Rounds to the 16 bits of the precision under test. */
static double
round_half (double x)
{
  UkDataType type = uk_data_type_of (device_precision);

  return uk_from_half (type, uk_to_half (type, (float) x));
}

/* Relative error of that. */
static double
half_error (void)
{
  return device_precision == UK_FP16 ? 0x1p-11 : 0x1p-8;
}

/* Rounds inputs to the device's type, so that only its computation differs from the reference. */
static void
round_inputs (const Device *device, const TestCase *test, void *const *host)
{
  const UkOpInfo *info = uk_op_info (test->desc.kind);

  for (int arg = 0; arg < info->n_args; arg++)
    if (host[arg] != NULL && info->args[arg].type == UK_VALUE
        && uk_is_half (device->backend->value_type))
      for (int64_t i = 0; i < uk_op_arg_count (&test->desc, arg); i++)
        {
          double *x = (double *) host[arg] + i;

          *x = round_half (*x);
        }
}

static char *
describe (const TestCase *test, const char *arg)
{
  const UkOpDesc *d = &test->desc;

  return g_strdup_printf (
    "%s %s: %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT
    " -> %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT
    ", kernel %d stride %d pad %d%s, act %d, absent %x, in place %d, variant %d%s%s",
    uk_op_info (d->kind)->name, arg, (gint64) d->x.n, (gint64) d->x.h, (gint64) d->x.w,
    (gint64) d->x.c, (gint64) d->y.n, (gint64) d->y.h, (gint64) d->y.w, (gint64) d->y.c,
    d->kernel, d->stride, d->pad, d->transposed ? " transposed" : "", d->act, test->absent,
    test->in_place_in, test->variant, d->accumulate ? ", accumulate" : "",
    d->bits ? ", bits" : "");
}

/* Packs the weights in @args[1], if the operation needs that. */
static void
pack_weights (Device *device, UkOp *op, void **args, Buffer *packed)
{
  if (op->packed_bytes == 0)
    return;
  buffer_init_nan (packed, device, op->packed_bytes);
  g_assert_cmpint (device->uk->pack (op, args[1], buffer_data (packed)), ==, UK_OK);
  args[1] = buffer_data (packed);
}

/* Runs @test on inputs @host, with the arguments in bit mask @shifted unaligned; @results[] receives every
 * argument afterwards. */
static void
run_on_device (Device *device, const TestCase *test, void *const *host, guint shifted,
               char *results[UK_MAX_ARGS])
{
  const UkOpInfo *info = uk_op_info (test->desc.kind);
  Buffer buffers[UK_MAX_ARGS] = { 0 }, scratch = { 0 }, packed = { 0 };
  void *args[UK_MAX_ARGS] = { NULL };
  UkOp *op = NULL;

  g_assert_cmpint (device->uk->prepare (device->backend, &test->desc, &op), ==, UK_OK);
  for (int arg = 0; arg < info->n_args; arg++)
    if (host[arg] != NULL && arg != test->in_place_out)
      {
        UkArgType type = info->args[arg].type;
        int64_t count = uk_op_arg_count (&test->desc, arg);
        g_autofree char *bytes = to_device_type (device, type, host[arg], count);
        gsize size = type_size (device, type);

        buffer_init (&buffers[arg], device, bytes, (gsize) count * size,
                     shifted & 1u << arg ? size : 0);
        args[arg] = buffer_data (&buffers[arg]);
      }
  if (test->in_place_out >= 0)
    args[test->in_place_out] = args[test->in_place_in];
  pack_weights (device, op, args, &packed);
  if (op->scratch_bytes > 0)
    buffer_init_nan (&scratch, device, op->scratch_bytes);

  g_assert_cmpint (device->uk->run (op, args, buffer_data (&scratch)), ==, UK_OK);
  g_assert_cmpint (device->uk->sync (device->backend), ==, UK_OK);
  device->how[0] = '\0';
  if (device->uk->describe != NULL)
    device->uk->describe (op, device->how, sizeof device->how);
  device->uk->release (op);

  for (int arg = 0; arg < info->n_args; arg++)
    {
      g_autofree char *what = describe (test, info->args[arg].name);

      results[arg] = buffers[arg].memory != NULL ? buffer_take (&buffers[arg], what) : NULL;
    }
  if (scratch.memory != NULL)
    g_free (buffer_take (&scratch, "scratch"));
  if (packed.memory != NULL)
    g_free (buffer_take (&packed, "packed weights"));
}

/* ------------------------------------------------------------------------ */
/* Comparison                                                                */

static bool
is_conv (UkOpKind kind)
{
  return kind == UK_OP_CONV || kind == UK_OP_CONV_DGRAD || kind == UK_OP_CONV_WGRAD;
}

/* Relative to scale_of().  A float's own precision is 6e-8. */
static double
tolerance_of (UkOpKind kind)
{
  switch (kind)
    {
    case UK_OP_BATCH_NORM:
    case UK_OP_BATCH_NORM_GRAD:
    case UK_OP_BATCH_NORM_INFER:
    case UK_OP_BATCH_NORM_RECOMPUTE:
    case UK_OP_BATCH_NORM_LOCAL:
    case UK_OP_BATCH_NORM_GLOBAL:
    case UK_OP_BATCH_NORM_GRAD_LOCAL:
    case UK_OP_BATCH_NORM_GRAD_GLOBAL:
      return 1e-5;
    case UK_OP_AUGMENT:
    case UK_OP_AUGMENT_GRAD:
    case UK_OP_FILL:
    case UK_OP_CONCAT:
      return 0;
    case UK_OP_NOISE:
      return 2e-6;
    default:
      return 1e-6;
    }
}

/* Maximum number of products per element of a convolution's output. */
static int64_t
count_products (const UkOpDesc *desc)
{
  UkShape small = desc->transposed ? desc->x : desc->y;
  int64_t taps = (int64_t) desc->kernel * desc->kernel;

  if (desc->kind == UK_OP_CONV_WGRAD)
    return small.n * small.h * small.w;
  return taps * (desc->kind == UK_OP_CONV ? desc->x.c : desc->y.c);
}

/* The tolerance is relative to the largest expected value and, for bias gradients, whose many terms of up to
 * 1 nearly cancel, also to the expected sum of that many random terms. */
static double
scale_of (const TestCase *test, const char *name, const double *expected, int64_t count)
{
  UkShape x = test->desc.x;
  double scale = 0;

  for (int64_t i = 0; i < count; i++)
    if (isfinite (expected[i]))
      scale = fmax (scale, fabs (expected[i]));
  if (g_str_equal (name, "db") || g_str_equal (name, "dgamma") || g_str_equal (name, "dbeta")
      || g_str_equal (name, "sums"))
    scale += sqrt ((double) (x.n * x.h * x.w));
  return scale;
}

static bool
is_close (double actual, double expected, double bound)
{
  if (!isfinite (expected))
    return !isfinite (actual);
  return fabs (actual - expected) <= bound; /* false for NaN */
}

/* Relative rounding error of an output stored as @type; AUGMENT moves values that are already rounded. */
static double
storage_tolerance (const Device *device, const TestCase *test, UkArgType type)
{
  bool is_moved = test->desc.kind == UK_OP_AUGMENT || test->desc.kind == UK_OP_AUGMENT_GRAD;

  if (type_size (device, type) != sizeof (uint16_t) || is_moved)
    return 0;
  return half_error ();
}

/* Absolute rounding error of an output of @type: fp16 has multiples of 2^-24 below 2^-14. */
static double
least_error (const Device *device, UkArgType type)
{
  return type == UK_VALUE && device->backend->value_type == UK_DATA_F16 ? 0x1p-25 : 0;
}

/* Bound on the error of a convolution's sums.  A bf16 factor has a relative error of up to 2^-8, so a sum of
 * n products of values in [-1, 1] has an error of about 5e-4 sqrt (n) if one factor of each product is
 * rounded, and 7e-4 sqrt (n) if both are; six times that is allowed.  tf32 factors have three more bits, but
 * may be truncated instead of rounded.  With 16-bit values, of which fp16 has three more bits than bf16, too, only the
 * weights are rounded, since values are so already, and a sum may be stored in 16 bits before its bias and activation. */
static double
sum_error (const Device *device, const TestCase *test, void *const *host)
{
  const UkOpDesc *desc = &test->desc;
  double scale = sqrt ((double) count_products (desc));
  bool has_halves = uk_is_half (device->backend->value_type);
  bool is_stored = has_halves && desc->kind == UK_OP_CONV
                   && (desc->act != UK_ACT_NONE || host[2] != NULL);

  if (has_halves && desc->kind != UK_OP_CONV_WGRAD)
    return (3e-3 * half_error () / 0x1p-8 + (is_stored ? half_error () : 0)) * scale;
  if (device_precision == UK_FP32)
    return 5e-6 * scale;
  /* Tensor cores truncate a sum after every 16 products, always towards 0, so that errors add up: 2^-23 of the
   * partial sums, which have about a third of sqrt (k) after k products of values in [-1, 1]. */
  if (has_halves)
    return (5e-6 + 0x1p-23 / (3 * 16) * (double) count_products (desc)) * scale;
  return (device_precision == UK_BF16 ? 4.5e-3 : 1.1e-3) * scale;
}

/* Largest change of a logistic function with value @p if its argument changes by up to @error. */
static double
logistic_error (double p, double error)
{
  double odds = p / (1 - p), factor = exp (error);

  if (!isfinite (odds))
    return 0;
  return fmax (fabs (p - 1 / (1 + factor / odds)), fabs (p - 1 / (1 + 1 / (odds * factor))));
}

/* Bound on the error of an activation's output @y if its inputs are off by up to @error; the activation adds
 * an error of its own. */
static double
activated_error (const UkOpDesc *desc, double y, double error)
{
  const double own = 1e-6;

  if (desc->kind != UK_OP_CONV)
    return error;
  switch (desc->act)
    {
    case UK_ACT_TANH: /* 2 sigmoid (2 x) - 1 */
    case UK_ACT_SOFTMAX: /* a channel and all others may change in opposite directions */
      return own + 2 * logistic_error ((y + 1) / 2, 2 * error);
    case UK_ACT_SIGMOID:
      return own + logistic_error (y, error);
    default:
      return error;
    }
}

/* Allowed difference between @actual and @expected of a convolution's output. */
static double
conv_bound (const UkOpDesc *desc, double sum_error, double actual, double expected)
{
  double bound = activated_error (desc, expected, sum_error);
  bool is_rounded = device_precision == UK_BF16 || device_precision == UK_FP16;

  /* Only some gradients are rounded; that is detectable unless they were accumulated. */
  if (desc->kind == UK_OP_CONV_WGRAD)
    is_rounded = is_rounded && (desc->accumulate || round_half (actual) == actual);
  if (is_rounded)
    bound += half_error () * (fabs (expected) + (desc->accumulate ? 1 : 0));
  return bound;
}

/* The largest ratio of an error to its bound among the cases of a test, which goes on beyond 1. */
static double worst_ratio;
static char *worst_case; /* owned */

static void
note_ratio (double ratio, const char *what)
{
  if (ratio <= worst_ratio)
    return;
  worst_ratio = ratio;
  g_free (worst_case);
  worst_case = g_strdup (what);
}

static void
report_worst (void)
{
  if (worst_case != NULL)
    g_test_message ("largest error: %.3g of its bound: %s", worst_ratio, worst_case);
  g_clear_pointer (&worst_case, g_free);
  worst_ratio = 0;
}

static void
compare (const Device *device, const TestCase *test, int arg, void *const *host,
         const void *results, const double *expected)
{
  const UkArgInfo *info = &uk_op_info (test->desc.kind)->args[arg];
  const char *name = info->name;
  int64_t count = uk_op_arg_count (&test->desc, arg);
  double tolerance = tolerance_of (test->desc.kind) + storage_tolerance (device, test, info->type);
  double scale = scale_of (test, name, expected, count);
  double error = is_conv (test->desc.kind) ? sum_error (device, test, host) : 0;

  double worst = 0;
  int64_t worst_at = 0;

  for (int64_t i = 0; i < count; i++)
    {
      double actual = get_number (device, info->type, results, i);
      double bound = is_conv (test->desc.kind)
                       ? conv_bound (&test->desc, error, actual, expected[i])
                       : tolerance * scale + (tolerance > 0 ? least_error (device, info->type) : 0);
      double ratio = is_close (actual, expected[i], 0)       ? 0
                     : is_close (actual, expected[i], bound) ? fabs (actual - expected[i]) / bound
                     : bound > 0 && isfinite (actual)        ? fabs (actual - expected[i]) / bound
                                                             : INFINITY;

      if (ratio > worst)
        {
          worst = ratio;
          worst_at = i;
        }
    }
  if (worst > 0)
    {
      g_autofree char *what = describe (test, name);

      note_ratio (worst, what);
      if (worst > 1)
        {
          g_test_message ("%s: element %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " is %.9g and should be %.9g, %.3g of "
                          "the bound (scale: %g) %s", what, (gint64) worst_at, (gint64) count,
                          get_number (device, info->type, results, worst_at), expected[worst_at], worst, scale,
                          device->how);
          g_test_fail ();
        }
    }
}

/* Checks that inputs are unchanged and outputs are close to the reference's. */
static void
check_results (const Device *device, const TestCase *test, void *const *host,
               void *const *expected, char *const *results)
{
  const UkOpInfo *info = uk_op_info (test->desc.kind);

  for (int arg = 0; arg < info->n_args; arg++)
    {
      int64_t count = uk_op_arg_count (&test->desc, arg);
      int from = arg == test->in_place_out ? test->in_place_in : arg;

      if (host[arg] == NULL)
        continue;
      if (info->args[arg].role != UK_IN)
        compare (device, test, arg, host, results[from], expected[arg]);
      else if (arg != test->in_place_in)
        {
          g_autofree char *before = to_device_type (device, info->args[arg].type, host[arg],
                                                    count);
          gsize n_bytes = (gsize) count * type_size (device, info->args[arg].type);

          if (memcmp (before, results[arg], n_bytes) != 0)
            {
              g_autofree char *what = describe (test, info->args[arg].name);

              g_error ("%s: an input has changed", what);
            }
        }
    }
}

static void
free_results (char *results[UK_MAX_ARGS])
{
  for (int arg = 0; arg < UK_MAX_ARGS; arg++)
    g_clear_pointer (&results[arg], g_free);
}

static void
check_same_bits (const Device *device, const TestCase *test, char *const *a, char *const *b)
{
  const UkOpInfo *info = uk_op_info (test->desc.kind);

  for (int arg = 0; arg < info->n_args; arg++)
    {
      gsize n_bytes = (gsize) uk_op_arg_count (&test->desc, arg)
                      * type_size (device, info->args[arg].type);

      if (a[arg] != NULL && memcmp (a[arg], b[arg], n_bytes) != 0)
        {
          g_autofree char *what = describe (test, info->args[arg].name);

          g_error ("%s: two runs differ", what);
        }
    }
}

/* Mask of the single argument to shift: the bias if there is one, else alternating; 0: skip the round. */
static guint
alone_shifted (const TestCase *test, void *const *host, guint32 seed)
{
  if (test->desc.kind != UK_OP_CONV)
    return 0;
  return host[2] != NULL ? 1u << 2 : 1u << (const guint[]) { 0, 1, 3 }[seed % 3];
}

static void
check_case (Device *device, Device *other, const TestCase *test, guint32 seed)
{
  void *host[UK_MAX_ARGS], *expected[UK_MAX_ARGS];
  char *first[UK_MAX_ARGS] = { NULL }, *second[UK_MAX_ARGS] = { NULL };
  char *third[UK_MAX_ARGS] = { NULL }, *fourth[UK_MAX_ARGS] = { NULL };
  guint alone;

  test_case_inputs (test, seed, host);
  test_case_inputs (test, seed, expected);
  round_inputs (device, test, host);
  round_inputs (device, test, expected);
  test_reference (&test->desc, expected);
  run_on_device (device, test, host, 0, first);
  run_on_device (device, test, host, 0, second);
  run_on_device (other, test, host, ~0u, third);
  check_results (device, test, host, expected, first);
  check_same_bits (device, test, first, second);
  check_results (other, test, host, expected, third);
  alone = alone_shifted (test, host, seed);
  if (alone != 0)
    {
      run_on_device (device, test, host, alone, fourth);
      check_results (device, test, host, expected, fourth);
    }
  free_results (first);
  free_results (second);
  free_results (third);
  free_results (fourth);
  test_case_free_inputs (host);
  test_case_free_inputs (expected);
}

/* ------------------------------------------------------------------------ */
/* The tests                                                                 */

/* Runs every n-th case only.  An emulated GPU takes long, under a sanitizer half a minute for a dozen cases,
 * and kernels for older processors differ only in their vector width. */
static guint
get_stride (void)
{
#if defined(__SANITIZE_ADDRESS__)
  static const guint emulated = 17, older = 5;
#else
  static const guint emulated = 2, older = 1;
#endif
  UkCudaInfo info;

  if (g_str_equal (device_name, "cuda") && uk_cuda_info (0, &info) == UK_OK
      && strstr (info.name, "Emulated") != NULL)
    return emulated;
  return g_str_has_prefix (device_name, "cpu-") ? older : 1;
}

static void
test_kind (gconstpointer data)
{
  UkOpKind kind = GPOINTER_TO_INT (data);
  g_autoptr (Device) device = device_open (N_THREADS);
  g_autoptr (Device) other = device != NULL ? device_open (N_OTHER_THREADS) : NULL;
  g_autoptr (GArray) cases = test_cases_new (kind);

  if (device == NULL)
    return;
  g_assert_cmpuint (cases->len, >, 0);
  for (guint i = 0; i < cases->len; i += get_stride ())
    check_case (device, other, &g_array_index (cases, TestCase, i), 1000 + i);
  report_worst ();
}

/* The weights @w as @op packs them. */
static char *
dup_packed (Device *device, UkOp *op, const float *w, gsize w_bytes)
{
  Buffer plain, packed;

  buffer_init (&plain, device, w, w_bytes, 0);
  buffer_init_nan (&packed, device, op->packed_bytes);
  g_assert_cmpint (device->uk->pack (op, buffer_data (&plain), buffer_data (&packed)), ==, UK_OK);
  g_free (buffer_take (&plain, "plain"));
  return buffer_take (&packed, "packed");
}

/* Operations on the same weights with equal keys must pack them identically: forward, its data gradient, and
 * forward on a larger batch. */
static void
test_pack_keys (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (9);
  g_autoptr (Device) device = device_open (N_THREADS);
  g_autoptr (GArray) cases = test_cases_new (UK_OP_CONV);

  for (guint i = 0; device != NULL && i < cases->len; i += get_stride ())
    {
      UkOpDesc desc = g_array_index (cases, TestCase, i).desc;
      int64_t n_w = uk_op_arg_count (&desc, 1);
      g_autofree double *numbers = test_random_array (rand, n_w);
      g_autofree float *w = (float *) to_device_type (device, UK_REAL, numbers, n_w);
      g_autofree char *first = NULL;
      UkOp *ops[3] = { NULL };

      for (int k = 0; k < 3; k++)
        {
          desc.kind = k == 1 ? UK_OP_CONV_DGRAD : UK_OP_CONV;
          desc.x.n = desc.y.n = desc.x.n + (k == 2 ? 3 : 0);
          g_assert_cmpint (device->uk->prepare (device->backend, &desc, &ops[k]), ==, UK_OK);
        }
      for (int k = 1; k < 3; k++)
        if (ops[0]->packed_bytes > 0 && ops[k]->packed_bytes > 0 && ops[k]->pack_key == ops[0]->pack_key)
          {
            g_autofree char *other = dup_packed (device, ops[k], w, n_w * sizeof *w);

            if (first == NULL)
              first = dup_packed (device, ops[0], w, n_w * sizeof *w);
            g_assert_cmpmem (other, ops[k]->packed_bytes, first, ops[0]->packed_bytes);
          }
      for (int k = 0; k < 3; k++)
        device->uk->release (ops[k]);
    }
}

/* For every kind, prepare() rejects invalid descriptions and run() missing arguments. */
static void
test_refusals (void)
{
  g_autoptr (Device) device = device_open (N_THREADS);
  static char room[1 << 16];

  for (int kind = 0; device != NULL && kind < UK_N_OPS; kind++)
    {
      g_autoptr (GArray) cases = test_cases_new (kind);
      const TestCase *test = &g_array_index (cases, TestCase, 0);
      const UkOpInfo *info = uk_op_info (kind);
      UkOpDesc nonsense = { .kind = kind, .x = { 0, -1, 1, 1 }, .y = { 1, 1, 1, 0 } };
      UkOp *op = NULL;

      g_assert_cmpint (device->uk->prepare (device->backend, &nonsense, &op), !=, UK_OK);
      g_assert_null (op);
      g_assert_cmpint (device->uk->prepare (device->backend, &test->desc, &op), ==, UK_OK);
      for (int missing = 0; missing < info->n_args; missing++)
        {
          void *args[UK_MAX_ARGS];

          for (int arg = 0; arg < info->n_args; arg++)
            args[arg] = arg == missing ? NULL : room;
          if (!info->args[missing].optional)
            g_assert_cmpint (device->uk->run (op, args, room), ==, UK_BAD_ARGUMENT);
        }
      device->uk->release (op);
    }
}

/* Allocations of the requested size, small and large, zero-filled; and transfers both ways. */
static void
test_memory (void)
{
  static const gsize sizes[] = { 1, 63, 4096, 3 << 20 };
  const float x[] = { 1, -2.5f, 3e-30f };
  g_autoptr (Device) device = device_open (N_THREADS);

  for (gsize i = 0; device != NULL && i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *back = g_malloc (sizes[i]);
      float y[3];
      void *memory = device->uk->alloc (device->backend, sizes[i]);

      g_assert_nonnull (memory);
      g_assert_cmpuint ((uintptr_t) memory % ALIGN, ==, 0);
      g_assert_cmpint (device->uk->read (device->backend, back, memory, sizes[i]), ==, UK_OK);
      for (gsize k = 0; k < sizes[i]; k++)
        g_assert_cmpint (back[k], ==, 0);
      if (sizes[i] >= sizeof x)
        {
          g_assert_cmpint (device->uk->upload (device->backend, UK_REAL, memory, x, 3), ==, UK_OK);
          g_assert_cmpint (device->uk->download (device->backend, UK_REAL, y, memory, 3), ==, UK_OK);
          g_assert_cmpmem (x, sizeof x, y, sizeof y);
        }
      device->uk->free (device->backend, memory, sizes[i]);
    }
  if (device != NULL)
    g_assert_null (device->uk->alloc (device->backend, SIZE_MAX));
  if (device != NULL && device->uk->write_async != NULL)
    {
      float y[3];
      void *memory = device->uk->alloc (device->backend, sizeof x);

      /* New memory is clear already: nothing else may come after what another stream writes. */
      g_assert_cmpint (device->uk->write_async (device->backend, memory, x, sizeof x), ==, UK_OK);
      g_assert_cmpint (device->uk->download (device->backend, UK_REAL, y, memory, 3), ==, UK_OK);
      g_assert_cmpmem (x, sizeof x, y, sizeof y);
      device->uk->free (device->backend, memory, sizeof x);
    }
  if (device != NULL && device->uk->mark != NULL)
    {
      enum { PAGE = 4096 };
      float *pinned = g_aligned_alloc0 (1, PAGE, PAGE);
      void *memory = device->uk->alloc (device->backend, sizeof x);

      /* From pinned memory and back, in order, and complete at the mark. */
      g_assert_cmpint (device->uk->pin (device->backend, pinned, PAGE), ==, UK_OK);
      memcpy (pinned, x, sizeof x);
      g_assert_cmpint (device->uk->copy (device->backend, memory, pinned, sizeof x), ==, UK_OK);
      g_assert_cmpint (device->uk->copy (device->backend, pinned + 3, memory, sizeof x), ==, UK_OK);
      g_assert_cmpint (device->uk->mark (device->backend, UK_N_MARKS - 1), ==, UK_OK);
      g_assert_cmpint (device->uk->wait_for (device->backend, UK_N_MARKS - 1), ==, UK_OK);
      g_assert_cmpmem (x, sizeof x, pinned + 3, sizeof x);
      device->uk->unpin (device->backend, pinned);
      device->uk->free (device->backend, memory, sizeof x);
      g_aligned_free (pinned);
    }
}

/* Sizes for one thread and for several, whole lines and not, and unaligned: copies exactly the requested
 * bytes. */
static void
test_copy (void)
{
  static const gsize sizes[] = { 0, 1, 63, 4096, (512 << 10) - 1, (1 << 20) + 17, 5 << 20 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (12);

  for (gsize i = 0; i < 2 * G_N_ELEMENTS (sizes); i++)
    {
      gsize n_bytes = sizes[i / 2], shift = i % 2 * 4;
      g_autoptr (Device) device = device_open (i % 3 == 0 ? N_OTHER_THREADS : N_THREADS);
      g_autofree guint8 *bytes = g_malloc (n_bytes + 1), *nothing = g_malloc0 (n_bytes + 1);
      g_autofree char *from_after = NULL, *to_after = NULL;
      Buffer from, to;

      if (device == NULL)
        return;
      for (gsize k = 0; k < n_bytes; k++)
        bytes[k] = (guint8) g_rand_int (rand);
      buffer_init (&from, device, bytes, n_bytes, 0);
      buffer_init (&to, device, nothing, n_bytes, shift);
      g_assert_cmpint (device->uk->copy (device->backend, buffer_data (&to), buffer_data (&from),
                                         n_bytes), ==, UK_OK);
      g_assert_cmpint (device->uk->sync (device->backend), ==, UK_OK);
      from_after = buffer_take (&from, "copy from");
      to_after = buffer_take (&to, "copy to");
      g_assert_cmpmem (from_after, n_bytes, bytes, n_bytes);
      g_assert_cmpmem (to_after, n_bytes, bytes, n_bytes);
    }
}

/* Values as large and as small as the type has them: a sum beyond is infinite, as loss scaling needs it. */
static void
test_range (void)
{
  static const float x[] = { 40000, -40000, 65504, 0x1p-24f, 0x1p-25f, 1 };
  enum { N = G_N_ELEMENTS (x) };
  const UkOpDesc desc = { .kind = UK_OP_ADD, .x = { N, 1, 1, 1 }, .y = { N, 1, 1, 1 } };
  g_autoptr (Device) device = device_open (N_THREADS);
  bool has_halves = device != NULL && uk_is_half (device->backend->value_type);
  float y[N];
  void *memory[3];
  UkOp *op = NULL;

  if (device == NULL)
    return;
  for (int i = 0; i < 3; i++)
    memory[i] = device->uk->alloc (device->backend, sizeof x);
  for (int i = 0; i < 2; i++)
    g_assert_cmpint (device->uk->upload (device->backend, UK_VALUE, memory[i], x, N), ==, UK_OK);
  g_assert_cmpint (device->uk->prepare (device->backend, &desc, &op), ==, UK_OK);
  g_assert_cmpint (device->uk->run (op, memory, NULL), ==, UK_OK);
  g_assert_cmpint (device->uk->download (device->backend, UK_VALUE, y, memory[2], N), ==, UK_OK);
  for (int i = 0; i < N; i++)
    g_assert_cmpfloat (y[i], ==, has_halves ? (float) round_half (2 * round_half (x[i])) : 2 * x[i]);
  g_assert_true (isinf (y[0]) == (device_precision == UK_FP16));
  device->uk->release (op);
  for (int i = 0; i < 3; i++)
    device->uk->free (device->backend, memory[i], sizeof x);
}

/* A gradient whose squares overflow Adam's second moments is skipped, wherever they occur. */
static void
test_too_large (void)
{
  enum { COUNT = 1000 };
  static const int64_t places[] = { 0, 17, 511, COUNT - 1 };
  const UkOpDesc descs[2] = { { .kind = UK_OP_GRAD_SQUARES, .x = { COUNT, 1, 1, 1 } },
                              { .kind = UK_OP_GRAD_FACTOR, .x = { 1, 1, 1, 1 } } };
  g_autoptr (Device) device = device_open (N_THREADS);

  for (gsize i = 0; device != NULL && i < G_N_ELEMENTS (places); i++)
    {
      float g[COUNT] = { 0 }, hyper[UK_N_HYPER] = { [UK_HYPER_LOSS_SCALE] = 1 }, sum, out[2];
      Buffer buffers[5] = { 0 };
      void *memory[4];

      g[places[i]] = 1e25f;
      buffer_init (&buffers[0], device, g, sizeof g, 0);
      buffer_init_nan (&buffers[1], device, sizeof sum);
      buffer_init (&buffers[2], device, hyper, sizeof hyper, 0);
      buffer_init_nan (&buffers[3], device, sizeof out);
      for (int b = 0; b < 4; b++)
        memory[b] = buffer_data (&buffers[b]);
      for (int k = 0; k < 2; k++)
        {
          UkOp *op = NULL;

          g_assert_cmpint (device->uk->prepare (device->backend, &descs[k], &op), ==, UK_OK);
          buffer_init_nan (&buffers[4], device, op->scratch_bytes + 1);
          g_assert_cmpint (device->uk->run (op, memory + k, buffer_data (&buffers[4])), ==, UK_OK);
          device->uk->release (op);
          g_free (buffer_take (&buffers[4], "scratch"));
        }
      g_assert_cmpint (device->uk->download (device->backend, UK_REAL, &sum, memory[1], 1), ==, UK_OK);
      g_assert_cmpint (device->uk->download (device->backend, UK_REAL, out, memory[3], 2), ==, UK_OK);
      g_assert_true (isinf (sum) && isinf (out[0]));
      g_assert_cmpfloat (out[1], ==, 0);
      for (int b = 0; b < 4; b++)
        g_free (buffer_take (&buffers[b], "gradient"));
    }
}

/* Expands bit @tiles to bytes. */
static guint8 *
unpack_tiles (const UkOpDesc *desc, const guint8 *tiles)
{
  int64_t n = desc->y.n, per_sample = uk_shape_count (desc->y) / n;
  int64_t tile_bytes = uk_op_arg_count (desc, 0) / n;
  guint8 *levels = g_malloc ((gsize) (n * per_sample));

  for (int64_t s = 0; s < n; s++)
    for (int64_t i = 0; i < per_sample; i++)
      levels[s * per_sample + i] = tiles[s * tile_bytes + i / 8] >> i % 8 & 1 ? 255 : 0;
  return levels;
}

/* Bits give bit-identical results to bytes: a run may start with one format and continue with the other. */
static void
test_bits (void)
{
  g_autoptr (Device) device = device_open (N_THREADS);
  g_autoptr (GArray) cases = test_cases_new (UK_OP_LOAD);

  for (guint i = 0; device != NULL && i < cases->len; i += get_stride ())
    {
      TestCase test = g_array_index (cases, TestCase, i);
      gsize n_bytes = (gsize) uk_shape_count (test.desc.y) * type_size (device, UK_VALUE);
      void *host[UK_MAX_ARGS];
      char *of_bits[UK_MAX_ARGS] = { NULL }, *of_bytes[UK_MAX_ARGS] = { NULL };
      guint8 *bits;

      test.desc.bits = true;
      test_case_inputs (&test, 2000 + i, host);
      run_on_device (device, &test, host, 0, of_bits);
      bits = host[0];
      host[0] = unpack_tiles (&test.desc, bits);
      g_free (bits);
      test.desc.bits = false;
      run_on_device (device, &test, host, 0, of_bytes);
      g_assert_cmpmem (of_bits[2], n_bytes, of_bytes[2], n_bytes);
      free_results (of_bits);
      free_results (of_bytes);
      test_case_free_inputs (host);
    }
}

static void
add_test (const char *name, GTestFunc function)
{
  g_autofree char *path = g_strdup_printf ("/%s/%s", device_name, name);

  g_test_add_func (path, function);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  device_name = argc > 1 ? argv[1] : "cpu";
  for (UkPrecision p = UK_FP32; argc > 2 && p < UK_N_PRECISIONS; p++)
    if (g_str_equal (argv[2], uk_precision_name (p)))
      device_precision = p;
  g_assert_null (uk_backend_find ("abacus"));
  g_assert_null (uk_backend_find (NULL));
  g_assert_true (uk_backend_find ("reference") == uk_backend_reference ());
  for (int kind = 0; kind < UK_N_OPS; kind++)
    {
      g_autofree char *path = g_strdup_printf ("/%s/%s", device_name, uk_op_info (kind)->name);

      g_test_add_data_func (path, GINT_TO_POINTER (kind), test_kind);
    }
  add_test ("pack-keys", test_pack_keys);
  add_test ("refusals", test_refusals);
  add_test ("memory", test_memory);
  add_test ("copy", test_copy);
  add_test ("too-large", test_too_large);
  add_test ("range", test_range);
  add_test ("bits", test_bits);
  return g_test_run ();
}
