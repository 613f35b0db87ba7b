/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-device-name.c - names of GPUs.
 */
#include "settings/device-name.h"

#include <string.h>

#include "settings/strategy.h"

static void
assert_gpus (const char *name, guint n, int first, int last)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GArray) gpus = urb_device_parse_gpus (name, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (gpus->len, ==, n);
  if (n > 0)
    {
      g_assert_cmpint (g_array_index (gpus, int, 0), ==, first);
      g_assert_cmpint (g_array_index (gpus, int, n - 1), ==, last);
    }
}

static void
test_lists (void)
{
  assert_gpus ("cpu", 0, 0, 0);
  assert_gpus ("cuda", 0, 0, 0);
  assert_gpus ("abacus", 0, 0, 0); /* an unknown device has no numbers */
  assert_gpus ("cuda:7", 1, 7, 7);
  assert_gpus ("cuda:3,0", 2, 3, 0);
  assert_gpus ("cuda:0,1,2,10", 4, 0, 10);
}

static void
test_wrong (void)
{
  static const char *const names[] = { "cuda:", "cuda:one", "cuda:0,", "cuda:,0", "cuda:0, 1", "cuda:-1",
                                       "cuda:0,0", "cuda:99999999999", "cuda:0;1" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr(GError) error = NULL;

      g_assert_null (urb_device_parse_gpus (names[i], &error));
      g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS);
      g_assert_nonnull (strstr (error->message, names[i]));
    }
}

static void
test_first (void)
{
  static const struct { const char *name; guint n; const char *first; } cases[] = {
    { "cuda:2,0,5", 1, "cuda:2" }, { "cuda:2,0,5", 2, "cuda:2,0" }, { "cuda:2,0,5", 3, "cuda:2,0,5" },
    { "cuda:2,0,5", 9, "cuda:2,0,5" }, { "cuda", 1, "cuda" }, { "cpu", 1, "cpu" }, { "cuda:one", 1, "cuda:one" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *first = urb_device_dup_first (cases[i].name, cases[i].n);

      g_assert_cmpstr (first, ==, cases[i].first);
    }
}

static void
test_gpu (void)
{
  static const struct { const char *name; gboolean is_gpu; const char *full; } cases[] = {
    { "cpu", FALSE, "cpu" }, { "reference", FALSE, "reference" }, { "cuda", TRUE, "cuda:0" }, { "cuda:0", TRUE, "cuda:0" },
    { "cuda:2,0", TRUE, "cuda:2,0" }, { "cudadada", FALSE, "cudadada" },
  };
  g_autofree char *second = urb_device_dup_gpu (1);

  g_assert_cmpstr (second, ==, "cuda:1");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_assert_cmpint (urb_device_is_gpu (cases[i].name), ==, cases[i].is_gpu);
      g_assert_cmpstr (urb_device_get_full (cases[i].name), ==, cases[i].full);
    }
}

static void
test_has_gpu (void)
{
  static const struct { const char *name, *gpu; gboolean has; } cases[] = {
    { "cuda:1", "cuda:1", TRUE }, { "cuda:0,2", "cuda:2", TRUE }, { "cuda:0,2", "cuda:1", FALSE },
    { "cuda:11", "cuda:1", FALSE }, { "cuda", "cuda:3", TRUE }, { "cuda", "cpu", FALSE }, { "cpu", "cuda:0", FALSE },
    { "cpu", "cpu", FALSE }, { "cuda:one", "cuda:1", FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpint (urb_device_has_gpu (cases[i].name, cases[i].gpu), ==, cases[i].has);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/device-name/gpu", test_gpu);
  g_test_add_func ("/device-name/has-gpu", test_has_gpu);
  g_test_add_func ("/device-name/lists", test_lists);
  g_test_add_func ("/device-name/wrong", test_wrong);
  g_test_add_func ("/device-name/first", test_first);
  return g_test_run ();
}
