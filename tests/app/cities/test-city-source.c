/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-city-source.c - cities drawn by a child process: in order, withdrawn, and in spite of its
 * death.
 */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>

#include "app/cities/city-source.h"
#include "app/cities/favorites.h"
#include "cities-fixture.h"
#include "city/city-writer.h"

static gboolean
is_ready (gpointer source)
{
  return urbarium_city_source_get_model (source) != NULL;
}

static gboolean
is_drawn (gpointer city)
{
  return urbarium_city_get_tile (city) != NULL;
}

static gboolean
has_raster (gpointer city)
{
  return urbarium_city_get_raster (city) != NULL;
}

static gboolean
has_vector (gpointer city)
{
  return urbarium_city_get_vector (city) != NULL;
}

static void
set_cb (gboolean *flag)
{
  *flag = TRUE;
}

static UrbariumCitySource *
open_source (void)
{
  UrbariumCitySource *source = urbarium_city_source_new ();
  urbarium_city_source_open (source, cities_fixture_run ());
  test_until (is_ready, source);
  return source;
}

/* The images, and the vectors that `generate` writes. */
static void
test_draw (void)
{
  UrbariumCitySource *source = open_source ();
  UrbariumCity *city = urbarium_city_new (5, 7, 1);
  const UrbariumCityModel *model = urbarium_city_source_get_model (source);
  g_autofree char *theirs = g_build_filename (cities_fixture_folder (), "a.geojson", NULL);
  g_autofree char *ours = g_build_filename (cities_fixture_folder (), "b.geojson", NULL);
  g_autofree char *text_theirs = NULL, *text_ours = NULL;
  g_autoptr(UrbCityWriter) writer = NULL;
  g_autoptr(UrbProvenance) provenance = NULL;
  UrbCityLayout layout;
  g_assert_cmpint (model->size_px, ==, 64);
  g_assert_cmpfloat (model->area_size_m, ==, 250);
  urbarium_city_source_want (source, city);
  test_until (is_drawn, city);
  test_until (has_raster, city);
  test_until (has_vector, city);
  cities_fixture_engine ("generate '%s' --seed 5 --first 7 --count 1 --out %s",
                         cities_fixture_run (), theirs);
  urb_city_layout_init (&layout, 1, 250, 250);
  layout.provenance = provenance = urb_provenance_new (urbarium_city_get_checkpoint (city));
  urb_provenance_add_seed (provenance, 5);
  urb_provenance_add_cities (provenance, 7, 7, 1, 1);
  urb_provenance_add (provenance, "device", "cpu");
  writer = urb_city_writer_new (ours, &layout, NULL);
  urb_city_writer_add (writer, urbarium_tile_get_vectors (urbarium_city_get_tile (city)), 7, 5,
                       NULL);
  g_assert_true (urb_city_writer_finish (writer, NULL));
  g_assert_true (g_file_get_contents (theirs, &text_theirs, NULL, NULL));
  g_assert_true (g_file_get_contents (ours, &text_ours, NULL, NULL));
  g_assert_cmpstr (text_theirs, ==, text_ours);
  urbarium_city_source_unwant (source, city);
  test_assert_last_unref (source);
  test_assert_last_unref (city);
}

/* Withdrawn cities are not drawn; visible ones follow soon. */
static void
test_cancel (void)
{
  UrbariumCitySource *source = open_source ();
  g_autoptr(GPtrArray) away = g_ptr_array_new_with_free_func (g_object_unref);
  UrbariumCity *city = urbarium_city_new (1, 9999, 1);
  guint n_drawn = 0;
  for (int i = 1; i <= 400; i++)
    {
      UrbariumCity *one = urbarium_city_new (1, i, 1);
      g_ptr_array_add (away, one);
      urbarium_city_source_want (source, one);
    }
  for (guint i = 0; i < away->len; i++)
    urbarium_city_source_unwant (source, away->pdata[i]);
  urbarium_city_source_want (source, city);
  test_until (is_drawn, city);
  for (guint i = 0; i < away->len; i++)
    n_drawn += urbarium_city_get_tile (away->pdata[i]) != NULL;
  g_assert_cmpuint (n_drawn, <=, 8);
  urbarium_city_source_unwant (source, city);
  test_assert_last_unref (source);
  test_assert_last_unref (city);
}

static void
test_killed (void)
{
  UrbariumCitySource *source = open_source ();
  g_autoptr(GPtrArray) cities = g_ptr_array_new_with_free_func (g_object_unref);
  gboolean restarted = FALSE, opened_again = FALSE;
  int pid = atoi (urbarium_city_source_get_pid (source));
  g_signal_connect_swapped (source, "restarted", G_CALLBACK (set_cb), &restarted);
  g_signal_connect_swapped (source, "opened", G_CALLBACK (set_cb), &opened_again);
  for (int i = 1; i <= 40; i++)
    {
      UrbariumCity *one = urbarium_city_new (1, i, 1);
      g_ptr_array_add (cities, one);
      urbarium_city_source_want (source, one);
    }
  kill (pid, SIGKILL);
  for (guint i = 0; i < cities->len; i++)
    test_until (is_drawn, cities->pdata[i]);
  g_assert_true (restarted);
  g_assert_false (opened_again); /* the cities stay the same */
  g_assert_cmpint (atoi (urbarium_city_source_get_pid (source)), !=, pid);
  test_assert_last_unref (source);
}

/* Finalizing while the child draws. */
static void
test_finalize (void)
{
  UrbariumCitySource *source = open_source ();
  UrbariumCity *city = urbarium_city_new (1, 1, 1);
  urbarium_city_source_want (source, city);
  test_assert_last_unref (source);
  test_assert_last_unref (city);
  source = urbarium_city_source_new ();
  urbarium_city_source_open (source, cities_fixture_run ());
  test_assert_last_unref (source);
}

static void
failed_cb (UrbariumCitySource *source, const GError *error, char **text)
{
  g_free (*text);
  *text = g_strdup (error->message);
}

static gboolean
has_text (gpointer text)
{
  return *(char **) text != NULL;
}

static void
test_errors (void)
{
  UrbariumCitySource *source = urbarium_city_source_new ();
  g_autofree char *text = NULL;
  g_autofree char *engine = g_strdup (g_getenv ("URBARIUM_ENGINE"));
  g_signal_connect (source, "failed", G_CALLBACK (failed_cb), &text);
  urbarium_city_source_open (source, "/nowhere/at-all.safetensors");
  test_until (has_text, &text);
  g_assert_nonnull (strstr (text, "/nowhere/at-all.safetensors"));
  g_assert_null (urbarium_city_source_get_model (source));
  urbarium_city_source_open (source, cities_fixture_run ());
  test_until (is_ready, source);
  test_assert_last_unref (source);
  /* A program that exits at once is not restarted forever. */
  g_clear_pointer (&text, g_free);
  g_setenv ("URBARIUM_ENGINE", "/bin/false", TRUE);
  source = urbarium_city_source_new ();
  g_signal_connect (source, "failed", G_CALLBACK (failed_cb), &text);
  urbarium_city_source_open (source, cities_fixture_run ());
  test_until (has_text, &text);
  test_assert_last_unref (source);
  if (engine != NULL)
    g_setenv ("URBARIUM_ENGINE", engine, TRUE);
  else
    g_unsetenv ("URBARIUM_ENGINE");
}

static gboolean
has_failed (gpointer city)
{
  return urbarium_city_get_failure (city) != NULL;
}

/* Pending cities of the previous checkpoint fail. */
static void
test_another (void)
{
  UrbariumCitySource *source = open_source ();
  g_autoptr(GPtrArray) cities = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GPtrArray) walk = g_ptr_array_new_with_free_func (g_object_unref);
  UrbariumCity *next = urbarium_city_new (2, 1, 1);
  for (int i = 1; i <= 40; i++)
    {
      g_ptr_array_add (cities, urbarium_city_new (1, i, 1));
      urbarium_city_source_want (source, cities->pdata[i - 1]);
    }
  for (int i = 0; i < 3; i++)
    g_ptr_array_add (walk, urbarium_city_new_between (1, i + 1, 1, i / 2.0));
  urbarium_city_source_walk (source, cities->pdata[0], cities->pdata[1], walk);
  test_until (is_drawn, cities->pdata[0]);
  urbarium_city_source_open (source, cities_fixture_checkpoint ());
  for (guint i = 0; i < cities->len; i++)
    g_assert_true (is_drawn (cities->pdata[i]) != has_failed (cities->pdata[i]));
  g_assert_true (has_failed (cities->pdata[39]));
  for (guint i = 0; i < walk->len; i++)
    g_assert_true (is_drawn (walk->pdata[i]) != has_failed (walk->pdata[i]));
  for (guint i = 0; i < cities->len; i++)
    urbarium_city_source_unwant (source, cities->pdata[i]);
  urbarium_city_source_want (source, next);
  test_until (is_drawn, next);
  g_assert_false (has_failed (next));
  urbarium_city_source_unwant (source, next);
  test_assert_last_unref (source);
  test_assert_last_unref (next);
}

/* The checkpoint is missing when the child restarts. */
static void
test_vanished (void)
{
  UrbariumCitySource *source = urbarium_city_source_new ();
  g_autoptr(GPtrArray) cities = g_ptr_array_new_with_free_func (g_object_unref);
  UrbariumCity *next = urbarium_city_new (2, 1, 1);
  g_autofree char *path = g_build_filename (cities_fixture_folder (), "gone.safetensors", NULL);
  g_autofree char *bytes = NULL;
  gsize length;
  g_assert_true (g_file_get_contents (cities_fixture_checkpoint (), &bytes, &length, NULL));
  g_assert_true (g_file_set_contents (path, bytes, (gssize) length, NULL));
  urbarium_city_source_open (source, path);
  test_until (is_ready, source);
  g_unlink (path);
  for (int i = 1; i <= 40; i++)
    {
      g_ptr_array_add (cities, urbarium_city_new (1, i, 1));
      urbarium_city_source_want (source, cities->pdata[i - 1]);
    }
  kill (atoi (urbarium_city_source_get_pid (source)), SIGKILL);
  test_until (has_failed, cities->pdata[39]);
  for (guint i = 0; i < cities->len; i++)
    g_assert_true (is_drawn (cities->pdata[i]) != has_failed (cities->pdata[i]));
  urbarium_city_source_want (source, next); /* later requests fail too */
  g_assert_true (has_failed (next));
  test_assert_last_unref (source);
  test_assert_last_unref (next);
}

/* An engine that reports success without drawing anything. */
static void
test_nothing_sent (void)
{
  UrbariumCitySource *source;
  UrbariumCity *city = urbarium_city_new (1, 1, 1);
  g_autofree char *engine = g_strdup (g_getenv ("URBARIUM_ENGINE"));
  g_autofree char *program = g_build_filename (cities_fixture_folder (), "idle-engine", NULL);
  g_assert_true (g_file_set_contents_full (
    program,
    "#!/bin/sh\nwhile read -r line; do id=${line#*id?:}\n"
    "echo \"{\\\"type\\\":\\\"reply\\\",\\\"id\\\":${id%%,*},\\\"ok\\\":true,"
    "\\\"checkpoint\\\":\\\"x\\\",\\\"size_px\\\":64}\"; done\n",
    -1, G_FILE_SET_CONTENTS_NONE, 0700, NULL));
  g_setenv ("URBARIUM_ENGINE", program, TRUE);
  source = open_source ();
  urbarium_city_source_want (source, city);
  test_until (has_failed, city);
  urbarium_city_source_unwant (source, city);
  test_assert_last_unref (source);
  test_assert_last_unref (city);
  if (engine != NULL)
    g_setenv ("URBARIUM_ENGINE", engine, TRUE);
  else
    g_unsetenv ("URBARIUM_ENGINE");
}

static GPtrArray *
new_walk (void)
{
  GPtrArray *cities = g_ptr_array_new_with_free_func (g_object_unref);
  for (int i = 0; i < 9; i++)
    g_ptr_array_add (cities, urbarium_city_new_between (1, i + 1, 1, i / 8.0));
  return cities;
}

/* Two walks are replaced: one sent, one pending. */
static void
test_walk (void)
{
  UrbariumCitySource *source = open_source ();
  g_autoptr(UrbariumCity) from = urbarium_city_new (1, 1, 1), to = urbarium_city_new (2, 2, 1);
  g_autoptr(GPtrArray) first = new_walk (), second = new_walk (), third = new_walk ();
  urbarium_city_source_walk (source, from, to, first);
  urbarium_city_source_walk (source, to, from, second);
  urbarium_city_source_walk (source, from, to, third);
  for (guint i = 0; i < first->len; i++)
    g_assert_true (has_failed (first->pdata[i]) && has_failed (second->pdata[i]));
  for (guint i = 0; i < third->len; i++)
    test_until (is_drawn, third->pdata[i]);
  g_assert_null (urbarium_city_get_tile (first->pdata[0]));
  test_assert_last_unref (source);
}

/* ---- favorites ---- */

static gboolean
has_one (gpointer list)
{
  return g_list_model_get_n_items (list) == 1;
}

static gboolean
has_two (gpointer list)
{
  return g_list_model_get_n_items (list) == 2;
}

static gboolean
has_three (gpointer list)
{
  return g_list_model_get_n_items (list) == 3;
}

static gboolean
has_four (gpointer list)
{
  return g_list_model_get_n_items (list) == 4;
}

static gboolean
file_has_two (gpointer folder)
{
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name = dir != NULL ? g_dir_read_name (dir) : NULL;
  g_autofree char *path = name != NULL ? g_build_filename (folder, name, NULL) : NULL;
  g_autofree char *text = NULL;
  return path != NULL && g_file_get_contents (path, &text, NULL, NULL)
         && strstr (text, "3/14/0.7") != NULL && strstr (text, "1/2/1;") != NULL;
}

static gboolean
is_gone (gpointer pointer)
{
  return *(gpointer *) pointer == NULL;
}

/* A city that was asked for shares keeps them, and a variation its turn, to the last digit. */
static void
test_favorite_shares (void)
{
  g_autofree char *folder = g_build_filename (cities_fixture_folder (), "stars-with-shares", NULL);
  UrbariumFavorites *favorites = urbarium_favorites_new (folder);
  g_autoptr(UrbariumCity) plain = urbarium_city_new (3, 14, 0.7), dense = urbarium_city_new (3, 14, 0.7);
  g_autoptr(UrbariumCity) varied = urbarium_city_new (3, 14, 0.7), both = urbarium_city_new (3, 14, 0.7);
  UrbariumCity *const all[] = { plain, dense, varied, both };
  const UrbariumShareWish wish = { { 0.325, -1, 0 } };
  const UrbTurn turn = { 1 / 3.0, -0.05, 7 };
  urbarium_city_set_shares (dense, &wish);
  urbarium_city_set_turn (varied, &turn);
  urbarium_city_set_turn (both, &turn);
  urbarium_city_set_shares (both, &wish);
  g_assert_false (urbarium_city_equal (plain, dense));
  g_assert_false (urbarium_city_equal (plain, varied));
  urbarium_favorites_set_run (favorites, "/somewhere/run");
  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    urbarium_favorites_set (favorites, all[i], TRUE);
  g_object_add_weak_pointer (G_OBJECT (favorites), (gpointer *) &favorites);
  g_object_unref (favorites);
  test_until (is_gone, &favorites);
  favorites = urbarium_favorites_new (folder);
  urbarium_favorites_set_run (favorites, "/somewhere/run");
  test_until (has_four, favorites);
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    {
      g_autoptr(UrbariumCity) again = g_list_model_get_item (G_LIST_MODEL (favorites), i);
      g_assert_true (urbarium_city_equal (again, all[i]));
    }
  test_assert_last_unref (favorites);
}

static void
test_favorites (void)
{
  g_autofree char *folder = g_build_filename (cities_fixture_folder (), "stars", NULL);
  UrbariumFavorites *favorites = urbarium_favorites_new (folder);
  g_autoptr(UrbariumCity) a = urbarium_city_new (3, 14, 0.7), b = urbarium_city_new (1, 2, 1);
  g_autoptr(UrbariumCity) same = urbarium_city_new (3, 14, 0.7);
  g_autofree char *name = NULL, *path = NULL;
  g_autoptr(GDir) dir = NULL;
  urbarium_favorites_set_run (favorites, "/somewhere/run");
  urbarium_favorites_set (favorites, a, TRUE);
  urbarium_favorites_set (favorites, b, TRUE);
  urbarium_favorites_mark (favorites, same);
  g_assert_true (urbarium_city_get_favorite (same));
  test_until (file_has_two, folder);
  /* A pending write keeps the object alive. */
  g_object_add_weak_pointer (G_OBJECT (favorites), (gpointer *) &favorites);
  g_object_unref (favorites);
  test_until (is_gone, &favorites);
  /* Favorites are restored; damaged entries are skipped. */
  dir = g_dir_open (folder, 0, NULL);
  name = g_strdup (g_dir_read_name (dir));
  path = g_build_filename (folder, name, NULL);
  favorites = urbarium_favorites_new (folder);
  urbarium_favorites_set_run (favorites, "/somewhere/run");
  test_until (has_two, favorites);
  urbarium_favorites_set_run (favorites, "/somewhere/else");
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (favorites)), ==, 0);
  g_assert_true (g_file_set_contents (
    path, "[favourites]\ncities=3/14/0.7;3/14/0.7;3/14/0.7/2/-/-;3/14/0.7/-/-/;3/14/0.7/-/-;3/14/0.7/-/-/-/0/0/1;3/14/0.7/-/-/-/3/0/1;3/14/0.7/-/-/-/0.5//1;3/14/0.7/-/-/-/0.5/nan/1;3/14/0.7/-/-/-/0.5/0/0;3/14/0.7/-/-/-/0.5/0;x/1/1;1/0/1;1/1/9;1/1;;\n", -1, NULL));
  urbarium_favorites_set_run (favorites, "/somewhere/run");
  test_until (has_one, favorites);
  test_assert_last_unref (favorites);
}

/* Stars set just before switching runs, and before the file has been read. */
static void
test_favorites_of_runs (void)
{
  g_autofree char *folder = g_build_filename (cities_fixture_folder (), "stars-of-runs", NULL);
  UrbariumFavorites *favorites = urbarium_favorites_new (folder);
  g_autoptr(UrbariumCity) a = urbarium_city_new (3, 14, 0.7), b = urbarium_city_new (1, 2, 1);
  urbarium_favorites_set_run (favorites, "/somewhere/one");
  urbarium_favorites_set (favorites, a, TRUE);
  urbarium_favorites_set_run (favorites, "/somewhere/two");
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (favorites)), ==, 0);
  urbarium_favorites_set (favorites, b, TRUE);
  urbarium_favorites_set_run (favorites, "/somewhere/one");
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (favorites)), ==, 1);
  urbarium_favorites_set (favorites, b, TRUE);
  urbarium_favorites_set_run (favorites, NULL);
  g_object_add_weak_pointer (G_OBJECT (favorites), (gpointer *) &favorites);
  g_object_unref (favorites);
  test_until (is_gone, &favorites);
  favorites = urbarium_favorites_new (folder);
  urbarium_favorites_set_run (favorites, "/somewhere/one");
  test_until (has_two, favorites);
  urbarium_favorites_set_run (favorites, "/somewhere/two");
  test_until (has_one, favorites);
  test_assert_last_unref (favorites);
}

/* Stars of two runs, set while the first file is being written. */
static void
test_favorites_in_turn (void)
{
  g_autofree char *folder = g_build_filename (cities_fixture_folder (), "stars-in-turn", NULL);
  UrbariumFavorites *favorites = urbarium_favorites_new (folder);
  const char *const runs[] = { "/somewhere/one", "/somewhere/two" };
  for (int turn = 1; turn <= 3; turn++)
    for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
      {
        g_autoptr(UrbariumCity) city = urbarium_city_new (3, turn, 1);
        urbarium_favorites_set_run (favorites, runs[i]);
        urbarium_favorites_set (favorites, city, TRUE);
        g_assert_cmpint ((int) g_list_model_get_n_items (G_LIST_MODEL (favorites)), ==, turn);
      }
  g_object_add_weak_pointer (G_OBJECT (favorites), (gpointer *) &favorites);
  g_object_unref (favorites);
  test_until (is_gone, &favorites);
  favorites = urbarium_favorites_new (folder);
  for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      urbarium_favorites_set_run (favorites, runs[i]);
      test_until (has_three, favorites);
    }
  test_assert_last_unref (favorites);
}

int
main (int argc, char **argv)
{
  int result;
  test_app_init (&argc, &argv);
  cities_fixture_set_up ();
  g_test_add_func ("/city-source/draw", test_draw);
  g_test_add_func ("/city-source/cancel", test_cancel);
  g_test_add_func ("/city-source/killed", test_killed);
  g_test_add_func ("/city-source/finalize", test_finalize);
  g_test_add_func ("/city-source/errors", test_errors);
  g_test_add_func ("/city-source/another", test_another);
  g_test_add_func ("/city-source/vanished", test_vanished);
  g_test_add_func ("/city-source/nothing-sent", test_nothing_sent);
  g_test_add_func ("/city-source/walk", test_walk);
  g_test_add_func ("/city-source/favorites", test_favorites);
  g_test_add_func ("/city-source/favorite-shares", test_favorite_shares);
  g_test_add_func ("/city-source/favorites-of-runs", test_favorites_of_runs);
  g_test_add_func ("/city-source/favorites-in-turn", test_favorites_in_turn);
  result = g_test_run ();
  cities_fixture_tear_down ();
  return result;
}
