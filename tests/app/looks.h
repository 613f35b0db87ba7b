/* SPDX-License-Identifier: Apache-2.0 */
/* looks.h - a widget's rendering, texts, and accessible name and description. */
#pragma once

#include "app-test.h"

G_BEGIN_DECLS

/* Call it before test_app_init(): records names and descriptions without reporting them. */
static inline void
test_keep_names (void)
{
  g_setenv ("GTK_A11Y", "test", TRUE);
}

#define test_assert_name(widget, name)                                                             \
  test_assert_property (GTK_WIDGET (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name)
#define test_assert_description(widget, text)                                                      \
  test_assert_property (GTK_WIDGET (widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text)

static inline void
test_assert_property (GtkWidget *widget, GtkAccessibleProperty property, const char *expected)
{
  g_autofree char *other
    = gtk_test_accessible_check_property (GTK_ACCESSIBLE (widget), property, expected);
  if (other != NULL)
    g_error ("a %s tells %s, not “%s”", G_OBJECT_TYPE_NAME (widget), other, expected);
}

static inline void
test_add_texts (GtkWidget *widget, GString *texts)
{
  if (!gtk_widget_get_child_visible (widget) || !gtk_widget_get_visible (widget))
    return;
  if (GTK_IS_LABEL (widget))
    g_string_append_printf (texts, "%s%s", texts->len > 0 ? "|" : "",
                            gtk_label_get_text (GTK_LABEL (widget)));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    test_add_texts (child, texts);
}

/* The texts of all visible labels, in order: "Roads|12.0 %". (transfer full) */
static inline char *
test_dup_texts (GtkWidget *widget)
{
  GString *texts = g_string_new (NULL);
  test_add_texts (widget, texts);
  return g_string_free (texts, FALSE);
}

#define test_assert_texts(widget, expected)                                                        \
  do                                                                                               \
    {                                                                                              \
      g_autofree char *texts_ = test_dup_texts (GTK_WIDGET (widget));                              \
      g_assert_cmpstr (texts_, ==, expected);                                                      \
    }                                                                                              \
  while (0)

typedef cairo_surface_t TestPicture;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TestPicture, cairo_surface_destroy)

/* The widget's rendering in its window, without the background. (transfer full) */
static inline TestPicture *
test_picture_new (GtkWidget *widget)
{
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  TestPicture *self = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  cairo_t *cr = cairo_create (self);
  g_autoptr(GtkSnapshot) snapshot = NULL;
  g_autoptr(GskRenderNode) node = NULL;
  test_frames (GTK_WINDOW (gtk_widget_get_root (widget)), 2); /* wait for the layout */
  snapshot = gtk_snapshot_new ();
  GTK_WIDGET_GET_CLASS (widget)->snapshot (widget, snapshot);
  node = gtk_snapshot_free_to_node (g_steal_pointer (&snapshot));
  if (node != NULL)
    gsk_render_node_draw (node, cr);
  cairo_destroy (cr);
  cairo_surface_flush (self);
  return self;
}

/* One pixel: 0xAARRGGBB, premultiplied. */
static inline guint32
test_picture_get (TestPicture *self, int x, int y)
{
  const guchar *data = cairo_image_surface_get_data (self);
  g_assert_true (x >= 0 && x < cairo_image_surface_get_width (self));
  g_assert_true (y >= 0 && y < cairo_image_surface_get_height (self));
  data += (gsize) y * (gsize) cairo_image_surface_get_stride (self);
  return ((const guint32 *) (gconstpointer) data)[x];
}

/* Whether two colors are similar, up to rounding and gradients. */
static inline gboolean
test_alike (guint32 a, guint32 b)
{
  for (int shift = 0; shift < 32; shift += 8)
    if (ABS ((int) (a >> shift & 0xff) - (int) (b >> shift & 0xff)) > 12)
      return FALSE;
  return TRUE;
}

G_END_DECLS
