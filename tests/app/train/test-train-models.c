/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-train-models.c - the lists, series and images behind the Train page.
 */
#include <string.h>

#include <glib/gstdio.h>

#include "app-test.h"
#include "app/train/curve.h"
#include "app/train/reversed-list.h"
#include "app/train/strategy.h"
#include "app/train/surface-cache.h"

static void
apply_change (GListModel *model, guint position, guint n_removed, guint n_added, GPtrArray *copy)
{
  if (n_removed > 0)
    g_ptr_array_remove_range (copy, position, n_removed);
  for (guint i = 0; i < n_added; i++)
    {
      g_autoptr(GtkStringObject) item = g_list_model_get_item (model, position + i);
      g_ptr_array_insert (copy, (int) (position + i),
                          g_strdup (gtk_string_object_get_string (item)));
    }
}

/* Applying the changes yields the reversed list. */
static void
test_reversed (void)
{
  GtkStringList *list = gtk_string_list_new ((const char *[]){ "a", "b", NULL });
  UrbariumReversedList *reversed = urbarium_reversed_list_new (G_LIST_MODEL (list));
  g_autoptr(GPtrArray) copy = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text = NULL;
  apply_change (G_LIST_MODEL (reversed), 0, 0, 2, copy);
  g_signal_connect (reversed, "items-changed", G_CALLBACK (apply_change), copy);
  gtk_string_list_append (list, "c");
  gtk_string_list_splice (list, 1, 1, (const char *[]){ "d", "e", NULL });
  gtk_string_list_splice (list, 0, 1, NULL);
  g_ptr_array_add (copy, NULL);
  text = g_strjoinv ("", (char **) copy->pdata);
  g_assert_cmpstr (text, ==, "ced");
  g_assert_null (g_list_model_get_item (G_LIST_MODEL (reversed), 3));
  test_assert_last_unref (reversed);
  test_assert_last_unref (list);
}

static void
test_curve (void)
{
  UrbariumSeries *source = urbarium_series_new ("Loss");
  UrbariumSeries *series;
  double x, y;
  for (int i = 0; i < 100; i++)
    urbarium_series_append (source, i, 2 * i);
  series = urbarium_curve_new (source, "Delft: Loss", NULL);
  g_assert_cmpstr (urbarium_series_get_name (series), ==, "Delft: Loss");
  g_assert_cmpuint (urbarium_series_get_n (series), ==, 100);
  urbarium_series_append (source, 100, 7);
  g_assert_cmpuint (urbarium_series_get_n (series), ==, 101);
  urbarium_series_truncate (source, 49);
  urbarium_series_append (source, 50, -1);
  g_assert_cmpuint (urbarium_series_get_n (series), ==, 51);
  urbarium_series_get (series, 50, &x, &y);
  g_assert_cmpfloat (x, ==, 50);
  g_assert_cmpfloat (y, ==, -1);
  test_assert_last_unref (series);
  urbarium_series_append (source, 51, 0);
  test_assert_last_unref (source);
}

/* Over images: points follow where their steps are, also after going back. */
static void
test_curve_places (void)
{
  UrbariumSeries *source = urbarium_series_new ("Loss"), *images = urbarium_series_new ("Images"), *series;
  double x, y;
  for (int step = 1; step <= 10; step++)
    urbarium_series_append (images, step, 16 * step);
  for (int step = 2; step <= 10; step += 2)
    urbarium_series_append (source, step, -step);
  series = urbarium_curve_new (source, "Loss", images);
  g_assert_cmpuint (urbarium_series_get_n (series), ==, 5);
  urbarium_series_get (series, 3, &x, &y);
  g_assert_cmpfloat (x, ==, 128);
  g_assert_cmpfloat (y, ==, -8);
  g_assert_cmpfloat (urbarium_curve_place (images, 6.5), ==, 96);
  g_assert_cmpfloat (urbarium_curve_place (images, 99), ==, 160);
  g_assert_cmpfloat (urbarium_curve_place (NULL, 7), ==, 7);
  urbarium_series_truncate (images, 5);
  urbarium_series_truncate (source, 5);
  urbarium_series_append (images, 6, 200);
  urbarium_series_append (source, 6, -6);
  urbarium_series_get (series, 2, &x, &y);
  g_assert_cmpfloat (x, ==, 200);
  g_assert_cmpuint (urbarium_series_get_n (series), ==, 3);
  test_assert_last_unref (series);
  test_assert_last_unref (source);
  test_assert_last_unref (images);
}

typedef struct
{
  cairo_surface_t *surface;
  GError          *error;
} Answer;

static void
answer_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *answer = data;
  answer->surface = urbarium_surface_cache_load_finish (URBARIUM_SURFACE_CACHE (source), result,
                                                        &answer->error);
}

static gboolean
has_answer (gpointer data)
{
  Answer *answer = data;
  return answer->surface != NULL || answer->error != NULL;
}

static Answer
load (UrbariumSurfaceCache *cache, const char *path, gint64 version)
{
  Answer answer = { NULL, NULL };
  urbarium_surface_cache_load_async (cache, path, version, NULL, answer_cb, &answer);
  test_until (has_answer, &answer);
  return answer;
}

static void
test_surface_cache (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-cache-XXXXXX", NULL);
  const gsize n_bytes = 64 * 64 * 4;
  UrbariumSurfaceCache *cache = urbarium_surface_cache_new (3 * n_bytes);
  g_autofree char *paths[5];
  cairo_surface_t *known;
  Answer answer;
  for (int i = 0; i < 5; i++)
    {
      cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 64, 64);
      paths[i] = g_strdup_printf ("%s/%d.png", folder, i);
      g_assert_cmpint (cairo_surface_write_to_png (surface, paths[i]), ==, CAIRO_STATUS_SUCCESS);
      cairo_surface_destroy (surface);
      answer = load (cache, paths[i], 1);
      g_assert_no_error (answer.error);
      cairo_surface_destroy (answer.surface);
      g_assert_cmpuint (urbarium_surface_cache_get_size (cache), <=, 3 * n_bytes);
    }
  g_assert_null (urbarium_surface_cache_lookup (cache, paths[0], 1));
  g_assert_null (urbarium_surface_cache_lookup (cache, paths[4], 2)); /* was rewritten */
  known = urbarium_surface_cache_lookup (cache, paths[4], 1);
  g_assert_nonnull (known);
  cairo_surface_destroy (known);

  g_assert_true (g_file_set_contents (paths[0], "no picture", -1, NULL));
  answer = load (cache, paths[0], 2);
  g_assert_null (answer.surface);
  g_assert_nonnull (strstr (answer.error->message, paths[0]));
  g_clear_error (&answer.error);
  for (int i = 0; i < 5; i++)
    {
      g_remove (paths[i]);
      g_clear_pointer (&paths[i], g_free);
    }
  g_rmdir (folder);
  test_assert_last_unref (cache);
}

static void
test_strategies (void)
{
  const char *const reported[] = { "ddp", "of a later version", NULL };
  g_assert_true (urbarium_strategy_is_available (URB_STRATEGY_SINGLE, NULL));
  for (guint i = 1; i < URB_N_STRATEGIES; i++)
    {
      g_assert_false (urbarium_strategy_is_available (i, NULL));
      g_assert_cmpint (urbarium_strategy_is_available (i, reported), ==, i == URB_STRATEGY_DDP);
    }
}

static void
test_summaries (void)
{
  static const struct
  {
    UrbStrategy strategy;
    int         n_ranks;
    const char *text;
  } cases[] = {
    { URB_STRATEGY_SINGLE, 1, "One process" },
    { URB_STRATEGY_HOGWILD, 2, "Hogwild, 2 processes" },
    { URB_STRATEGY_HOGWILD, 1, "Hogwild, 1 process" },
    { URB_STRATEGY_STREAMS, 3, "Asynchronous, 3 threads" },
    { URB_STRATEGY_DP, 2, "DataParallel, 2 copies" },
    { URB_STRATEGY_DDP, 4, "DDP, 4 copies" },
    { URB_STRATEGY_LAYERS, 2, "Layers in turn, 2 stages" },
    { URB_STRATEGY_ZB, 1, "Zero-bubble pipeline, 1 stage" },
    { URB_STRATEGY_ZERO3, 2, "ZeRO-3, 2 copies" },
    { URB_STRATEGY_TENSOR, 2, "Tensor parallel, 2 ranks" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = urbarium_strategy_dup_summary (cases[i].strategy, cases[i].n_ranks);
      g_assert_cmpstr (text, ==, cases[i].text);
    }
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/train-models/reversed-list", test_reversed);
  g_test_add_func ("/train-models/curve", test_curve);
  g_test_add_func ("/train-models/curve-places", test_curve_places);
  g_test_add_func ("/train-models/surface-cache", test_surface_cache);
  g_test_add_func ("/train-models/strategies", test_strategies);
  g_test_add_func ("/train-models/summaries", test_summaries);
  return g_test_run ();
}
