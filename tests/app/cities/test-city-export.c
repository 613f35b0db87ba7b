/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-city-export.c - exported files can be opened by GDAL and equal those of `generate`.
 */
#include <gdal.h>
#include <glib/gstdio.h>
#include <ogr_api.h>
#include <string.h>

#include "app/cities/city-export.h"
#include "app/cities/city-measure.h"
#include "city/film.h"
#include "city/provenance.h"
#include "cities-fixture.h"

static gboolean
is_ready (gpointer source)
{
  return urbarium_city_source_get_model (source) != NULL;
}

static gboolean
exists (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

typedef struct
{
  UrbariumCitySource *source;
  GPtrArray          *cities;
  GtkWidget          *overlay;
  UrbariumJobBar     *bar;
  GtkWindow          *window;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  self->source = urbarium_city_source_new ();
  urbarium_city_source_open (self->source, cities_fixture_run ());
  self->cities = g_ptr_array_new_with_free_func (g_object_unref);
  for (int i = 0; i < 3; i++)
    g_ptr_array_add (self->cities, urbarium_city_new (4, i + 1, 1));
  self->overlay = adw_toast_overlay_new ();
  self->bar = g_object_new (URBARIUM_TYPE_JOB_BAR, NULL);
  adw_toast_overlay_set_child (ADW_TOAST_OVERLAY (self->overlay), GTK_WIDGET (self->bar));
  self->window = test_window_new (self->overlay, 400, 300);
  test_until (is_ready, self->source);
}

static gboolean
is_alone (gpointer object)
{
  return G_OBJECT (object)->ref_count == 1;
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  test_until (is_alone, self->source);
  test_window_destroy (self->window);
  test_assert_last_unref (self->source);
  g_ptr_array_unref (self->cities);
}

/* @name: of the file. Waits until it exists. (transfer full) */
static char *
export (Fixture *self, const char *name)
{
  char *path = g_build_filename (cities_fixture_folder (), name, NULL);
  urbarium_city_export_run (self->overlay, self->source, self->cities, path, self->bar);
  test_until (exists, path);
  return path;
}

static void
test_geojson (Fixture *self, gconstpointer data)
{
  g_autofree char *ours = export (self, "ours.geojson");
  g_autofree char *theirs = g_build_filename (cities_fixture_folder (), "theirs.geojson", NULL);
  g_autofree char *text_ours = NULL, *text_theirs = NULL;
  cities_fixture_engine ("generate '%s' --seed 4 --count 3 --out %s", cities_fixture_run (), theirs);
  g_assert_true (g_file_get_contents (ours, &text_ours, NULL, NULL));
  g_assert_true (g_file_get_contents (theirs, &text_theirs, NULL, NULL));
  g_assert_cmpstr (text_ours, ==, text_theirs);
}

/* A city of several areas is one plan. */
static void
test_wide (Fixture *self, gconstpointer data)
{
  g_autofree char *theirs = g_build_filename (cities_fixture_folder (), "their-district.geojson", NULL);
  g_autofree char *ours = NULL, *text_ours = NULL, *text_theirs = NULL;
  g_ptr_array_set_size (self->cities, 0);
  g_ptr_array_add (self->cities, urbarium_city_new_wide (4, 2, 2, 1));
  ours = export (self, "district.geojson");
  cities_fixture_engine ("generate '%s' --seed 4 --first 2 --areas 2x1 --out %s", cities_fixture_run (),
                         theirs);
  g_assert_true (g_file_get_contents (ours, &text_ours, NULL, NULL));
  g_assert_true (g_file_get_contents (theirs, &text_theirs, NULL, NULL));
  g_assert_cmpstr (text_ours, ==, text_theirs);
}

/* What the window writes can be made again by what it says of itself, also at a place on a map. */
static void
test_verify (Fixture *self, gconstpointer data)
{
  const UrbPlace place = { .x = 611000.1, .y = 224000, .epsg = 21781, .angle_deg = 12.3 };
  g_autofree char *ours = NULL;
  g_ptr_array_set_size (self->cities, 0);
  g_ptr_array_add (self->cities, urbarium_city_new (4, 2, 1));
  urbarium_city_set_place (self->cities->pdata[0], &place);
  ours = export (self, "placed.geojson");
  cities_fixture_engine ("verify %s --checkpoint '%s'", ours, cities_fixture_run ());
}

/* `generate` cannot draw a variation again, but the file says what it is. */
static void
test_variation (Fixture *self, gconstpointer data)
{
  const UrbTurn turn = { 0.25, -0.5, 3 };
  g_autofree char *ours = NULL;
  g_autoptr(UrbProvenance) facts = NULL;
  g_ptr_array_set_size (self->cities, 0);
  g_ptr_array_add (self->cities, urbarium_city_new (4, 2, 1));
  urbarium_city_set_turn (self->cities->pdata[0], &turn);
  ours = export (self, "variation.geojson");
  facts = urb_provenance_read (ours, NULL);
  g_assert_cmpstr (urb_provenance_get (facts, "turns"), ==, "0.25/-0.5/3");
  g_assert_null (urb_provenance_get (facts, "cities"));
}

static void
test_gdal (Fixture *self, gconstpointer data)
{
  static const struct { const char *name, *driver; } cases[] = {
    { "c.gpkg", "GPKG" }, { "c.geojson", "GeoJSON" }, { "c.dxf", "DXF" },
  };
  GDALAllRegister ();
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = export (self, cases[i].name);
      GDALDatasetH dataset
        = GDALOpenEx (path, GDAL_OF_VECTOR | GDAL_OF_READONLY, NULL, NULL, NULL);
      GIntBig n = 0;
      g_assert_nonnull (dataset);
      g_assert_cmpstr (GDALGetDriverShortName (GDALGetDatasetDriver (dataset)), ==,
                       cases[i].driver);
      for (int k = 0; k < GDALDatasetGetLayerCount (dataset); k++)
        n += OGR_L_GetFeatureCount (GDALDatasetGetLayer (dataset, k), TRUE);
      g_assert_cmpint (n, >=, 3);
      GDALClose (dataset);
    }
}

static void
test_pictures (Fixture *self, gconstpointer data)
{
  g_autofree char *svg = export (self, "c.svg");
  g_autofree char *png = export (self, "c.png");
  g_autofree char *last
    = g_build_filename (cities_fixture_folder (), "pictures",
                        "First Town-step-2-city-4-0003.png", NULL);
  g_autofree char *folder = g_build_filename (cities_fixture_folder (), "pictures", NULL);
  g_autofree char *text = NULL;
  g_mkdir_with_parents (folder, 0700);
  urbarium_city_export_run (self->overlay, self->source, self->cities, folder, self->bar);
  test_until (exists, last);
  g_assert_true (g_file_get_contents (svg, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "city-3"));
}

static gboolean
has_dialog (gpointer window)
{
  AdwMessageDialog *dialog = test_find_window (ADW_TYPE_MESSAGE_DIALOG);
  if (dialog == NULL)
    return FALSE;
  gtk_window_destroy (GTK_WINDOW (dialog));
  return TRUE;
}

/* Answers the question that contains @text, if it is shown. */
static gboolean
asks (const char *text, const char *answer)
{
  AdwMessageDialog *dialog = test_find_window (ADW_TYPE_MESSAGE_DIALOG);
  if (dialog == NULL)
    return FALSE;
  g_assert_nonnull (strstr (adw_message_dialog_get_heading (dialog), text));
  g_assert_true (adw_message_dialog_has_response (dialog, answer));
  adw_message_dialog_response (dialog, answer);
  gtk_window_destroy (GTK_WINDOW (dialog));
  return TRUE;
}

static gboolean
asks_and_cancel (gpointer text)
{
  return asks (text, "cancel");
}

static gboolean
asks_and_replace (gpointer text)
{
  return asks (text, "accept");
}

/* An error, which tells what to install. */
static gboolean
asks_and_close (gpointer text)
{
  AdwMessageDialog *dialog = test_find_window (ADW_TYPE_MESSAGE_DIALOG);
  if (dialog == NULL)
    return FALSE;
  g_assert_nonnull (strstr (adw_message_dialog_get_body (dialog), "gstreamer1.0-plugins-good"));
  gtk_window_destroy (GTK_WINDOW (dialog));
  return TRUE;
}

static char *
read_file (const char *path)
{
  char *text = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

static gboolean
is_replaced (gpointer path)
{
  g_autofree char *text = read_file (path);
  return strcmp (text, "mine") != 0;
}

/* A name without suffix: the file chooser could not know that the file exists. */
static void
test_replace (Fixture *self, gconstpointer data)
{
  g_autofree char *path = g_build_filename (cities_fixture_folder (), "two", NULL);
  g_autofree char *file = g_strconcat (path, ".svg", NULL);
  g_autofree char *text = NULL;
  g_assert_true (g_file_set_contents (file, "mine", -1, NULL));
  urbarium_city_export_save (self->overlay, self->source, self->cities, path, "svg", self->bar);
  test_until (asks_and_cancel, "two.svg");
  test_until (is_alone, self->source);
  text = read_file (file);
  g_assert_cmpstr (text, ==, "mine");
  urbarium_city_export_save (self->overlay, self->source, self->cities, path, "svg", self->bar);
  test_until (asks_and_replace, "two.svg");
  test_until (is_replaced, file);
  test_until (is_alone, self->source);
  /* With the suffix, the file chooser has asked. */
  g_assert_true (g_file_set_contents (file, "mine", -1, NULL));
  urbarium_city_export_save (self->overlay, self->source, self->cities, file, "svg", self->bar);
  test_until (is_replaced, file);
  g_assert_null (test_find_window (ADW_TYPE_MESSAGE_DIALOG));
  /* New files need no question. */
  g_free (g_steal_pointer (&file));
  file = g_build_filename (cities_fixture_folder (), "three.svg", NULL);
  g_free (path);
  path = g_build_filename (cities_fixture_folder (), "three", NULL);
  urbarium_city_export_save (self->overlay, self->source, self->cities, path, "svg", self->bar);
  test_until (exists, file);
}

/* One question for all images; those of other runs and steps have other names. */
static void
test_replace_pictures (Fixture *self, gconstpointer data)
{
  g_autofree char *folder = g_build_filename (cities_fixture_folder (), "many", NULL);
  g_autofree char *first
    = g_build_filename (folder, "First Town-step-2-city-4-0001.png", NULL);
  g_autofree char *second
    = g_build_filename (folder, "First Town-step-2-city-4-0002.png", NULL);
  g_autofree char *third
    = g_build_filename (folder, "First Town-step-2-city-4-0003.png", NULL);
  g_autofree char *more
    = g_build_filename (folder, "First Town-step-2-city-4-0003-truncation-0.7.png", NULL);
  g_autofree char *old = g_build_filename (folder, "city-4-0001.png", NULL);
  g_autofree char *varied
    = g_build_filename (folder, "First Town-step-2-city-4-0003-variation-2-right-25-down-12.5.png", NULL);
  g_autofree char *dense
    = g_build_filename (folder, "First Town-step-2-city-4-0003-built-0.3.png", NULL);
  g_autoptr(GBytes) levels = g_bytes_new_take (g_malloc0 (64 * 64 * 3), 64 * 64 * 3);
  g_autoptr(UrbariumTile) tile = urbarium_tile_new (levels, 64, 64, 3, 250);
  g_mkdir_with_parents (folder, 0700);
  g_ptr_array_add (self->cities, urbarium_city_new (4, 3, 0.7));
  g_ptr_array_add (self->cities, urbarium_city_new (4, 3, 1));
  urbarium_city_set_shares (self->cities->pdata[self->cities->len - 1],
                            &(UrbariumShareWish) { { 0.3, -1, -1 } });
  urbarium_city_set_tile (self->cities->pdata[self->cities->len - 1], tile);
  g_ptr_array_add (self->cities, urbarium_city_new (4, 3, 1));
  urbarium_city_set_turn (self->cities->pdata[self->cities->len - 1], &(UrbTurn) { 0.25, -0.125, 2 });
  g_assert_true (g_file_set_contents (old, "mine", -1, NULL));
  urbarium_city_export_save (self->overlay, self->source, self->cities, folder, "png", self->bar);
  test_until (exists, more);
  test_until (is_alone, self->source);
  g_assert_true (exists (dense));
  g_assert_true (exists (varied));
  g_assert_false (is_replaced (old));
  g_assert_true (g_file_set_contents (first, "mine", -1, NULL));
  g_unlink (second);
  urbarium_city_export_save (self->overlay, self->source, self->cities, folder, "png", self->bar);
  test_until (asks_and_cancel, "5 images");
  test_until (is_alone, self->source);
  g_assert_false (is_replaced (first));
  g_assert_false (exists (second));
  g_unlink (more);
  g_unlink (dense);
  g_unlink (varied);
  g_unlink (third);
  urbarium_city_export_save (self->overlay, self->source, self->cities, folder, "png", self->bar);
  test_until (asks_and_replace, "city-4-0001.png");
  test_until (exists, second);
  test_until (is_alone, self->source);
  g_assert_true (is_replaced (first));
}

/* Puts a program in place of GStreamer's, first on the path.  @script: of the shell; NULL: none at all */
static char *
stand_in (const char *script)
{
  char *before = g_strdup (g_getenv ("PATH"));
  g_autofree char *folder = g_build_filename (cities_fixture_folder (), "bin", NULL);
  g_autofree char *program = g_build_filename (folder, "gst-launch-1.0", NULL);
  g_autofree char *path = g_strconcat (folder, ":", before, NULL);
  g_mkdir_with_parents (folder, 0700);
  g_unlink (program);
  if (script != NULL)
    {
      g_assert_true (g_file_set_contents (program, script, -1, NULL));
      g_assert_cmpint (g_chmod (program, 0700), ==, 0);
    }
  g_setenv ("PATH", script != NULL ? path : folder, TRUE);
  return before;
}

static guint
count_hidden (void)
{
  g_autoptr(GDir) dir = g_dir_open (cities_fixture_folder (), 0, NULL);
  const char *name;
  guint n = 0;
  while ((name = g_dir_read_name (dir)) != NULL)
    n += *name == '.';
  return n;
}

/* Each city is a frame, in order; nothing else is left.  What it needs and lacks is told. */
static void
test_film (Fixture *self, gconstpointer data)
{
  static const char records[] = "#!/bin/sh\n"
    "for a; do case $a in location=*.png) from=${a#location=};; location=*) to=${a#location=};; stop-index=*) n=${a#stop-index=};; esac; done\n"
    "for i in $(seq 0 $n); do head -c 4 \"$(printf \"$from\" $i)\" | tail -c 3 >>\"$to\"; done\n";
  static const char lacks[] = "#!/bin/sh\necho 'WARNING: erroneous pipeline: no element \"vp8enc\"' >&2\nexit 1\n";
  g_autofree char *before = stand_in (records), *made = NULL, *text = NULL, *missing = NULL;
  g_autofree char *path = g_build_filename (cities_fixture_folder (), "never.webm", NULL);
  g_assert_true (urb_film_can_write ());
  made = export (self, "50% \"walk\".webm");
  test_until (is_alone, self->source);
  text = read_file (made);
  g_assert_cmpstr (text, ==, "PNGPNGPNG");
  g_assert_cmpuint (count_hidden (), ==, 0);
  g_free (stand_in (lacks));
  urbarium_city_export_run (self->overlay, self->source, self->cities, path, self->bar);
  test_until (asks_and_close, "");
  test_until (is_alone, self->source);
  g_assert_false (exists (path));
  g_assert_cmpuint (count_hidden (), ==, 0);
  g_free (stand_in (NULL));
  g_assert_false (urb_film_can_write ());
  g_setenv ("PATH", before, TRUE);
}

/* With the real one, where it is installed. */
static void
test_real_film (Fixture *self, gconstpointer data)
{
  g_autofree char *made = NULL, *bytes = NULL;
  gsize n;
  int status = 1;
  if (!urb_film_can_write ()
      || !g_spawn_command_line_sync ("gst-inspect-1.0 --exists vp8enc", NULL, NULL, &status, NULL) || status != 0)
    {
      g_test_skip ("GStreamer's encoder is not installed");
      return;
    }
  made = export (self, "film.webm");
  g_assert_true (g_file_get_contents (made, &bytes, &n, NULL));
  g_assert_cmpuint (n, >, 1000);
  g_assert_cmpmem (bytes, 4, "\x1a\x45\xdf\xa3", 4);
  g_assert_nonnull (memmem (bytes, 64, "webm", 4));
}

/* The question closes with its window. */
static void
test_unanswered (Fixture *self, gconstpointer data)
{
  g_autofree char *path = g_build_filename (cities_fixture_folder (), "unanswered", NULL);
  g_autofree char *file = g_strconcat (path, ".svg", NULL);
  g_assert_true (g_file_set_contents (file, "mine", -1, NULL));
  urbarium_city_export_save (self->overlay, self->source, self->cities, path, "svg", self->bar);
  test_until (has_dialog, self->window);
  test_until (is_alone, self->source);
  g_assert_false (is_replaced (file));
}

static void
add_many (Fixture *self)
{
  for (int i = 4; i <= 40; i++)
    g_ptr_array_add (self->cities, urbarium_city_new (4, i, 1));
}

/* The bar is visible while cities are drawn, and can cancel. */
static void
test_cancel (Fixture *self, gconstpointer data)
{
  g_autofree char *path = g_build_filename (cities_fixture_folder (), "cancelled.gpkg", NULL);
  g_autoptr(UrbariumJob) job = NULL;
  add_many (self);
  urbarium_city_export_run (self->overlay, self->source, self->cities, path, self->bar);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (self->bar)));
  g_object_get (self->bar, "job", &job, NULL);
  g_assert_null (urbarium_city_get_tile (self->cities->pdata[0]));
  urbarium_job_cancel (job);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (self->bar)));
  g_assert_true (is_alone (self->source));
  g_assert_false (exists (path));
  g_assert_null (test_find_window (ADW_TYPE_MESSAGE_DIALOG));
}

static void
activate_cb (Fixture *self, GApplication *application)
{
  const char *path = g_object_get_data (G_OBJECT (application), "path");
  urbarium_city_export_run (self->overlay, self->source, self->cities, path, self->bar);
}

/* An application without windows exits, but not before its export is written. */
static void
test_hold (Fixture *self, gconstpointer data)
{
  char *path = g_build_filename (cities_fixture_folder (), "held.gpkg", NULL);
  GApplication *application
    = g_application_new ("urbarium.TestCityExport", G_APPLICATION_NON_UNIQUE);
  g_object_set_data_full (G_OBJECT (application), "path", path, g_free);
  g_signal_connect_swapped (application, "activate", G_CALLBACK (activate_cb), self);
  g_application_set_default (application);
  g_assert_cmpint (g_application_run (application, 0, NULL), ==, 0);
  g_application_set_default (NULL);
  g_assert_true (exists (path));
  test_assert_last_unref (application);
}

/* A missing folder is reported in a dialog. */
static void
test_refused (Fixture *self, gconstpointer data)
{
  urbarium_city_export_run (self->overlay, self->source, self->cities, "/nowhere/c.gpkg",
                            self->bar);
  test_until (has_dialog, self->window);
}

/* Opening another checkpoint before all cities are drawn fails the export. */
static void
test_another (Fixture *self, gconstpointer data)
{
  g_autofree char *path = g_build_filename (cities_fixture_folder (), "another.gpkg", NULL);
  add_many (self);
  urbarium_city_export_run (self->overlay, self->source, self->cities, path, self->bar);
  urbarium_city_source_open (self->source, cities_fixture_checkpoint ());
  test_until (has_dialog, self->window);
  g_assert_true (is_alone (self->source));
  g_assert_false (exists (path));
}

/* ---- the ruler ---- */

static void
test_ruler (void)
{
  UrbariumMeasuring ruler;
  g_autofree char *text = NULL;
  urbarium_measuring_init (&ruler);
  urbarium_measuring_reset (&ruler, URBARIUM_MEASURE_DISTANCE);
  g_assert_true (urbarium_measuring_is_empty (&ruler));
  urbarium_measuring_add (&ruler, 10, 10);
  ruler.has_cursor = TRUE;
  ruler.cursor_x = 13;
  ruler.cursor_y = 14;
  g_assert_cmpfloat (urbarium_measuring_get_length (&ruler), ==, 5);
  urbarium_measuring_add (&ruler, 16, 18);
  g_assert_true (ruler.closed);
  g_assert_cmpfloat (urbarium_measuring_get_length (&ruler), ==, 10);
  urbarium_measuring_reset (&ruler, URBARIUM_MEASURE_AREA);
  urbarium_measuring_add (&ruler, 0, 0);
  urbarium_measuring_add (&ruler, 20, 0);
  urbarium_measuring_close (&ruler);
  g_assert_false (ruler.closed); /* two points are no area */
  urbarium_measuring_add (&ruler, 20, 10);
  urbarium_measuring_add (&ruler, 0, 10);
  urbarium_measuring_add (&ruler, 99, 99);
  urbarium_measuring_undo (&ruler);
  urbarium_measuring_close (&ruler);
  g_assert_true (ruler.closed);
  g_assert_cmpfloat (urbarium_measuring_get_area (&ruler), ==, 200);
  g_assert_cmpfloat (urbarium_measuring_get_length (&ruler), ==, 60);
  text = urbarium_measuring_dup_text (&ruler);
  g_assert_nonnull (strstr (text, "200"));
  urbarium_measuring_clear (&ruler);
}

int
main (int argc, char **argv)
{
  int result;
  test_app_init (&argc, &argv);
  cities_fixture_set_up ();
  g_test_add ("/city-export/geojson", Fixture, NULL, set_up, test_geojson, tear_down);
  g_test_add ("/city-export/wide", Fixture, NULL, set_up, test_wide, tear_down);
  g_test_add ("/city-export/gdal", Fixture, NULL, set_up, test_gdal, tear_down);
  g_test_add ("/city-export/pictures", Fixture, NULL, set_up, test_pictures, tear_down);
  g_test_add ("/city-export/film", Fixture, NULL, set_up, test_film, tear_down);
  g_test_add ("/city-export/real-film", Fixture, NULL, set_up, test_real_film, tear_down);
  g_test_add ("/city-export/refused", Fixture, NULL, set_up, test_refused, tear_down);
  g_test_add ("/city-export/another", Fixture, NULL, set_up, test_another, tear_down);
  g_test_add ("/city-export/verify", Fixture, NULL, set_up, test_verify, tear_down);
  g_test_add ("/city-export/variation", Fixture, NULL, set_up, test_variation, tear_down);
  g_test_add ("/city-export/replace", Fixture, NULL, set_up, test_replace, tear_down);
  g_test_add ("/city-export/replace-pictures", Fixture, NULL, set_up, test_replace_pictures,
              tear_down);
  g_test_add ("/city-export/unanswered", Fixture, NULL, set_up, test_unanswered, tear_down);
  g_test_add ("/city-export/cancel", Fixture, NULL, set_up, test_cancel, tear_down);
  g_test_add ("/city-export/hold", Fixture, NULL, set_up, test_hold, tear_down);
  g_test_add_func ("/city-export/ruler", test_ruler);
  result = g_test_run ();
  cities_fixture_tear_down ();
  return result;
}
