/* SPDX-License-Identifier: Apache-2.0 */
/* test-legend-row.c - a class's share of the map, and its visibility switch. */
#include "app-test.h"
#include "app/map/legend-row.h"
#include "app/map/swatch.h"

static void
count_cb (int *n)
{
  (*n)++;
}

/* In a list, as in a preferences group. */
static GtkWindow *
show (GtkWidget *row)
{
  GtkWidget *list = gtk_list_box_new ();
  gtk_list_box_append (GTK_LIST_BOX (list), row);
  return test_window_new (list, 360, 100);
}

static void
assert_subtitle (GtkWidget *row, const char *subtitle)
{
  g_assert_cmpstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (row)), ==, subtitle);
}

static void
test_area (void)
{
  GtkWidget *row = urbarium_legend_row_new (URB_CLASS_BUILDING);
  UrbariumLegendRow *self = URBARIUM_LEGEND_ROW (row);
  GtkWindow *window = show (row);
  g_assert_nonnull (test_find (row, URBARIUM_TYPE_SWATCH));
  g_assert_cmpstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)), ==, "Building");
  urbarium_legend_row_set_area (self, 12345, 98765);
  assert_subtitle (row, "1.23 ha · 12.5 %");
  urbarium_legend_row_set_area (self, 0, 98765);
  assert_subtitle (row, "0 m² · 0.0 %");
  urbarium_legend_row_set_area (self, 850, 850);
  assert_subtitle (row, "850 m² · 100.0 %");
  urbarium_legend_row_set_area (self, 0, 0); /* a completely ignored map */
  assert_subtitle (row, "0 m² · 0.0 %");
  test_window_destroy (window);
}

/* By the switch, or anywhere on the row. */
static void
test_switch (void)
{
  GtkWidget *row = urbarium_legend_row_new (URB_CLASS_ROAD);
  GtkSwitch *visible_switch = urbarium_legend_row_get_switch (URBARIUM_LEGEND_ROW (row));
  GtkWindow *window = show (row);
  int n = 0;
  g_signal_connect_swapped (visible_switch, "notify::active", G_CALLBACK (count_cb), &n);
  g_assert_true (gtk_switch_get_active (visible_switch));
  g_assert_true (gtk_widget_activate (row));
  g_assert_false (gtk_switch_get_active (visible_switch));
  g_assert_cmpint (n, ==, 1);
  g_assert_true (gtk_widget_activate (GTK_WIDGET (visible_switch)));
  g_assert_true (gtk_switch_get_active (visible_switch));
  g_assert_cmpint (n, ==, 2);
  test_window_destroy (window);
}

static void
test_names (void)
{
  static const char *const names[]
    = { "Show “Building” on the map", "Show “Road” on the map", "Show “Other” on the map" };
  for (int c = 0; c < URB_N_CLASSES; c++)
    {
      GtkWidget *row = urbarium_legend_row_new ((UrbClass) c);
      GtkSwitch *visible_switch = urbarium_legend_row_get_switch (URBARIUM_LEGEND_ROW (row));
      GtkWindow *window = show (row);
      gtk_test_accessible_assert_role (GTK_ACCESSIBLE (visible_switch),
                                       GTK_ACCESSIBLE_ROLE_SWITCH);
      gtk_test_accessible_assert_property (GTK_ACCESSIBLE (visible_switch),
                                           GTK_ACCESSIBLE_PROPERTY_LABEL, names[c]);
      g_assert_cmpstr (gtk_widget_get_tooltip_text (GTK_WIDGET (visible_switch)), ==, names[c]);
      test_window_destroy (window);
    }
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/legend-row/area", test_area);
  g_test_add_func ("/app/legend-row/switch", test_switch);
  g_test_add_func ("/app/legend-row/names", test_names);
  return g_test_run ();
}
