/* SPDX-License-Identifier: Apache-2.0 */
/* test-wrap-layout.c - the allocations of children of known sizes. */
#include "app-test.h"

#include "app/plot/wrap-layout.h"

enum { SPACING = 10, LINE_SPACING = 4 };

static GtkWidget *
child_new (int width, int height)
{
  GtkWidget *child = gtk_drawing_area_new ();
  gtk_widget_set_size_request (child, width, height);
  return child;
}

/* Widths of 100, 60, 80 and 40 px; heights of 20, 30, 10 and 20 px. */
static GtkWidget *
parent_new (void)
{
  GtkWidget *parent = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkLayoutManager *layout = urbarium_wrap_layout_new (SPACING);
  g_object_set (layout, "line-spacing", LINE_SPACING, "xalign", 0.0, NULL);
  gtk_widget_set_layout_manager (parent, layout);
  gtk_box_append (GTK_BOX (parent), child_new (100, 20));
  gtk_box_append (GTK_BOX (parent), child_new (60, 30));
  gtk_box_append (GTK_BOX (parent), child_new (80, 10));
  gtk_box_append (GTK_BOX (parent), child_new (40, 20));
  return g_object_ref_sink (parent);
}

static GtkWidget *
nth (GtkWidget *parent, guint n)
{
  GtkWidget *child = gtk_widget_get_first_child (parent);
  while (n-- > 0)
    child = gtk_widget_get_next_sibling (child);
  return child;
}

static int
height_for (GtkWidget *parent, int width)
{
  int minimum, natural;
  gtk_widget_measure (parent, GTK_ORIENTATION_VERTICAL, width, &minimum, &natural, NULL, NULL);
  g_assert_cmpint (minimum, ==, natural);
  return natural;
}

static void
give (GtkWidget *parent, int width)
{
  int minimum;
  gtk_widget_measure (parent, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  g_assert_cmpint (minimum, <=, width);
  gtk_widget_size_allocate (parent, &(GtkAllocation) { 0, 0, width, height_for (parent, width) },
                            -1);
}

static void
assert_place (GtkWidget *parent, guint n, int x, int y, int width, int height)
{
  graphene_rect_t place;
  g_assert_true (gtk_widget_compute_bounds (nth (parent, n), parent, &place));
  if (!graphene_rect_equal (&place, &GRAPHENE_RECT_INIT (x, y, width, height)))
    g_error ("child %u is at %g, %g and %g × %g, not at %d, %d and %d × %d", n, place.origin.x,
             place.origin.y, place.size.width, place.size.height, x, y, width, height);
}

static void
test_measure (void)
{
  GtkWidget *parent = parent_new ();
  int minimum, natural;
  g_assert_cmpint (gtk_widget_get_request_mode (parent), ==, GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH);
  gtk_widget_measure (parent, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL, NULL);
  g_assert_cmpint (minimum, ==, 100); /* the widest child */
  g_assert_cmpint (natural, ==, 100 + 60 + 80 + 40 + 3 * SPACING);
  g_assert_cmpint (height_for (parent, -1), ==, 30);
  g_assert_cmpint (height_for (parent, 310), ==, 30);
  g_assert_cmpint (height_for (parent, 309), ==, 30 + LINE_SPACING + 20);
  g_assert_cmpint (height_for (parent, 170), ==, 30 + LINE_SPACING + 20);
  g_assert_cmpint (height_for (parent, 169), ==, 20 + LINE_SPACING + 30 + LINE_SPACING + 20);
  g_assert_cmpint (height_for (parent, 100), ==, 20 + 30 + 10 + 20 + 3 * LINE_SPACING);
  test_assert_last_unref (parent);
}

/* As high as the highest of its line. */
static void
test_lines (void)
{
  GtkWidget *parent = parent_new ();
  give (parent, 200);
  assert_place (parent, 0, 0, 0, 100, 30);
  assert_place (parent, 1, 110, 0, 60, 30);
  assert_place (parent, 2, 0, 34, 80, 20);
  assert_place (parent, 3, 90, 34, 40, 20);

  gtk_widget_set_direction (parent, GTK_TEXT_DIR_RTL);
  give (parent, 200);
  assert_place (parent, 0, 100, 0, 100, 30);
  assert_place (parent, 1, 30, 0, 60, 30);
  assert_place (parent, 2, 120, 34, 80, 20);
  assert_place (parent, 3, 70, 34, 40, 20);
  test_assert_last_unref (parent);
}

static void
test_align (void)
{
  GtkWidget *parent = parent_new ();
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (parent);
  int spacing, line_spacing;
  double xalign;
  g_object_get (layout, "spacing", &spacing, "line-spacing", &line_spacing, "xalign", &xalign,
                NULL);
  g_assert_cmpint (spacing, ==, SPACING);
  g_assert_cmpint (line_spacing, ==, LINE_SPACING);
  g_assert_cmpfloat (xalign, ==, 0);

  g_object_set (layout, "xalign", 0.5, NULL);
  give (parent, 200);
  assert_place (parent, 0, 15, 0, 100, 30);
  assert_place (parent, 2, 35, 34, 80, 20);
  g_object_set (layout, "xalign", 1.0, "spacing", 0, "line-spacing", 0, NULL);
  give (parent, 200);
  assert_place (parent, 0, 40, 0, 100, 30);
  assert_place (parent, 1, 140, 0, 60, 30);
  assert_place (parent, 3, 160, 30, 40, 20);
  test_assert_last_unref (parent);
}

/* The rest of a line goes to children that expand, to the last pixel. */
static void
test_expand (void)
{
  GtkWidget *parent = parent_new ();
  gtk_widget_set_hexpand (nth (parent, 0), TRUE);
  gtk_widget_set_hexpand (nth (parent, 1), TRUE);
  g_object_set (gtk_widget_get_layout_manager (parent), "xalign", 1.0, NULL);
  give (parent, 201);
  assert_place (parent, 0, 0, 0, 115, 30);
  assert_place (parent, 1, 125, 0, 76, 30);
  assert_place (parent, 2, 71, 34, 80, 20); /* no child expands in this line */
  test_assert_last_unref (parent);
}

/* Hidden children leave no gap, and no line. */
static void
test_hidden (void)
{
  GtkWidget *parent = parent_new ();
  gtk_widget_set_visible (nth (parent, 0), FALSE);
  gtk_widget_set_visible (nth (parent, 3), FALSE);
  give (parent, 200);
  assert_place (parent, 1, 0, 0, 60, 30);
  assert_place (parent, 2, 70, 0, 80, 30);
  gtk_widget_set_visible (nth (parent, 1), FALSE);
  gtk_widget_set_visible (nth (parent, 2), FALSE);
  g_assert_cmpint (height_for (parent, 200), ==, 0);
  give (parent, 200);
  test_assert_last_unref (parent);
}

/* A text that is too long gets a line of its own, and is cut there. */
static void
test_too_wide (void)
{
  GtkWidget *parent = parent_new ();
  GtkWidget *label = gtk_label_new ("A name that is by far too long for a line of this legend");
  int natural;
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_box_insert_child_after (GTK_BOX (parent), label, nth (parent, 0));
  gtk_widget_measure (label, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
  g_assert_cmpint (natural, >, 160);
  give (parent, 160);
  g_assert_cmpint (gtk_widget_get_width (label), ==, 160);
  assert_place (parent, 0, 0, 0, 100, 20);
  g_assert_cmpint (height_for (parent, 160), >, 20 + 30 + 2 * LINE_SPACING);
  test_assert_last_unref (parent);
}

/* In a window: changing the spacing takes effect at once. */
static void
test_window (void)
{
  GtkWidget *parent = parent_new ();
  GtkWindow *window = test_window_new (parent, 600, 100);
  g_object_unref (parent);
  assert_place (parent, 1, 110, 0, 60, gtk_widget_get_height (nth (parent, 0)));
  g_object_set (gtk_widget_get_layout_manager (parent), "spacing", 30, NULL);
  test_frames (window, 2);
  assert_place (parent, 1, 130, 0, 60, gtk_widget_get_height (nth (parent, 0)));
  for (int i = 0; i < 4; i++)
    gtk_box_remove (GTK_BOX (parent), gtk_widget_get_first_child (parent));
  test_frames (window, 2);
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/wrap-layout/measure", test_measure);
  g_test_add_func ("/app/wrap-layout/lines", test_lines);
  g_test_add_func ("/app/wrap-layout/align", test_align);
  g_test_add_func ("/app/wrap-layout/expand", test_expand);
  g_test_add_func ("/app/wrap-layout/hidden", test_hidden);
  g_test_add_func ("/app/wrap-layout/too-wide", test_too_wide);
  g_test_add_func ("/app/wrap-layout/window", test_window);
  return g_test_run ();
}
