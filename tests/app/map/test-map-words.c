/* SPDX-License-Identifier: Apache-2.0 */
/* test-map-words.c - what the engine says of a map, as the window says it, in English and in German. */
#include <string.h>

#include "app-test.h"
#include "app/map/map-page.h"
#include "app/map/map-words.h"
#include "map/notes.h"

/* Without the only file's name, and without advice for a terminal. */
static void
test_plain (void)
{
  static const char *const paths[] = { "/maps/town.gpkg", NULL };
  g_autofree char *note = g_strdup_printf (URB_NOTE_CRS_NONE, "town.gpkg"), *plain = NULL, *english = NULL;
  if (!test_speak ("de"))
    return;
  plain = urbarium_map_words_make_plain (note, paths);
  g_assert_cmpstr (plain, ==, "Kein Koordinatensystem ist angegeben, und die Koordinaten lassen keines erkennen; angenommen "
                              "werden Meter. Wenn das nicht stimmt, wählen Sie es oben.");
  test_speak ("C");
  english = urbarium_map_words_make_plain (note, paths);
  g_assert_true (g_str_has_prefix (english, "No coordinate system stated, and the coordinates"));
  g_assert_true (g_str_has_suffix (english, "If that is wrong, choose it above."));
}

static gboolean
has_dialog (gpointer data)
{
  return test_find_window (ADW_TYPE_MESSAGE_DIALOG) != NULL;
}

/* The dialog about a file that cannot be opened, whose text ends so. */
static void
assert_refused (UrbariumMapDocument *document, const char *name, const char *text, const char *expected)
{
  g_autofree char *path = g_build_filename (g_get_home_dir (), name, NULL);
  AdwMessageDialog *dialog;
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  urbarium_map_document_open (document, (const char *const[]) { path, NULL });
  test_until (has_dialog, NULL);
  dialog = test_find_window (ADW_TYPE_MESSAGE_DIALOG);
  test_frames (GTK_WINDOW (dialog), 3);
  test_screenshot (GTK_WINDOW (dialog), "map-failed-german");
  if (!g_str_has_suffix (adw_message_dialog_get_body (dialog), expected))
    g_error ("%s", adw_message_dialog_get_body (dialog));
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* A German window tells in German why a map cannot be opened, whether another process found it or this one. */
static void
test_refused (void)
{
  g_autoptr(UrbariumUndo) undo = urbarium_undo_new ();
  g_autoptr(UrbariumMapDocument) document = urbarium_map_document_new (undo);
  GtkWidget *page;
  GtkWindow *window;
  if (!test_speak ("de"))
    return;
  page = g_object_new (URBARIUM_TYPE_MAP_PAGE, NULL);
  urbarium_map_page_set_document (URBARIUM_MAP_PAGE (page), document);
  window = test_window_new (page, 1280, 760);
  assert_refused (document, "empty.geojson", "", "empty.geojson“ ist leer (0 Byte); laden oder exportieren Sie es noch einmal");
  assert_refused (document, "town.json", "{\"type\":\"CityJSON\",\"version\":\"2.0\",\"CityObjects\":{\"a\":",
                  "town.json“ ist beschädigt oder bricht ab; laden oder exportieren Sie es noch einmal");
  assert_refused (document, "points.geojson",
                  "{\"type\":\"Feature\",\"properties\":{},\"geometry\":{\"type\":\"Point\",\"coordinates\":[7,47]}}",
                  "keine Flächen: sein einziges Objekt ist ein Punkt. Wählen Sie eine Karte mit Flächen von Gebäuden und Straßen.");
  test_window_destroy (window);
  test_speak ("C");
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/map-words/plain", test_plain);
  g_test_add_func ("/app/map-words/refused", test_refused);
  return g_test_run ();
}
