/* SPDX-License-Identifier: Apache-2.0 */
/* test-narrow.c - every page can be as narrow as the window's minimum, whatever it shows. */
#include "app-test.h"

#include "app/areas/areas-page.h"
#include "app/cities/cities-page.h"
#include "app/map/map-page.h"
#include "app/train/train-page.h"
#include "style.h"

enum { NARROW_PX = 360 };

static int
min_width (GtkWidget *widget)
{
  int minimum;
  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  return minimum;
}

/* Widgets that hide their width from their parents may be wider: their contents scroll. */
static gboolean
is_scrolled (GtkWidget *widget)
{
  GtkPolicyType policy = GTK_POLICY_NEVER;
  if (GTK_IS_SCROLLED_WINDOW (widget))
    gtk_scrolled_window_get_policy (GTK_SCROLLED_WINDOW (widget), &policy, NULL);
  return policy != GTK_POLICY_NEVER;
}

/* Shows everything, also hidden widgets and hidden pages of stacks. */
static int
widest (GtkWidget *widget)
{
  int most;
  GtkWidget *child;
  gtk_widget_set_visible (widget, TRUE);
  most = min_width (widget);
  if (is_scrolled (widget))
    return most;
  for (child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (!GTK_IS_NATIVE (child))
      {
        int width;
        if (GTK_IS_STACK (widget))
          gtk_stack_set_visible_child (GTK_STACK (widget), child);
        width = widest (child);
        most = MAX (most, width);
        width = min_width (widget);
        most = MAX (most, width);
      }
  if (most > NARROW_PX)
    g_test_message ("%s or within: %d px", G_OBJECT_TYPE_NAME (widget), most);
  return most;
}

static void
check_page (gconstpointer type)
{
  GtkWidget *page = g_object_new (GPOINTER_TO_SIZE (type), NULL);
  GtkWidget *flap = test_find (page, ADW_TYPE_FLAP);
  g_object_ref_sink (page);
  /* Folded, it lies over the content, which must not shine through. */
  g_assert_true (gtk_widget_has_css_class (adw_flap_get_flap (ADW_FLAP (flap)), "background"));
  g_assert_cmpint (widest (page), <=, NARROW_PX);
  test_assert_last_unref (page);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  test_add_style ();
  g_test_add_data_func ("/narrow/map", GSIZE_TO_POINTER (URBARIUM_TYPE_MAP_PAGE), check_page);
  g_test_add_data_func ("/narrow/areas", GSIZE_TO_POINTER (URBARIUM_TYPE_AREAS_PAGE), check_page);
  g_test_add_data_func ("/narrow/train", GSIZE_TO_POINTER (URBARIUM_TYPE_TRAIN_PAGE), check_page);
  g_test_add_data_func ("/narrow/cities", GSIZE_TO_POINTER (URBARIUM_TYPE_CITIES_PAGE), check_page);
  return g_test_run ();
}
