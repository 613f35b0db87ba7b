/* SPDX-License-Identifier: Apache-2.0 */
/* test-area-tile.c - a tile shows the area set last, as soon as it is encoded. */
#include "app/areas/area-tile.h"

#include "app/areas/area-list.h"
#include "curation-fixture.h"
#include "dataset/plan-style.h"
#include "looks.h"

enum { MIDDLE = 60 }; /* approximately: the stripe and the mark are smaller */

typedef struct
{
  CurationFixture     base;
  UrbariumTileSource *source;
  GListModel         *list;
  GtkWidget          *tile;
  GtkWindow          *window;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  curation_fixture_init (&self->base);
  curation_fixture_open (&self->base);
  self->source = urbarium_tile_source_new ();
  urbarium_tile_source_set_ranked (self->source,
                                   urbarium_curation_get_ranked (self->base.curation));
  self->list = G_LIST_MODEL (urbarium_area_list_new (self->base.curation));
  self->tile = urbarium_area_tile_new (self->source);
  self->window = test_window_new (self->tile, 200, 300);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  test_window_destroy (self->window);
  test_assert_last_unref (self->list);
  test_assert_last_unref (self->source);
  curation_fixture_clear (&self->base);
}

static void
set_nth (Fixture *self, guint n)
{
  g_autoptr(UrbariumAreaItem) item = g_list_model_get_item (self->list, n);
  urbarium_area_tile_set_item (URBARIUM_AREA_TILE (self->tile), item);
}

static const UrbRankedArea *
nth (Fixture *self, guint n)
{
  return urbarium_curation_get_area (self->base.curation, n);
}

/* The shares are known when the tile is ready. */
static gboolean
has_picture (gpointer tile)
{
  const char *text = gtk_widget_get_tooltip_text (tile);
  return text != NULL && strchr (text, '\n') != NULL;
}

static void
assert_says (Fixture *self, guint n, gboolean with_picture)
{
  const UrbariumTile *tile = NULL;
  g_autofree char *text = NULL;
  if (with_picture)
    {
      const UrbariumSearch *search = urbarium_curation_get_ranked (self->base.curation)->search;
      tile = urbarium_tile_source_get (self->source, search, nth (self, n));
      g_assert_nonnull (tile);
    }
  text = urbarium_area_describe (nth (self, n), tile);
  g_assert_cmpstr (gtk_widget_get_tooltip_text (self->tile), ==, text);
  test_assert_name (self->tile, text);
}

/* A pixel of the square in the center of the widget, from its lower left corner; negative: from the
 * upper right one. */
static guint32
pixel_at (Fixture *self, TestPicture *picture, int x, int y)
{
  int width = gtk_widget_get_width (self->tile), height = gtk_widget_get_height (self->tile);
  int edge = MIN (width, height);
  x = (width - edge) / 2 + (x < 0 ? edge + x : x);
  y = (height - edge) / 2 + (y < 0 ? -y - 1 : edge - 1 - y);
  return test_picture_get (picture, x, y);
}

static guint32
color_of (UrbColor color)
{
  return 0xff000000u | (guint32) color.r << 16 | (guint32) color.g << 8 | color.b;
}

static void
test_describe (void)
{
  UrbRankedArea area = { .variance = 0.524f, .split = URB_SPLIT_TRAIN };
  UrbariumTile tile = { .share = { 0.25, 0.125, 0.625 } };
  g_autofree char *train = urbarium_area_describe (&area, NULL);
  g_autofree char *test = NULL;
  g_autofree char *full = NULL;
  g_assert_cmpstr (train, ==, "For training, variance 0.52");
  area.split = URB_SPLIT_TEST;
  test = urbarium_area_describe (&area, NULL);
  g_assert_cmpstr (test, ==, "For testing, variance 0.52");
  area.forced = TRUE;
  full = urbarium_area_describe (&area, &tile);
  g_assert_cmpstr (full, ==, "For testing, variance 0.52, added by hand\n"
                             "Buildings 25.0 %, roads 12.5 %, other 62.5 %");
}

/* A square, with or without an area. */
static void
test_empty (Fixture *self, gconstpointer data)
{
  g_autoptr(TestPicture) picture = test_picture_new (self->tile);
  int minimum, natural;
  g_assert_cmphex (pixel_at (self, picture, MIDDLE, MIDDLE), ==, 0);
  g_assert_null (gtk_widget_get_tooltip_text (self->tile));
  g_assert_cmpint (gtk_widget_get_request_mode (self->tile), ==,
                   GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH);
  gtk_widget_measure (self->tile, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL, NULL);
  g_assert_cmpint (minimum, ==, natural);
  gtk_widget_measure (self->tile, GTK_ORIENTATION_VERTICAL, 2 * natural, &minimum, NULL, NULL,
                      NULL);
  g_assert_cmpint (minimum, ==, 2 * natural);
}

static void
test_picture (Fixture *self, gconstpointer data)
{
  g_autoptr(TestPicture) before = NULL;
  g_autoptr(TestPicture) after = NULL;
  const UrbRankedArea *area = nth (self, 0);
  set_nth (self, 0);
  assert_says (self, 0, FALSE);
  test_until (has_picture, self->tile);
  assert_says (self, 0, TRUE);
  after = test_picture_new (self->tile);
  g_assert_cmphex (test_picture_get (after, 0, 0), ==, 0); /* next to the square */
  g_assert_cmphex (pixel_at (self, after, MIDDLE, MIDDLE) >> 24, ==, 0xff);
  g_assert_true (test_alike (pixel_at (self, after, MIDDLE, 1),
                             color_of (area->split == URB_SPLIT_TEST ? URB_COLOR_TEST
                                                                     : URB_COLOR_TRAIN)));
  test_screenshot (self->window, "area-tile");

  /* Without a tile, there is a faint background, and no shares are shown. */
  urbarium_tile_source_set_ranked (self->source, NULL);
  assert_says (self, 0, FALSE);
  before = test_picture_new (self->tile);
  g_assert_cmphex (pixel_at (self, before, MIDDLE, MIDDLE), !=, 0);
  g_assert_cmphex (pixel_at (self, before, MIDDLE, MIDDLE) >> 24, <, 0x40);
  urbarium_tile_source_set_ranked (self->source,
                                   urbarium_curation_get_ranked (self->base.curation));
  test_until (has_picture, self->tile);
  assert_says (self, 0, TRUE);
}

/* Widgets are recycled: only the tile of the current item is shown. */
static void
test_recycled (Fixture *self, gconstpointer data)
{
  const UrbariumSearch *search = urbarium_curation_get_ranked (self->base.curation)->search;
  GtkWidget *other = g_object_ref_sink (urbarium_area_tile_new (self->source));
  g_autoptr(UrbariumAreaItem) item = g_list_model_get_item (self->list, 2);
  g_autoptr(TestPicture) picture = NULL;
  g_assert_cmpuint (g_list_model_get_n_items (self->list), >, 4);
  for (guint i = 0; i < 4; i++)
    set_nth (self, i);
  set_nth (self, 1);
  assert_says (self, 1, FALSE);
  test_until (has_picture, self->tile);
  assert_says (self, 1, TRUE);

  /* Two widgets request one tile; one of them cancels. */
  urbarium_area_tile_set_item (URBARIUM_AREA_TILE (other), item);
  set_nth (self, 2);
  set_nth (self, 3);
  test_until (has_picture, other);
  g_assert_nonnull (urbarium_tile_source_get (self->source, search, nth (self, 2)));
  test_assert_last_unref (other);
  urbarium_tile_source_set_ranked (self->source, NULL); /* with the widget already disposed */

  urbarium_area_tile_set_item (URBARIUM_AREA_TILE (self->tile), NULL);
  picture = test_picture_new (self->tile);
  g_assert_cmphex (pixel_at (self, picture, MIDDLE, MIDDLE), ==, 0);
}

static gboolean
is_marked (Fixture *self, guint n)
{
  g_autoptr(TestPicture) picture = NULL;
  set_nth (self, n);
  test_until (has_picture, self->tile);
  picture = test_picture_new (self->tile);
  return test_alike (pixel_at (self, picture, 5, -5),
                     pixel_at (self, picture, MIDDLE, 1));
}

/* Areas for testing have another color, and areas added by hand have a mark. */
static void
test_kinds (Fixture *self, gconstpointer data)
{
  gsize n = curation_fixture_n_chosen (&self->base);
  guint n_seen[URB_N_SPLITS] = { 0 };
  for (guint i = 0; i < n; i++)
    {
      gboolean test = nth (self, i)->split == URB_SPLIT_TEST;
      g_autoptr(TestPicture) picture = NULL;
      if (n_seen[nth (self, i)->split]++ > 0)
        continue;
      set_nth (self, i);
      picture = test_picture_new (self->tile);
      g_assert_true (test_alike (pixel_at (self, picture, MIDDLE, 1),
                                 color_of (test ? URB_COLOR_TEST : URB_COLOR_TRAIN)));
    }
  g_assert_cmpuint (n_seen[URB_SPLIT_TEST], >, 0);
  g_assert_cmpuint (n_seen[URB_SPLIT_TRAIN], >, 0);

  g_assert_false (is_marked (self, 0));
  curation_fixture_choose_by_hand (&self->base);
  g_assert_true (nth (self, 0)->forced);
  g_assert_true (is_marked (self, 0));
  assert_says (self, 0, TRUE);
}

int
main (int argc, char **argv)
{
  test_keep_names ();
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/area-tile/describe", test_describe);
#define ADD(name, func) g_test_add ("/app/area-tile/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("empty", test_empty);
  ADD ("picture", test_picture);
  ADD ("recycled", test_recycled);
  ADD ("kinds", test_kinds);
#undef ADD
  return g_test_run ();
}
