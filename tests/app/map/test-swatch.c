/* SPDX-License-Identifier: Apache-2.0 */
/* test-swatch.c - the square has the color of its class, as on the screen. */
#include "../plot/controllers.h"
#include "app-test.h"
#include "app/canvas/palette.h"
#include "app/map/swatch.h"

enum { SIZE_PX = 16 };

typedef struct
{
  UrbariumSwatch *swatch; /* borrowed */
  GtkWindow      *window;
  GdkPaintable   *paintable; /* owned: the rendering */
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_SWATCH, "halign", GTK_ALIGN_CENTER, NULL);
  self->swatch = URBARIUM_SWATCH (widget);
  self->window = test_window_new (widget, 100, 100);
  self->paintable = gtk_widget_paintable_new (widget);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_clear_object (&self->paintable);
  test_window_destroy (self->window);
  test_dark (FALSE);
}

/* 0xAARRGGBB at a position of the square. */
static guint32
get_pixel (Fixture *self, int x, int y)
{
  g_autoptr(GtkSnapshot) snapshot = NULL;
  g_autoptr(GskRenderNode) node = NULL;
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, SIZE_PX, SIZE_PX);
  cairo_t *cr = cairo_create (surface);
  guint32 pixel;
  test_frames (self->window, 3);
  snapshot = gtk_snapshot_new ();
  gdk_paintable_snapshot (self->paintable, snapshot, SIZE_PX, SIZE_PX);
  node = gtk_snapshot_free_to_node (g_steal_pointer (&snapshot));
  if (node != NULL)
    gsk_render_node_draw (node, cr);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  pixel = *(guint32 *) (gpointer) (cairo_image_surface_get_data (surface)
                                   + y * cairo_image_surface_get_stride (surface) + x * 4);
  cairo_surface_destroy (surface);
  return pixel;
}

static guint32
make_pixel (UrbColor color)
{
  return 0xff000000 | (guint32) color.r << 16 | (guint32) color.g << 8 | color.b;
}

static void
test_colors (Fixture *self, gconstpointer data)
{
  for (int dark = 0; dark < 2; dark++)
    {
      test_dark (dark);
      for (int c = 0; c < URB_N_CLASSES; c++)
        {
          urbarium_swatch_set_class (self->swatch, (UrbClass) c);
          g_assert_cmphex (get_pixel (self, SIZE_PX / 2, SIZE_PX / 2), ==,
                           make_pixel (urbarium_palette_get (dark, FALSE)->fills[c]));
        }
    }
  g_assert_cmphex (get_pixel (self, 0, 0) >> 24, <, 0x80); /* rounded corners */
}

/* Ignored classes have no color, but still an outline. */
static void
test_ignored (Fixture *self, gconstpointer data)
{
  urbarium_swatch_set_class (self->swatch, URB_CLASS_IGNORE);
  g_assert_cmphex (get_pixel (self, SIZE_PX / 2, SIZE_PX / 2), ==, 0);
  g_assert_cmphex (get_pixel (self, 0, SIZE_PX / 2) >> 24, >, 0);
  urbarium_swatch_set_class (self->swatch, URB_CLASS_ROAD);
  g_assert_cmphex (get_pixel (self, SIZE_PX / 2, SIZE_PX / 2) >> 24, ==, 0xff);
}

static void
test_size (Fixture *self, gconstpointer data)
{
  int minimum, natural;
  for (int i = 0; i < 2; i++)
    {
      gtk_widget_measure (GTK_WIDGET (self->swatch), (GtkOrientation) i, -1, &minimum, &natural,
                          NULL, NULL);
      g_assert_cmpint (minimum, ==, SIZE_PX);
      g_assert_cmpint (natural, ==, SIZE_PX);
    }
  g_assert_cmpint (gtk_widget_get_height (GTK_WIDGET (self->swatch)), ==, SIZE_PX);
  /* Its class is always named next to it. */
  gtk_test_accessible_assert_role (GTK_ACCESSIBLE (self->swatch),
                                   GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
test_titles (void)
{
  g_assert_cmpstr (urbarium_class_get_title (URB_CLASS_BUILDING), ==, "Building");
  g_assert_cmpstr (urbarium_class_get_title (URB_CLASS_ROAD), ==, "Road");
  g_assert_cmpstr (urbarium_class_get_title (URB_CLASS_OTHER), ==, "Other");
  g_assert_cmpstr (urbarium_class_get_title (URB_CLASS_IGNORE), ==, "Ignored");
}

int
main (int argc, char **argv)
{
#define ADD(name, func) g_test_add ("/app/swatch/" name, Fixture, NULL, set_up, func, tear_down)
  test_app_init (&argc, &argv);
  test_load_style ();
  ADD ("colors", test_colors);
  ADD ("ignored", test_ignored);
  ADD ("size", test_size);
  g_test_add_func ("/app/swatch/titles", test_titles);
  return g_test_run ();
}
