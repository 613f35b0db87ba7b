/* SPDX-License-Identifier: Apache-2.0 */
/* test-contrast.c - all text has a contrast of 4.5 to 1 with its background (WCAG AA), in both
 * color schemes.  Measured on the rendering, since the opacities of styles cannot be queried.
 * Small letters never reach their full color, so they are enlarged and bold here. */
#include <math.h>

#include "app-test.h"
#include "app/runs/run-items.h"
#include "app/train/event-list.h"
#include "app/train/train-page.h"
#include "app/train/worker-table.h"
#include "looks.h"
#include "style.h"

#define AA 4.5

static double
linear (guint value)
{
  double c = value / 255.0;
  return c <= 0.04045 ? c / 12.92 : pow ((c + 0.055) / 1.055, 2.4);
}

static double
luminance (guint32 pixel)
{
  return 0.2126 * linear (pixel >> 16 & 0xff) + 0.7152 * linear (pixel >> 8 & 0xff)
         + 0.0722 * linear (pixel & 0xff);
}

/* Half a label has no letters to measure. */
static gboolean
is_cut (GtkWidget *label)
{
  GtkWidget *scroller = gtk_widget_get_ancestor (label, GTK_TYPE_SCROLLED_WINDOW);
  graphene_rect_t bounds;
  return scroller != NULL && gtk_widget_compute_bounds (label, scroller, &bounds)
         && (bounds.origin.y < 0 || bounds.origin.y + bounds.size.height > gtk_widget_get_height (scroller));
}

/* Contrast between its lightest and darkest pixel; 0: invisible, or scrolled out of view. */
static double
measure (TestPicture *picture, GtkWidget *label, GtkWidget *window)
{
  graphene_rect_t bounds;
  double low = 1, high = 0;
  int x0, y0, x1, y1;
  if (is_cut (label) || !gtk_widget_compute_bounds (label, window, &bounds))
    return 0;
  x0 = MAX ((int) bounds.origin.x, 0);
  y0 = MAX ((int) bounds.origin.y, 0);
  x1 = MIN ((int) (bounds.origin.x + bounds.size.width), cairo_image_surface_get_width (picture));
  y1 = MIN ((int) (bounds.origin.y + bounds.size.height), cairo_image_surface_get_height (picture));
  for (int y = y0; y < y1; y++)
    for (int x = x0; x < x1; x++)
      {
        double l = luminance (test_picture_get (picture, x, y));
        low = MIN (low, l);
        high = MAX (high, l);
      }
  return x1 - x0 < 8 || y1 - y0 < 8 || high <= low ? 0 : (high + 0.05) / (low + 0.05);
}

/* Buttons are the theme's; of insensitive widgets, only the reason is checked. */
static gboolean
is_to_be_read (GtkWidget *label)
{
  const char *text = gtk_label_get_text (GTK_LABEL (label));
  return *text != '\0' && gtk_widget_get_mapped (label)
         && gtk_widget_get_ancestor (label, GTK_TYPE_BUTTON) == NULL
         && gtk_widget_get_ancestor (label, GTK_TYPE_SPIN_BUTTON) == NULL
         && (gtk_widget_is_sensitive (label) || gtk_widget_has_css_class (label, "subtitle"));
}

static int
check_labels (TestPicture *picture, GtkWidget *widget, GtkWidget *window)
{
  int n = 0;
  if (GTK_IS_LABEL (widget) && is_to_be_read (widget))
    {
      double contrast = measure (picture, widget, window);
      if (contrast > 0 && contrast < AA)
        {
          g_test_message ("“%s”: %.2f to 1", gtk_label_get_text (GTK_LABEL (widget)), contrast);
          g_test_fail ();
        }
      n += contrast > 0;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += check_labels (picture, child, window);
  return n;
}

/* @n: minimum number of labels */
static void
check (GtkWidget *child, int height, int n)
{
  static const AdwColorScheme schemes[] = { ADW_COLOR_SCHEME_FORCE_LIGHT,
                                            ADW_COLOR_SCHEME_FORCE_DARK };
  GtkWidget *ground = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0); /* screenshots lack the window's */
  GtkWindow *window;
  gtk_widget_add_css_class (ground, "background");
  gtk_widget_set_hexpand (child, TRUE);
  gtk_widget_set_vexpand (child, TRUE);
  gtk_box_append (GTK_BOX (ground), child);
  window = test_window_new (ground, 1800, height);
  for (guint i = 0; i < G_N_ELEMENTS (schemes); i++)
    {
      g_autoptr(TestPicture) picture = NULL;
      adw_style_manager_set_color_scheme (adw_style_manager_get_default (), schemes[i]);
      g_test_message ("%s", i == 0 ? "light" : "dark");
      test_frames (window, 5);
      picture = test_picture_new (GTK_WIDGET (window));
      g_assert_cmpint (check_labels (picture, child, GTK_WIDGET (window)), >=, n);
    }
  test_window_destroy (window);
}

static void
test_settings (void)
{
  check (g_object_new (URBARIUM_TYPE_TRAIN_PAGE, NULL), 5200, 30);
}

static void
test_workers (void)
{
  GtkWidget *table = g_object_new (URBARIUM_TYPE_WORKER_TABLE, NULL);
  g_autoptr(GListStore) workers = g_list_store_new (URBARIUM_TYPE_RUN_WORKER);
  g_autoptr(UrbariumRunWorker) worker = urbarium_run_worker_new (0);
  g_list_store_append (workers, worker);
  urbarium_worker_table_set_workers (URBARIUM_WORKER_TABLE (table), G_LIST_MODEL (workers));
  check (table, 300, 9);
}

static void
test_events (void)
{
  GtkWidget *list = g_object_new (URBARIUM_TYPE_EVENT_LIST, NULL);
  g_autoptr(GListStore) events = g_list_store_new (URBARIUM_TYPE_RUN_EVENT);
  g_autoptr(UrbariumRunEvent) event
    = urbarium_run_event_new ("error", "failed", "It has failed", 3, 1e9);
  g_list_store_append (events, event);
  urbarium_event_list_set_events (URBARIUM_EVENT_LIST (list), G_LIST_MODEL (events), NULL);
  check (list, 300, 2);
}

/* On each background that has text. */
static void
test_classes (void)
{
  static const char *const grounds[] = { "background", "view", "card", "navigation-sidebar" };
  static const char *const classes[] = { "dim-label", "error", "train-badge" };
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  for (guint i = 0; i < G_N_ELEMENTS (grounds); i++)
    {
      GtkWidget *ground = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
      gtk_widget_add_css_class (ground, grounds[i]);
      gtk_box_append (GTK_BOX (box), ground);
      for (guint k = 0; k < G_N_ELEMENTS (classes); k++)
        {
          g_autofree char *text = g_strdup_printf ("%s in %s", classes[k], grounds[i]);
          GtkWidget *label = gtk_label_new (text);
          gtk_widget_add_css_class (label, classes[k]);
          gtk_box_append (GTK_BOX (ground), label);
        }
    }
  check (box, 2000, G_N_ELEMENTS (grounds) * G_N_ELEMENTS (classes));
}

static void
write_large (void)
{
  g_autoptr(GtkCssProvider) provider = gtk_css_provider_new ();
  gtk_css_provider_load_from_data (provider, "label { font-size: 32px; font-weight: 900; }", -1);
  gtk_style_context_add_provider_for_display (gdk_display_get_default (),
                                              GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_USER);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  test_add_style ();
  write_large ();
  g_test_add_func ("/contrast/settings", test_settings);
  g_test_add_func ("/contrast/workers", test_workers);
  g_test_add_func ("/contrast/events", test_events);
  g_test_add_func ("/contrast/classes", test_classes);
  return g_test_run ();
}
