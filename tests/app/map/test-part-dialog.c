/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-part-dialog.c - a part of the map is chosen, read alone, remembered, and given up for the whole map.
 */
#include <string.h>

#include "app/map/map-panel.h"
#include "app/map/part-dialog.h"
#include "map-fixture.h"

typedef MapPanelFixture Fixture;

/* Of the five squares in a row of 90 m. */
static const UrbBox first_two = { 2600000, 1200000, 2600030, 1200010 };

typedef struct
{
  AdwMessageDialog *dialog;
  GPtrArray        *sides; /* owned; of AdwEntryRow */
} Scene;

static void
scene_show (Scene *scene, Fixture *self, UrbBox visible)
{
  urbarium_part_dialog_show (self->panel, self->map.document, visible);
  scene->dialog = test_find_window (ADW_TYPE_MESSAGE_DIALOG);
  g_assert_nonnull (scene->dialog);
  test_frames (GTK_WINDOW (scene->dialog), 3);
  scene->sides = map_fixture_list (adw_message_dialog_get_extra_child (scene->dialog), ADW_TYPE_ENTRY_ROW);
  g_assert_cmpuint (scene->sides->len, ==, 4);
}

static void
scene_answer (Scene *scene, const char *response)
{
  g_ptr_array_unref (scene->sides);
  adw_message_dialog_response (scene->dialog, response);
}

static void
open_squares (Fixture *self)
{
  static const char *const squares[] = { "building", "road", "other", "other", "building", NULL };
  g_autofree char *path = map_fixture_write ("squares", 0, squares);
  const char *paths[] = { path, NULL };
  map_fixture_open (&self->map, paths);
  map_fixture_settle (self->window);
}

static gint64
count_polygons (Fixture *self)
{
  return urb_map_get_n_polygons (urbarium_map_document_get_map (self->map.document));
}

static const char *
get_subtitle (Fixture *self)
{
  return adw_action_row_get_subtitle (
    ADW_ACTION_ROW (gtk_widget_get_template_child (self->panel, URBARIUM_TYPE_MAP_PANEL, "part_row")));
}

static void
test_read (Fixture *self, gconstpointer data)
{
  const char *const *paths;
  Scene scene;
  open_squares (self);
  g_assert_cmpstr (get_subtitle (self), ==, "All of it");
  scene_show (&scene, self, first_two);
  g_assert_false (adw_message_dialog_get_response_enabled (scene.dialog, "all"));
  g_assert_true (adw_message_dialog_get_response_enabled (scene.dialog, "read"));
  /* Bern is at 7.4386 E, 46.9511 N. */
  g_assert_true (g_str_has_prefix (gtk_editable_get_text (scene.sides->pdata[0]), "7.4386"));
  g_assert_true (g_str_has_prefix (gtk_editable_get_text (scene.sides->pdata[1]), "46.951"));
  test_screenshot (GTK_WINDOW (scene.dialog), "part-dialog");
  scene_answer (&scene, "read");
  map_fixture_reread (&self->map);
  map_fixture_settle (self->window);
  g_assert_cmpint (count_polygons (self), ==, 2);
  g_assert_true (g_str_has_prefix (get_subtitle (self), "7.4386"));
  test_screenshot (self->window, "part-of-map");

  /* Opened again, the file is read as before. */
  paths = urbarium_map_document_get_paths (self->map.document);
  {
    g_auto(GStrv) same = g_strdupv ((char **) paths);
    map_fixture_open (&self->map, (const char *const *) same);
  }
  g_assert_cmpint (count_polygons (self), ==, 2);

  scene_show (&scene, self, first_two);
  scene_answer (&scene, "all");
  map_fixture_reread (&self->map);
  map_fixture_settle (self->window);
  g_assert_cmpint (count_polygons (self), ==, 5);
  g_assert_cmpstr (get_subtitle (self), ==, "All of it");
  urbarium_undo_undo (self->map.undo);
  map_fixture_reread (&self->map);
  g_assert_cmpint (count_polygons (self), ==, 2);
}

/* What cannot be a part cannot be chosen. */
static void
test_typing (Fixture *self, gconstpointer data)
{
  static const struct { const char *east; gboolean is_good; } rows[]
    = { { "8", TRUE }, { "", FALSE }, { "7", FALSE }, { "8x", FALSE }, { " 8.5 ", TRUE }, { "nan", FALSE }, { "1e9999", FALSE } };
  GtkWidget *visible;
  Scene scene;
  open_squares (self);
  scene_show (&scene, self, first_two);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      gtk_editable_set_text (scene.sides->pdata[2], rows[i].east);
      g_assert_cmpint (adw_message_dialog_get_response_enabled (scene.dialog, "read"), ==, rows[i].is_good);
    }
  visible = gtk_widget_get_last_child (adw_message_dialog_get_extra_child (scene.dialog));
  g_signal_emit_by_name (visible, "clicked");
  g_assert_true (g_str_has_prefix (gtk_editable_get_text (scene.sides->pdata[2]), "7.4390"));
  scene_answer (&scene, "cancel");
  g_assert_cmpstr (urbarium_map_document_get_part (self->map.document), ==, "");
}

static void
keep_error (UrbariumMapDocument *document, GError *error, GPtrArray *errors)
{
  g_ptr_array_add (errors, g_strdup (error->message));
}

static gboolean
has_error (gpointer errors)
{
  return ((GPtrArray *) errors)->len > 0;
}

/* A file that was replaced has nothing in the part that was chosen: it opens whole, at the second try. */
static void
test_replaced (Fixture *self, gconstpointer data)
{
  static const char *const elsewhere[] = { "building", NULL };
  g_autoptr(GPtrArray) errors = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *path = NULL;
  gulong failed;
  Scene scene;
  open_squares (self);
  scene_show (&scene, self, first_two);
  scene_answer (&scene, "read");
  map_fixture_reread (&self->map);
  urbarium_map_document_close (self->map.document);
  path = map_fixture_write ("squares", 5000, elsewhere);
  failed = g_signal_connect (self->map.document, "failed", G_CALLBACK (keep_error), errors);
  urbarium_map_document_open (self->map.document, (const char *const[]) { path, NULL });
  test_until (has_error, errors);
  g_signal_handler_disconnect (self->map.document, failed);
  g_assert_nonnull (strstr (errors->pdata[0], " has no object in the part 7."));
  map_fixture_open (&self->map, (const char *const[]) { path, NULL });
  g_assert_cmpint (count_polygons (self), ==, 1);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
#define ADD(name, func) g_test_add ("/app/part-dialog/" name, Fixture, NULL, map_panel_fixture_set_up, func, map_panel_fixture_tear_down)
  ADD ("read", test_read);
  ADD ("typing", test_typing);
  ADD ("replaced", test_replaced);
  return g_test_run ();
}
