/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-city-tile.c - what a tile shows of its city; its star emits a signal but does not change the
 * city.
 */
#include "app-test.h"
#include "app/cities/city-tile.h"
#include "stand-in.h"

typedef struct
{
  UrbariumCity *city; /* borrowed */
  gboolean      favorite;
  int           n;
} Told;

static void
told_cb (UrbariumCityTile *tile, UrbariumCity *city, gboolean favorite, Told *told)
{
  told->city = city;
  told->favorite = favorite;
  told->n++;
}

static void
count_cb (int *n)
{
  (*n)++;
}

static gboolean
has_happened (gpointer n)
{
  return *(int *) n > 0;
}

static GtkButton *
get_star (GtkWidget *tile)
{
  return GTK_BUTTON (test_find (tile, GTK_TYPE_BUTTON));
}

static const char *
get_label (GtkWidget *tile)
{
  GtkWidget *label = gtk_widget_get_first_child (tile);
  g_assert_true (GTK_IS_LABEL (label));
  return gtk_label_get_label (GTK_LABEL (label));
}

static void
test_star (void)
{
  g_autoptr(UrbariumCity) city = urbarium_city_new (1, 12, 1);
  g_autoptr(UrbariumCity) between = urbarium_city_new_between (1, 12, 1, 0.25);
  GtkWidget *tile = urbarium_city_tile_new ();
  GtkWindow *window = test_window_new (tile, 240, 240);
  GtkButton *star = get_star (tile);
  Told told = { 0 };
  g_signal_connect (tile, "favorite-toggled", G_CALLBACK (told_cb), &told);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (star)));
  urbarium_city_tile_set_city (URBARIUM_CITY_TILE (tile), city);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (star)));
  g_assert_cmpstr (gtk_button_get_icon_name (star), ==, "non-starred-symbolic");
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (star), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Add to favorites");

  /* Only requested: the favorites set it. */
  g_signal_emit_by_name (star, "clicked");
  g_assert_cmpint (told.n, ==, 1);
  g_assert_true (told.city == city && told.favorite);
  g_assert_false (urbarium_city_get_favorite (city));
  g_assert_false (gtk_widget_has_css_class (tile, "favorite"));
  urbarium_city_set_favorite (city, TRUE);
  g_assert_cmpstr (gtk_button_get_icon_name (star), ==, "starred-symbolic");
  g_assert_cmpstr (gtk_widget_get_tooltip_text (GTK_WIDGET (star)), ==, "Remove from favorites");
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (star), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Remove from favorites");
  g_assert_true (gtk_widget_has_css_class (tile, "favorite"));
  g_signal_emit_by_name (star, "clicked");
  g_assert_true (told.n == 2 && !told.favorite);

  /* An interpolated city cannot be a favorite. */
  urbarium_city_tile_set_city (URBARIUM_CITY_TILE (tile), between);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (star)));
  g_assert_false (gtk_widget_has_css_class (tile, "favorite"));
  test_window_destroy (window);
}

static void
test_words (void)
{
  g_autoptr(UrbariumCity) city = urbarium_city_new (1, 12, 1);
  g_autoptr(UrbariumCity) other = urbarium_city_new_between (1, 1, 1, 0.25);
  GtkWidget *tile = urbarium_city_tile_new ();
  GtkWindow *window = test_window_new (tile, 240, 240);
  GtkAccessible *accessible = GTK_ACCESSIBLE (tile);
  g_assert_cmpint (gtk_accessible_get_accessible_role (accessible), ==, GTK_ACCESSIBLE_ROLE_IMG);
  g_assert_cmpstr (get_label (tile), ==, "");
  urbarium_city_tile_set_city (URBARIUM_CITY_TILE (tile), city);
  g_assert_cmpstr (get_label (tile), ==, "City 12");
  gtk_test_accessible_assert_property (accessible, GTK_ACCESSIBLE_PROPERTY_LABEL, "City 12");
  g_assert_null (gtk_widget_get_tooltip_text (tile));
  urbarium_city_set_failure (city, "The engine is gone.");
  g_assert_cmpstr (gtk_widget_get_tooltip_text (tile), ==, "The engine is gone.");
  urbarium_city_set_failure (city, NULL);
  g_assert_null (gtk_widget_get_tooltip_text (tile));

  /* Changes of the previous city have no effect, and it is released. */
  urbarium_city_tile_set_city (URBARIUM_CITY_TILE (tile), other);
  urbarium_city_set_failure (city, "Too late");
  urbarium_city_set_favorite (city, TRUE);
  g_assert_null (gtk_widget_get_tooltip_text (tile));
  g_assert_false (gtk_widget_has_css_class (tile, "favorite"));
  g_assert_cmpstr (get_label (tile), ==, "25.0 % of the way");
  g_assert_cmpuint (
    g_signal_handler_find (city, G_SIGNAL_MATCH_DATA, 0, 0, NULL, NULL, tile), ==, 0);
  test_assert_last_unref (g_steal_pointer (&city));
  urbarium_city_tile_set_city (URBARIUM_CITY_TILE (tile), NULL);
  g_assert_cmpstr (get_label (tile), ==, "");
  g_assert_null (urbarium_city_tile_get_city (URBARIUM_CITY_TILE (tile)));
  test_frames (window, 2);
  test_window_destroy (window);
}

/* Variations of one city have different captions, which fit into a small tile. */
static void
test_variations (void)
{
  const UrbTurn turns[] = { { 0.1, 0.2, 1 }, { 0.1, -0.2, 1 }, { 0.1, 0.2, 2 } };
  static const char *const expected[] = { "10.0 % right, 20.0 % up, directions\u00a01",
                                          "10.0 % right, 20.0 % down, directions\u00a01",
                                          "10.0 % right, 20.0 % up, directions\u00a02" };
  GtkWidget *tile = urbarium_city_tile_new ();
  GtkWindow *window = test_window_new (tile, 180, 180);
  GtkWidget *label = gtk_widget_get_first_child (tile);
  for (guint i = 0; i < G_N_ELEMENTS (turns); i++)
    {
      g_autoptr(UrbariumCity) city = urbarium_city_new (1, 12, 1);
      g_autofree char *text = g_strconcat ("Variation of city 12\n", expected[i], NULL);
      urbarium_city_set_turn (city, &turns[i]);
      urbarium_city_tile_set_city (URBARIUM_CITY_TILE (tile), city);
      g_assert_cmpstr (get_label (tile), ==, text);
      gtk_test_accessible_assert_property (GTK_ACCESSIBLE (tile), GTK_ACCESSIBLE_PROPERTY_LABEL, text);
      test_frames (window, 2);
      g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (label))));
      g_assert_cmpint (gtk_widget_get_width (label), <=, gtk_widget_get_width (tile) - 12);
    }
  test_screenshot (window, "city-tile-variation");
  test_window_destroy (window);
}

static int
measure_height (GtkWidget *tile, int width)
{
  int natural;
  gtk_widget_measure (tile, GTK_ORIENTATION_VERTICAL, width, NULL, &natural, NULL, NULL);
  return natural;
}

/* Square and never smaller than its edge; star and caption follow the text direction. */
static void
test_place (void)
{
  g_autoptr(UrbariumCity) city = urbarium_city_new (1, 123456789, 1);
  GtkWidget *tile = urbarium_city_tile_new (), *star;
  GtkWindow *window = test_window_new (tile, 300, 300);
  int n_notified = 0, edge;
  graphene_rect_t at, words;
  urbarium_city_tile_set_city (URBARIUM_CITY_TILE (tile), city);
  star = GTK_WIDGET (get_star (tile));
  g_assert_cmpint (measure_height (tile, 240), ==, 240);
  g_assert_cmpint (measure_height (tile, -1), ==, 180);
  g_signal_connect_swapped (tile, "notify::edge", G_CALLBACK (count_cb), &n_notified);
  urbarium_city_tile_set_edge (URBARIUM_CITY_TILE (tile), 84);
  g_object_set (tile, "edge", 84, NULL);
  g_object_get (tile, "edge", &edge, NULL);
  g_assert_cmpint (edge, ==, 84);
  g_assert_cmpint (n_notified, ==, 1);
  g_assert_cmpint (measure_height (tile, 100), ==, 100);

  test_frames (window, 3);
  g_assert_true (gtk_widget_compute_bounds (star, tile, &at));
  g_assert_true (gtk_widget_compute_bounds (gtk_widget_get_first_child (tile), tile, &words));
  g_assert_cmpfloat (at.origin.x, >, gtk_widget_get_width (tile) / 2.0);
  g_assert_cmpfloat (words.origin.x, <, 20);
  g_assert_cmpfloat (words.origin.y, >, gtk_widget_get_height (tile) / 2.0);
  gtk_widget_set_direction (tile, GTK_TEXT_DIR_RTL);
  test_frames (window, 3);
  g_assert_true (gtk_widget_compute_bounds (star, tile, &at));
  g_assert_cmpfloat (at.origin.x, <, 20);
  test_window_destroy (window);
}

/* Only the visible kind of image is painted: there are hundreds of tiles. */
static void
test_picture (void)
{
  g_autoptr(UrbariumCity) city = stand_in_city (1, 1);
  GtkWidget *tile = urbarium_city_tile_new ();
  GtkWindow *window = test_window_new (tile, 240, 240);
  int n_raster = 0, n_vector = 0, n_notified = 0;
  g_signal_connect_swapped (city, "notify::raster", G_CALLBACK (count_cb), &n_raster);
  g_signal_connect_swapped (city, "notify::vector", G_CALLBACK (count_cb), &n_vector);
  g_signal_connect_swapped (tile, "notify::vectors", G_CALLBACK (count_cb), &n_notified);
  urbarium_city_tile_set_city (URBARIUM_CITY_TILE (tile), city);
  test_until (has_happened, &n_raster);
  test_frames (window, 3);
  test_screenshot (window, "city-tile-raster");
  g_assert_cmpint (n_vector, ==, 0);
  g_object_set (tile, "vectors", TRUE, NULL);
  urbarium_city_tile_set_vectors (URBARIUM_CITY_TILE (tile), TRUE);
  g_assert_cmpint (n_notified, ==, 1);
  test_until (has_happened, &n_vector);
  test_frames (window, 3);
  test_screenshot (window, "city-tile-vector");
  g_assert_cmpint (n_raster, ==, 1);
  g_assert_cmpint (n_vector, ==, 1);

  /* A tile dropped to save memory and drawn again is painted again automatically. */
  urbarium_city_set_tile (city, NULL);
  test_frames (window, 2);
  n_vector = 0;
  {
    g_autoptr(UrbariumTile) again = stand_in_tile (2);
    urbarium_city_set_tile (city, again);
  }
  test_until (has_happened, &n_vector);
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/cities/city-tile/star", test_star);
  g_test_add_func ("/app/cities/city-tile/words", test_words);
  g_test_add_func ("/app/cities/city-tile/variations", test_variations);
  g_test_add_func ("/app/cities/city-tile/place", test_place);
  g_test_add_func ("/app/cities/city-tile/picture", test_picture);
  return g_test_run ();
}
