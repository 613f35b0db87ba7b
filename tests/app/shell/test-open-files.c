/* SPDX-License-Identifier: Apache-2.0 */
#include "app-test.h"

#include <glib/gstdio.h>

#include "app/shell/open-files.h"
#include "made-up-tiles.h"

typedef struct
{
  char              *folder; /* owned */
  GAsyncResult      *result; /* owned */
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("urbarium-open-XXXXXX", NULL);
  g_assert_nonnull (self->folder);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_autofree char *command = g_strdup_printf ("rm -rf '%s'", self->folder);
  g_assert_true (g_spawn_command_line_sync (command, NULL, NULL, NULL, NULL));
  g_clear_object (&self->result);
  g_free (self->folder);
}

static char *
make_file (Fixture *self, const char *name, const char *text)
{
  char *path = g_build_filename (self->folder, name, NULL);
  g_autofree char *folder = g_path_get_dirname (path);
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

static void
done_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  *(GAsyncResult **) data = g_object_ref (result);
}

static gboolean
is_done (gpointer data)
{
  return *(GAsyncResult **) data != NULL;
}

static UrbariumOpenFiles *
classify (Fixture *self, const char *first, const char *second, GError **error)
{
  g_autoptr(GFile) a = g_file_new_for_commandline_arg (first);
  g_autoptr(GFile) b = second == NULL ? NULL : g_file_new_for_commandline_arg (second);
  GFile *files[] = { a, b };
  g_clear_object (&self->result);
  urbarium_open_files_classify_async (files, second == NULL ? 1 : 2, NULL, done_cb, &self->result);
  test_until (is_done, &self->result);
  return urbarium_open_files_classify_finish (self->result, error);
}

static void
assert_kind (Fixture *self, const char *path, const char *other, UrbariumFileKind kind,
             const char *opened, guint n)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbariumOpenFiles) files = classify (self, path, other, &error);
  g_assert_no_error (error);
  g_assert_cmpint (files->kind, ==, kind);
  g_assert_cmpstr (files->paths[0], ==, opened);
  g_assert_cmpuint (g_strv_length (files->paths), ==, n);
}

static void
test_run (Fixture *self, gconstpointer data)
{
  g_autofree char *folder = g_build_filename (self->folder, "run", NULL);
  g_autofree char *ini = make_file (self, "run/run.ini", "[run]\n");
  g_autofree char *other = make_file (self, "run/picture.gpkg", "");
  g_autofree char *db = NULL;
  assert_kind (self, folder, NULL, URBARIUM_FILE_MAP, folder, 1); /* incomplete */
  db = make_file (self, "run/run.db", "");
  assert_kind (self, folder, NULL, URBARIUM_FILE_RUN, folder, 1);
  assert_kind (self, ini, NULL, URBARIUM_FILE_RUN, folder, 1);
  assert_kind (self, db, other, URBARIUM_FILE_RUN, folder, 1);
  assert_kind (self, other, NULL, URBARIUM_FILE_MAP, other, 1);
}

static void
test_map (Fixture *self, gconstpointer data)
{
  g_autofree char *a = make_file (self, "a.gpkg", "");
  g_autofree char *b = make_file (self, "b.shp", "");
  g_autofree char *weights = make_file (self, "w.safetensors", "");
  assert_kind (self, a, b, URBARIUM_FILE_MAP, a, 2);
  assert_kind (self, weights, b, URBARIUM_FILE_CHECKPOINT, weights, 1);
}

static void
test_dataset (Fixture *self, gconstpointer data)
{
  static const char *const names[] = { "areas", "areas.urbarium", "areas.of 2024" };
  UrbDatasetInfo info = { .encoding = URB_ENCODING_GREY, .resolution_px = 8, .area_size_m = 250 };
  UrbArea area = { .variance = 0.5, .share = { 1 }, .coverage = 1 };
  guint8 levels[64] = { 0 };
  g_autofree char *path = g_build_filename (self->folder, "areas.gpkg", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbDatasetWriter) writer = urb_dataset_writer_new (path, &info, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (made_up_tile_add (writer, &info, &area, NULL, levels, &error));
  g_assert_true (urb_dataset_writer_finish (writer, &error));
  assert_kind (self, path, NULL, URBARIUM_FILE_DATASET, path, 1);
  /* The contents count, not the name. */
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *renamed = g_build_filename (self->folder, names[i], NULL);
      g_assert_cmpint (g_rename (path, renamed), ==, 0);
      assert_kind (self, renamed, NULL, URBARIUM_FILE_DATASET, renamed, 1);
      g_free (path);
      path = g_steal_pointer (&renamed);
    }
  g_assert_true (g_file_set_contents (path, "SQLite format 4 is none", -1, NULL));
  assert_kind (self, path, NULL, URBARIUM_FILE_MAP, path, 1);
}

static void
test_elsewhere (Fixture *self, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  UrbariumOpenFiles *files = classify (self, "http://example.org/a.gpkg", NULL, &error);
  g_assert_null (files);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED);
  g_assert_nonnull (strstr (error->message, "http://example.org/a.gpkg"));
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add ("/app/open-files/run", Fixture, NULL, set_up, test_run, tear_down);
  g_test_add ("/app/open-files/map", Fixture, NULL, set_up, test_map, tear_down);
  g_test_add ("/app/open-files/dataset", Fixture, NULL, set_up, test_dataset, tear_down);
  g_test_add ("/app/open-files/elsewhere", Fixture, NULL, set_up, test_elsewhere, tear_down);
  return g_test_run ();
}
