/* SPDX-License-Identifier: Apache-2.0 */
/* test-kernels-util.c - see test-kernels-util.h. */
#include "test-kernels-util.h"

#include <math.h>

double *
test_random_array (GRand *rand, int64_t count)
{
  double *x = g_new (double, count);
  guint64 state = g_rand_int (rand);

  /* Knuth's MMIX: GRand would take longer than many kernels. */
  for (int64_t i = 0; i < count; i++)
    {
      state = state * G_GUINT64_CONSTANT (6364136223846793005)
              + G_GUINT64_CONSTANT (1442695040888963407);
      x[i] = (float) ((double) (gint32) (state >> 32) * 0x1p-31);
    }
  return x;
}

double *
test_nan_array (int64_t count)
{
  double *x = g_new (double, count);

  for (int64_t i = 0; i < count; i++)
    x[i] = NAN;
  return x;
}

UkStatus
test_reference_status (const UkOpDesc *desc, void *const *args)
{
  const UkBackendTable *uk = uk_backend_reference ();
  const UkBackendConfig config = { .n_threads = 1 };
  UkBackend *backend;
  UkOp *op;
  UkStatus status;

  g_assert_cmpint (uk->open (&config, &backend), ==, UK_OK);
  g_assert_cmpint (uk->prepare (backend, desc, &op), ==, UK_OK);
  g_assert_cmpuint (op->scratch_bytes, ==, 0);
  g_assert_cmpuint (op->packed_bytes, ==, 0);
  status = uk->run (op, args, NULL);
  g_assert_cmpint (uk->sync (backend), ==, UK_OK);
  uk->release (op);
  uk->close (backend);
  return status;
}

void
test_reference (const UkOpDesc *desc, void *const *args)
{
  g_assert_cmpint (test_reference_status (desc, args), ==, UK_OK);
}

double
test_dot (const double *a, const double *b, int64_t count)
{
  double sum = 0;

  for (int64_t i = 0; i < count; i++)
    sum += a[i] * b[i];
  return sum;
}

void
test_assert_near (const char *what, const double *actual, const double *expected, int64_t count,
                  double tolerance)
{
  double scale = 0;

  for (int64_t i = 0; i < count; i++)
    scale = fmax (scale, fabs (expected[i]));
  for (int64_t i = 0; i < count; i++)
    if (!(fabs (actual[i] - expected[i]) <= tolerance * scale))
      g_error ("%s: element %" G_GINT64_FORMAT " is %.17g and should be %.17g (largest: %g)",
               what, (gint64) i, actual[i], expected[i], scale);
}

void
test_assert_gradient (const char *what, double *x, int64_t count, const double *gradient,
                      double step, TestLoss loss, gpointer data)
{
  g_autofree double *differences = g_new (double, count);

  for (int64_t i = 0; i < count; i++)
    {
      double kept = x[i], above, below;

      x[i] = kept + step;
      above = loss (data);
      x[i] = kept - step;
      below = loss (data);
      x[i] = kept;
      differences[i] = (above - below) / (2 * step);
    }
  test_assert_near (what, gradient, differences, count, 1e-6);
}
