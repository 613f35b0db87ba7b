/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-proposals-window.c - proposals for an outlined part of a city and for all but that, for a file,
 * cancelled, and for a file that shows nothing.
 */
#include <math.h>
#include <string.h>

#include "app/cities/city-export.h"
#include "app/cities/city-source.h"
#include "app/cities/city-view.h"
#include "app/cities/gallery.h"
#include "app/cities/proposals-window.h"
#include "cities-fixture.h"

static gpointer
get_child (gpointer window, const char *name)
{
  return gtk_widget_get_template_child (window, URBARIUM_TYPE_PROPOSALS_WINDOW, name);
}

static gboolean
shows (gpointer window, const char *name)
{
  return g_strcmp0 (gtk_stack_get_visible_child_name (get_child (window, "content")), name) == 0;
}

static gboolean
shows_gallery (gpointer window)
{
  return shows (window, "gallery");
}

static gboolean
shows_error (gpointer window)
{
  return shows (window, "error");
}

static gboolean
has_progress (gpointer window)
{
  return gtk_progress_bar_get_fraction (get_child (window, "progress")) > 0 || shows_gallery (window);
}

static UrbariumCity *
get_proposal (gpointer window, guint i)
{
  GListModel *cities = urbarium_gallery_get_model (get_child (window, "gallery"));
  g_autoptr(UrbariumCity) city = g_list_model_get_item (cities, i);
  return city;
}

static gboolean
is_drawn (gpointer city)
{
  return urbarium_city_get_tile (city) != NULL;
}

/* (transfer full): city @index, with a source that must outlive it */
static UrbariumCity *
draw_city (UrbariumCitySource *source, gint64 index)
{
  UrbariumCity *city = urbarium_city_new (1, index, 1);
  urbarium_city_source_open (source, cities_fixture_checkpoint ());
  urbarium_city_source_want (source, city);
  test_until (is_drawn, city);
  return city;
}

/* The upper right quarter. */
static GArray *
make_outline (void)
{
  const double xy[] = { 125, 125, 250, 125, 250, 250, 125, 250 };
  GArray *outline = g_array_new (FALSE, FALSE, sizeof (double));
  return g_array_append_vals (outline, xy, G_N_ELEMENTS (xy));
}

/* Of the pixels of a proposal inside or outside of the outline, the share with the class of the city's
 * plan. */
static double
get_kept (UrbariumCity *proposal, UrbariumCity *city, gboolean inside)
{
  g_autoptr(UrbClassMap) map = urbarium_tile_make_class_map (urbarium_city_get_tile (proposal));
  g_autoptr(UrbClassMap) plan = urb_class_map_new_from_vectors (
    urbarium_tile_get_vectors (urbarium_city_get_tile (city)), map->height_px, NULL, NULL);
  int n = 0, n_same = 0, half = map->width_px / 2;
  for (int row = 0; row < map->height_px; row++)
    for (int col = 0; col < map->width_px; col++)
      if ((row < half && col >= half) == inside)
        {
          int i = row * map->width_px + col;
          n++;
          n_same += map->classes[i] == plan->classes[i];
        }
  return (double) n_same / n;
}

/* The buildings of a plan that are wholly inside or outside of the outline, as text. */
static GHashTable *
list_buildings (UrbariumCity *city, gboolean inside)
{
  const UrbCityVectors *plan = urbarium_tile_get_vectors (urbarium_city_get_tile (city));
  GHashTable *buildings = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < plan->polygons->len; i++)
    {
      const UrbCityPolygon *polygon = &g_array_index (plan->polygons, UrbCityPolygon, i);
      double min[2] = { G_MAXDOUBLE, G_MAXDOUBLE }, max[2] = { 0, 0 };
      guint n;
      const double *xy = urb_city_vectors_get_ring (plan, polygon, 0, &n);
      for (guint k = 0; k < 2 * n; k++)
        {
          min[k % 2] = MIN (min[k % 2], xy[k]);
          max[k % 2] = MAX (max[k % 2], xy[k]);
        }
      if (polygon->class_ == URB_CLASS_BUILDING
          && (inside ? min[0] > 125 && min[1] > 125 : max[0] < 125 || max[1] < 125))
        g_hash_table_add (buildings, g_strdup_printf ("%.2f %.2f %.2f %.2f %.1f", min[0], min[1], max[0],
                                                      max[1], polygon->area_m2));
    }
  return buildings;
}

/* Each building of the city that stays is in the proposal's plan, wall by wall. */
static void
assert_stays (UrbariumCity *proposal, UrbariumCity *city, gboolean inside)
{
  g_autoptr(GHashTable) before = list_buildings (city, inside), after = list_buildings (proposal, inside);
  GHashTableIter iter;
  gpointer building;
  g_assert_cmpuint (g_hash_table_size (before), >, 0);
  g_hash_table_iter_init (&iter, before);
  while (g_hash_table_iter_next (&iter, &building, NULL))
    if (!g_hash_table_contains (after, building))
      g_error ("the building %s is missing", (char *) building);
}

static void
test_outline (void)
{
  g_autoptr(UrbariumCitySource) source = urbarium_city_source_new ();
  g_autoptr(UrbariumCity) city = draw_city (source, 1);
  g_autoptr(GArray) outline = make_outline ();
  GtkWidget *button = gtk_button_new ();
  GtkWindow *window = test_window_new (button, 900, 700);
  UrbariumProposalsWindow *proposals
    = urbarium_proposals_window_open (button, cities_fixture_checkpoint (), city, outline);
  UrbariumCity *first;
  g_assert_true (shows (proposals, "busy"));
  g_assert_cmpstr (adw_window_title_get_subtitle (get_child (proposals, "title")), ==, "City 1");
  g_assert_false (gtk_widget_get_sensitive (get_child (proposals, "export_button")));
  test_until (shows_gallery, proposals);
  g_assert_true (gtk_widget_get_sensitive (get_child (proposals, "export_button")));
  test_frames (GTK_WINDOW (proposals), 40);
  test_screenshot (GTK_WINDOW (proposals), "proposals");
  /* What stays is there, but for pixels that borders cross; an untrained city has many. */
  first = get_proposal (proposals, 0);
  g_assert_cmpfloat (get_kept (first, city, FALSE), >, 0.9);
  g_assert_cmpfloat (get_kept (first, city, TRUE), <, 0.97);
  assert_stays (first, city, FALSE);
  g_signal_emit_by_name (get_child (proposals, "gallery"), "opened", get_proposal (proposals, 2));
  g_assert_true (shows (proposals, "city"));
  test_frames (GTK_WINDOW (proposals), 20);
  test_screenshot (GTK_WINDOW (proposals), "proposal");
  gtk_widget_activate_action (GTK_WIDGET (proposals), "proposals.back", NULL);
  g_assert_true (shows_gallery (proposals));
  /* The other way round. */
  gtk_toggle_button_set_active (get_child (proposals, "inside_button"), FALSE);
  g_assert_true (shows (proposals, "busy"));
  test_until (shows_gallery, proposals);
  first = get_proposal (proposals, 0);
  g_assert_cmpfloat (get_kept (first, city, TRUE), >, 0.9);
  g_assert_cmpfloat (get_kept (first, city, FALSE), <, 0.97);
  assert_stays (first, city, TRUE);
  gtk_window_close (GTK_WINDOW (proposals));
  urbarium_city_source_unwant (source, city);
  test_window_destroy (window);
}

static void
test_cancel (void)
{
  g_autoptr(UrbariumCitySource) source = urbarium_city_source_new ();
  g_autoptr(UrbariumCity) city = draw_city (source, 2);
  g_autoptr(GArray) outline = make_outline ();
  GtkWidget *button = gtk_button_new ();
  GtkWindow *window = test_window_new (button, 900, 700);
  UrbariumProposalsWindow *proposals
    = urbarium_proposals_window_open (button, cities_fixture_checkpoint (), city, outline);
  test_until (has_progress, proposals);
  test_screenshot (GTK_WINDOW (proposals), "proposals-busy");
  gtk_widget_activate_action (GTK_WIDGET (proposals), "proposals.cancel", NULL);
  g_assert_true (shows_error (proposals));
  g_assert_false (gtk_widget_get_sensitive (get_child (proposals, "export_button")));
  gtk_widget_activate_action (GTK_WIDGET (proposals), "proposals.again", NULL);
  test_until (shows_gallery, proposals);
  gtk_window_close (GTK_WINDOW (proposals));
  urbarium_city_source_unwant (source, city);
  test_window_destroy (window);
}

/* The house of the file below, to a centimeter. */
static void
assert_has_house (UrbariumCity *proposal)
{
  const UrbCityVectors *plan = urbarium_tile_get_vectors (urbarium_city_get_tile (proposal));
  gboolean found = FALSE;
  for (guint i = 0; i < plan->polygons->len; i++)
    {
      const UrbCityPolygon *polygon = &g_array_index (plan->polygons, UrbCityPolygon, i);
      guint n;
      const double *xy = urb_city_vectors_get_ring (plan, polygon, 0, &n);
      int n_met = 0;
      for (guint k = 0; k < n && n == 4; k++)
        n_met += (fabs (xy[2 * k] - 50) < 0.01 || fabs (xy[2 * k] - 100) < 0.01)
                 && (fabs (xy[2 * k + 1] - 50) < 0.01 || fabs (xy[2 * k + 1] - 80) < 0.01);
      found |= n_met == 4 && polygon->class_ == URB_CLASS_BUILDING;
    }
  g_assert_true (found);
}

static gboolean
exists (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* With its coordinate system, an exported proposal lies where the site is. */
static void
assert_placed (gpointer proposals)
{
  g_autofree char *path = g_build_filename (cities_fixture_folder (), "placed.geojson", NULL);
  g_autoptr(GPtrArray) cities = g_ptr_array_new ();
  g_autoptr(UrbariumCitySource) source = urbarium_city_source_new ();
  g_autofree char *text = NULL;
  gtk_editable_set_text (get_child (proposals, "epsg_entry"), "2056");
  gtk_widget_activate_action (GTK_WIDGET (proposals), "proposals.again", NULL);
  g_assert_true (shows (proposals, "busy"));
  test_until (shows_gallery, proposals);
  g_ptr_array_add (cities, get_proposal (proposals, 0));
  g_assert_cmpint (urbarium_city_get_place (cities->pdata[0])->epsg, ==, 2056);
  urbarium_city_export_run (proposals, source, cities, path, get_child (proposals, "job_bar"));
  test_until (exists, path);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "EPSG::2056"));
  g_assert_nonnull (strstr (text, "[1000.0000,2000.0000]"));
}

/* An export of a city may be what stays; a file that shows nothing in the area says so. */
static void
test_file (void)
{
  g_autofree char *keep = g_build_filename (cities_fixture_folder (), "keep.geojson", NULL);
  const char text[] = "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\","
                      "\"properties\":{\"class\":\"building\"},\"geometry\":{\"type\":\"Polygon\","
                      "\"coordinates\":[[[1050,2050],[1100,2050],[1100,2080],[1050,2080],[1050,2050]]]}}]}";
  GtkWidget *button = gtk_button_new ();
  GtkWindow *window = test_window_new (button, 900, 700);
  UrbariumProposalsWindow *proposals;
  g_assert_true (g_file_set_contents (keep, text, -1, NULL));
  proposals = urbarium_proposals_window_open_file (button, cities_fixture_checkpoint (), keep);
  g_assert_cmpstr (adw_window_title_get_subtitle (get_child (proposals, "title")), ==, "keep.geojson");
  g_assert_true (gtk_widget_get_visible (get_child (proposals, "place_tools")));
  test_until (shows_error, proposals);
  test_frames (GTK_WINDOW (proposals), 5);
  test_screenshot (GTK_WINDOW (proposals), "proposals-error");
  gtk_editable_set_text (get_child (proposals, "x_entry"), "abc");
  gtk_widget_activate_action (GTK_WIDGET (proposals), "proposals.again", NULL);
  g_assert_true (shows_error (proposals));
  g_assert_true (gtk_widget_has_css_class (get_child (proposals, "x_entry"), "error"));
  gtk_editable_set_text (get_child (proposals, "x_entry"), "1000");
  gtk_editable_set_text (get_child (proposals, "y_entry"), "2000");
  gtk_widget_activate_action (GTK_WIDGET (proposals), "proposals.again", NULL);
  test_until (shows_gallery, proposals);
  g_assert_false (gtk_widget_has_css_class (get_child (proposals, "x_entry"), "error"));
  assert_has_house (get_proposal (proposals, 0));
  assert_placed (proposals);
  gtk_window_close (GTK_WINDOW (proposals));
  test_window_destroy (window);
}

static gboolean
is_gone (gpointer pointer)
{
  return *(gpointer *) pointer == NULL;
}

static void
test_close (void)
{
  g_autoptr(UrbariumCitySource) source = urbarium_city_source_new ();
  g_autoptr(UrbariumCity) city = draw_city (source, 3);
  g_autoptr(GArray) outline = make_outline ();
  GtkWidget *button = gtk_button_new ();
  GtkWindow *window = test_window_new (button, 900, 700);
  gpointer proposals
    = urbarium_proposals_window_open (button, cities_fixture_checkpoint (), city, outline);
  g_object_add_weak_pointer (proposals, &proposals);
  test_frames (window, 2);
  gtk_window_close (proposals);
  test_until (is_gone, &proposals);
  urbarium_city_source_unwant (source, city);
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  int failed;
  test_app_init (&argc, &argv);
  cities_fixture_set_up ();
  g_test_add_func ("/app/cities/proposals/outline", test_outline);
  g_test_add_func ("/app/cities/proposals/cancel", test_cancel);
  g_test_add_func ("/app/cities/proposals/file", test_file);
  g_test_add_func ("/app/cities/proposals/close", test_close);
  failed = g_test_run ();
  cities_fixture_tear_down ();
  return failed;
}
