/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-address-dialog.c - a map on a server is opened by its typed address, of which nothing is kept.
 */
#include <string.h>

#include "app-test.h"
#include "app/map/address-dialog.h"
#include "map-server.h"

typedef struct
{
  UrbariumUndo        *undo;     /* owned */
  UrbariumMapDocument *document; /* owned */
  GtkWindow           *window;
  AdwMessageDialog    *dialog;
  GtkEditable         *entry;
  char                *error;    /* (nullable) owned: of the last failure */
} Scene;

static void
failed_cb (UrbariumMapDocument *document, GError *error, Scene *scene)
{
  g_free (scene->error);
  scene->error = g_strdup (error->message);
}

static void
scene_show (Scene *scene)
{
  urbarium_address_dialog_show (gtk_window_get_child (scene->window), scene->document);
  scene->dialog = test_find_window (ADW_TYPE_MESSAGE_DIALOG);
  g_assert_nonnull (scene->dialog);
  scene->entry = GTK_EDITABLE (test_find (adw_message_dialog_get_extra_child (scene->dialog), GTK_TYPE_ENTRY));
}

static void
scene_set_up (Scene *scene)
{
  *scene = (Scene) { .undo = urbarium_undo_new () };
  scene->document = urbarium_map_document_new (scene->undo);
  g_signal_connect (scene->document, "failed", G_CALLBACK (failed_cb), scene);
  scene->window = test_window_new (gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), 700, 500);
  scene_show (scene);
}

static void
scene_tear_down (Scene *scene)
{
  test_window_destroy (scene->window);
  test_assert_last_unref (scene->document);
  test_assert_last_unref (scene->undo);
  g_free (scene->error);
}

static const char *
get_problem (Scene *scene)
{
  GtkWidget *problem = gtk_widget_get_last_child (adw_message_dialog_get_extra_child (scene->dialog));
  return gtk_widget_get_visible (problem) ? gtk_label_get_text (GTK_LABEL (problem)) : NULL;
}

static void
test_typing (void)
{
  static const struct { const char *text; gboolean is_good, is_wrong; } rows[] = {
    { "", FALSE, FALSE },
    { "/home/anna/map.gpkg", FALSE, TRUE },
    { "htt", FALSE, FALSE },
    { "https://", FALSE, FALSE },
    { "https://maps.example.org", FALSE, TRUE },
    { "postgresql://anna@db.example.org/town", TRUE, FALSE },
    { "  https://maps.example.org/wfs?service=WFS ", TRUE, FALSE },
  };
  Scene scene;
  scene_set_up (&scene);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      gtk_editable_set_text (scene.entry, rows[i].text);
      g_assert_cmpint (adw_message_dialog_get_response_enabled (scene.dialog, "open"), ==, rows[i].is_good);
      g_assert_cmpint (get_problem (&scene) != NULL, ==, rows[i].is_wrong);
      if (i == 1)
        {
          test_frames (GTK_WINDOW (scene.dialog), 3);
          test_screenshot (GTK_WINDOW (scene.dialog), "address-dialog");
        }
    }
  adw_message_dialog_response (scene.dialog, "cancel");
  g_assert_null (urbarium_map_document_get_map (scene.document));
  scene_tear_down (&scene);
}

static gboolean
has_map (gpointer data)
{
  Scene *scene = data;
  if (scene->error != NULL)
    g_error ("%s", scene->error);
  return urbarium_map_document_get_map (scene->document) != NULL;
}

/* The map was read again. */
static gboolean
is_wide (gpointer data)
{
  Scene *scene = data;
  g_autoptr(GObject) job = NULL;
  g_object_get (scene->document, "job", &job, NULL);
  return has_map (scene) && job == NULL && urbarium_map_document_get_road_width (scene->document) == 9;
}

static gboolean
has_failed (gpointer scene)
{
  return ((Scene *) scene)->error != NULL;
}

/* The dialog, shown again, has the last address, so that a letter of it can be put right. */
static void
assert_filled_in (Scene *scene, const char *address)
{
  int start, end;
  scene_show (scene);
  g_assert_cmpstr (gtk_editable_get_text (scene->entry), ==, address);
  g_assert_true (adw_message_dialog_get_response_enabled (scene->dialog, "open"));
  g_assert_null (get_problem (scene));
  test_frames (GTK_WINDOW (scene->dialog), 3);
  g_assert_true (gtk_editable_get_selection_bounds (scene->entry, &start, &end));
  g_assert_cmpint (start, ==, 0);
  g_assert_cmpint (end, ==, (int) g_utf8_strlen (address, -1));
  test_screenshot (GTK_WINDOW (scene->dialog), "address-dialog-again");
  adw_message_dialog_response (scene->dialog, "cancel");
}

/* What the next session gets has no address, and opens nothing. */
static void
assert_forgets (UrbariumMapDocument *document)
{
  g_autoptr(GVariant) state = urbarium_map_document_dup_state (document);
  g_autoptr(GVariant) memory = urbarium_map_document_dup_memory (document);
  g_autofree char *text = g_variant_print (state, FALSE), *more = g_variant_print (memory, FALSE);
  g_autoptr(UrbariumUndo) undo = urbarium_undo_new ();
  g_autoptr(UrbariumMapDocument) next = urbarium_map_document_new (undo);
  g_autoptr(GObject) job = NULL;
  g_assert_null (urbarium_map_document_get_typed_address (next));
  g_assert_null (strstr (text, "127.0.0.1"));
  g_assert_null (strstr (more, "127.0.0.1"));
  urbarium_map_document_restore (next, state);
  g_object_get (next, "job", &job, NULL);
  g_assert_null (job);
}

static void
test_server (void)
{
  int port = 0;
  GSubprocess *server = wfs_start ("/dev/null", NULL, &port);
  g_autofree char *good = g_strdup_printf ("http://anna:se%%3Acret@127.0.0.1:%d/locked?service=WFS", port);
  g_autofree char *bad = g_strdup_printf ("http://anna:other@127.0.0.1:%d/locked?service=WFS", port);
  g_autofree char *title = NULL, *shown = g_strdup_printf ("http://…@127.0.0.1:%d/…?service=WFS", port);
  Scene scene;
  if (server == NULL)
    {
      g_test_skip ("no Python");
      return;
    }
  scene_set_up (&scene);
  gtk_editable_set_text (scene.entry, good);
  adw_message_dialog_response (scene.dialog, "open");
  test_until (has_map, &scene);
  g_object_get (scene.document, "title", &title, NULL);
  g_assert_cmpstr (title, ==, "127.0.0.1");
  g_assert_cmpstr (urbarium_map_document_get_paths (scene.document)[0], ==, shown);
  urbarium_map_document_set_road_width (scene.document, 9); /* is read again, with the password */
  test_until (is_wide, &scene);
  assert_forgets (scene.document);
  scene_tear_down (&scene);

  scene_set_up (&scene);
  gtk_editable_set_text (scene.entry, bad);
  adw_message_dialog_response (scene.dialog, "open");
  test_until (has_failed, &scene);
  g_assert_null (strstr (scene.error, "other"));
  assert_filled_in (&scene, bad);
  assert_forgets (scene.document);
  scene_tear_down (&scene);
  map_server_stop (server);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/address-dialog/typing", test_typing);
  g_test_add_func ("/app/address-dialog/server", test_server);
  return g_test_run ();
}
