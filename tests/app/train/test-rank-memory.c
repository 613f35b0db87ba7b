/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-rank-memory.c - bars in proportion to bytes, also to those of other ranks; what is said of them; and what
 * is not known.
 */
#include <string.h>

#include "app/base/format.h"
#include "app/plot/chart-style.h"
#include "app/train/rank-memory.h"
#include "exact.h"
#include "looks.h"

#define MB G_GINT64_CONSTANT (1000000)

static GtkWidget *
get_bars (GtkWidget *widget)
{
  return test_find (widget, GTK_TYPE_DRAWING_AREA);
}

/* Pixels of a color in a row. */
static int
count_pixels (cairo_surface_t *drawn, int y, const GdkRGBA *color)
{
  int n = 0;
  for (int x = 0; x < cairo_image_surface_get_width (drawn); x++)
    {
      guint32 pixel = test_pixel (drawn, x, y);
      n += pixel >> 24 == 0xff && abs ((int) (pixel >> 16 & 0xff) - (int) (255 * color->red + 0.5f)) <= 1
           && abs ((int) (pixel >> 8 & 0xff) - (int) (255 * color->green + 0.5f)) <= 1
           && abs ((int) (pixel & 0xff) - (int) (255 * color->blue + 0.5f)) <= 1;
    }
  return n;
}

static void
test_bars (void)
{
  UrbariumPlan plan = { .n_ranks = 2, .ranks = { { 40 * MB, 20 * MB, 100 * MB, 40 * MB },
                                                 { 20 * MB, 10 * MB, 70 * MB, 0 } } };
  GtkWidget *widget = urbarium_rank_memory_new ();
  GtkWindow *window;
  g_auto(UrbariumChartStyle) style = { 0 };
  cairo_surface_t *drawn;
  int width[2][URBARIUM_N_MEMORIES];
  urbarium_rank_memory_set_plan (URBARIUM_RANK_MEMORY (widget), &plan);
  window = test_exact_window_new (widget, 560, 120);
  test_frames (window, 3);
  urbarium_chart_style_init_widget (&style, widget);
  drawn = test_draw (get_bars (widget));
  g_assert_cmpint (cairo_image_surface_get_height (drawn), ==, 44);
  for (int r = 0; r < 2; r++)
    for (guint i = 0; i < URBARIUM_N_MEMORIES; i++)
      {
        GdkRGBA color = urbarium_chart_style_get_color (&style, i);
        width[r][i] = count_pixels (drawn, 11 + 22 * r, &color);
      }
  g_assert_cmpint (width[0][URBARIUM_MEMORY_WORK], >, 100);
  for (int r = 0; r < 2; r++)
    for (int i = 0; i < URBARIUM_N_MEMORIES; i++)
      g_assert_cmpint (abs (width[r][i] - (int) (plan.ranks[r][i] / MB) * width[0][URBARIUM_MEMORY_WORK] / 100), <=, 3);
  test_screenshot (window, "rank-memory");
  cairo_surface_destroy (drawn);
  test_window_destroy (window);
}

static void
test_many (void)
{
  UrbariumPlan plan = { .n_ranks = 10, .bytes_shared = 7 * MB };
  GtkWidget *widget = urbarium_rank_memory_new ();
  GtkWindow *window = test_window_new (widget, 400, 300);
  GString *texts = g_string_new (NULL);
  for (int r = 0; r < URBARIUM_PLAN_RANKS; r++)
    plan.ranks[r][URBARIUM_MEMORY_WEIGHTS] = (r + 1) * MB;
  urbarium_rank_memory_set_plan (URBARIUM_RANK_MEMORY (widget), &plan);
  test_frames (window, 3);
  test_add_texts (widget, texts);
  g_assert_nonnull (strstr (texts->str, "and 2 more ranks"));
  g_assert_nonnull (strstr (texts->str, "of weights and optimizer that all ranks share"));
  g_assert_nonnull (strstr (texts->str, "Weights"));
  g_assert_cmpint (gtk_widget_get_height (get_bars (widget)), ==, 8 * 22);
  g_string_free (texts, TRUE);
  test_window_destroy (window);
}

/* In a pipeline each rank has other layers. */
static void
test_layers (void)
{
  UrbariumPlan plan = { .n_ranks = 2, .ranks = { { 20 * MB }, { 12 * MB } },
                        .layers = { "G 1–5, D 1–3", "G 6–9, 14–17, 22–25, 30–33, D 4–7, 12–15, 20–23" } };
  GtkWidget *widget = urbarium_rank_memory_new ();
  GtkWindow *window;
  g_autofree char *one = urbarium_format_bytes (20 * MB), *other = urbarium_format_bytes (12 * MB);
  g_autofree char *none = urbarium_format_bytes (0);
  g_autofree char *rest = g_strdup_printf ("Optimizer and average %s, Activations and gradients %s, "
                                           "Batches and samples %s", none, none, none);
  g_autofree char *said = g_strdup_printf ("Rank 0: %s: G 1–5, D 1–3 (Weights %s, %s)\n"
                                           "Rank 1: %s: G 6–9, 14–17, 22–25, 30–33, D 4–7, 12–15, 20–23 (Weights %s, %s)",
                                           one, one, rest, other, other, rest);
  urbarium_rank_memory_set_plan (URBARIUM_RANK_MEMORY (widget), &plan);
  window = test_exact_window_new (widget, 560, 120);
  test_frames (window, 3);
  test_assert_property (get_bars (widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, said);
  test_screenshot (window, "rank-memory-layers");
  test_window_destroy (window);
}

/* A single rank needs no number; without a plan there is nothing to see. */
static void
test_one (void)
{
  UrbariumPlan plan = { .n_ranks = 1, .ranks = { { MB } } };
  GtkWidget *widget = urbarium_rank_memory_new ();
  GtkWindow *window = test_window_new (widget, 400, 300);
  g_autofree char *bytes = urbarium_format_bytes (MB), *none = urbarium_format_bytes (0);
  g_autofree char *said = g_strdup_printf ("Memory: %s (Weights %s, Optimizer and average %s, "
                                           "Activations and gradients %s, Batches and samples %s)",
                                           bytes, bytes, none, none, none);
  g_assert_false (gtk_widget_get_visible (widget));
  urbarium_rank_memory_set_plan (URBARIUM_RANK_MEMORY (widget), &plan);
  g_assert_true (gtk_widget_get_visible (widget));
  test_frames (window, 3);
  test_assert_property (get_bars (widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, said);
  urbarium_rank_memory_set_plan (URBARIUM_RANK_MEMORY (widget), NULL);
  g_assert_false (gtk_widget_get_visible (widget));
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  test_keep_names ();
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/train/rank-memory/bars", test_bars);
  g_test_add_func ("/app/train/rank-memory/many", test_many);
  g_test_add_func ("/app/train/rank-memory/layers", test_layers);
  g_test_add_func ("/app/train/rank-memory/one", test_one);
  return g_test_run ();
}
