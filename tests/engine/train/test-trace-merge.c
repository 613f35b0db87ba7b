/* SPDX-License-Identifier: Apache-2.0 */
/* test-trace-merge.c - timelines of several workers in one file, and files that are no timelines. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

#include "train/trace-merge.h"

static char *path, *merged;

static gboolean
add (UrbTraceMerge *merge, const char *text, GError **error)
{
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return urb_trace_merge_add_file (merge, path, error);
}

static void
test_two_workers (void)
{
  static const char slow[] = "{\"otherData\":{\"first_step\":7,\"steps\":2,\"step_s\":0.5},"
                             "\"traceEvents\":[{\"name\":\"slow\"}]}";
  static const char fast[] = "{\"otherData\":{\"first_step\":3,\"steps\":6,\"step_s\":0.1},"
                             "\"traceEvents\":[{\"name\":\"fast\"},{\"name\":\"faster\"}]}";
  g_auto(UrbTraceMerge) merge = { 0 };
  UrbTraceSummary summary;
  g_autofree char *text = NULL;

  g_assert_true (add (&merge, slow, NULL));
  g_assert_true (add (&merge, fast, NULL));
  g_assert_true (urb_trace_merge_write (&merge, merged, &summary, NULL));
  g_assert_cmpint (summary.first_step, ==, 3);
  g_assert_cmpint (summary.n_steps, ==, 8);
  g_assert_cmpint (summary.n_ranks, ==, 2);
  g_assert_cmpfloat_with_epsilon (summary.step_s, (2 * 0.5 + 6 * 0.1) / 8, 1e-12);
  g_assert_true (g_file_get_contents (merged, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "[\n{\"name\":\"slow\"},\n{\"name\":\"fast\"},\n{\"name\":\"faster\"}\n]"));
}

static void
test_refused (void)
{
  static const char *const texts[] = {
    "", "[]", "{}", "{\"otherData\":{}}", "{\"traceEvents\":[]}", "{\"otherData\":[],\"traceEvents\":[]}",
    "{\"otherData\":{},\"traceEvents\":{}}", "{\"otherData\":{},\"traceEvents\":[",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_auto(UrbTraceMerge) merge = { 0 };
      g_autoptr(GError) error = NULL;

      g_assert_false (add (&merge, texts[i], &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA);
      g_assert_nonnull (strstr (error->message, path));
      g_assert_null (merge.events);
    }
}

/* Members of other types count as missing. */
static void
test_other_types (void)
{
  g_auto(UrbTraceMerge) merge = { 0 };

  g_assert_true (add (&merge, "{\"otherData\":{\"steps\":\"2\",\"step_s\":[]},\"traceEvents\":[1]}", NULL));
  g_assert_cmpint (merge.totals.n_steps, ==, 0);
  g_assert_cmpint (merge.totals.n_ranks, ==, 0);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-trace-merge-XXXXXX", NULL);
  int rc;

  g_test_init (&argc, &argv, NULL);
  path = g_build_filename (folder, "part.json", NULL);
  merged = g_build_filename (folder, "all.json", NULL);
  g_test_add_func ("/trace-merge/two-workers", test_two_workers);
  g_test_add_func ("/trace-merge/refused", test_refused);
  g_test_add_func ("/trace-merge/other-types", test_other_types);
  rc = g_test_run ();
  g_unlink (path);
  g_unlink (merged);
  g_rmdir (folder);
  g_free (path);
  g_free (merged);
  return rc;
}
