/* SPDX-License-Identifier: Apache-2.0 */
/* test-map-notes.c - the reader's notes in another language than English, in which they are written. */
#include <glib/gi18n.h>
#include <locale.h>
#include <string.h>

#include "app-test.h"
#include "app/map/map-notes.h"
#include "app/map/map-words.h"
#include "map/notes.h"

/* glibc looks at the variable again when the locale has changed. */
static void
set_language (const char *language)
{
  g_setenv ("LANGUAGE", language, TRUE);
  setlocale (LC_ALL, "C");
  setlocale (LC_ALL, "C.UTF-8");
}

/* FALSE: no translations have been built. */
static gboolean
speak_german (void)
{
  set_language ("de");
  if (!g_str_equal (_ ("Other pairs of files"), "Other pairs of files"))
    return TRUE;
  g_test_skip ("no translations have been built");
  return FALSE;
}

static void
assert_translated (const char *expected, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
assert_translated (const char *expected, const char *format, ...)
{
  g_autofree char *note = NULL, *translated = NULL;
  va_list values;
  va_start (values, format);
  note = g_strdup_vprintf (format, values);
  va_end (values);
  translated = urbarium_map_notes_translate (note);
  g_assert_cmpstr (translated, ==, expected);
}

static void
test_german (void)
{
  if (!speak_german ())
    return;
  assert_translated ("town.gpkg: 3 von 2120 Objekten der Ebene „land: cover“ waren nicht lesbar und fehlen: '531', '1061', ….",
                     URB_NOTE_UNREADABLE_MANY, "town.gpkg", 3LL, 2120LL, "land: cover", ": '531', '1061', …");
  assert_translated ("town.gpkg: 1 von 12 Objekten der Ebene „a“ war nicht lesbar und fehlt.", URB_NOTE_UNREADABLE_ONE,
                     "town.gpkg", 1LL, 12LL, "a", "");
  assert_translated ("a.itf: In der Tabelle „x“ wurden 2 lose Linienenden mit der nächsten Linie verbunden, bis zu 6 cm entfernt.",
                     URB_NOTE_LOOSE_MANY, "a.itf", "x", 2LL, 6.4);
  assert_translated ("Andere Dateipaare: 3 bis zu 0.25 m breite Lücken an ihrer Grenze wurden geschlossen.", URB_NOTE_GAPS_MANY,
                     URB_NOTE_OTHER_FILES, 3, 0.25);
  assert_translated ("Kein Polygon dieser Karte ist eine Straße; das Profil ist „generic“, und ein anderes lässt sich oben wählen.",
                     URB_NOTE_NO_ROAD, "generic");
  assert_translated (NULL, "Something else of the file '%s'", "a.gml");
}

/* Names from files stay as they are, also where the window has the same word; a file's name may have a colon. */
static void
test_names (void)
{
  if (!speak_german ())
    return;
  g_assert_cmpstr (_ ("Buildings"), ==, "Gebäude");
  assert_translated ("Roads: Die Ebene „Buildings“ hat nur Punkte und fehlt.", URB_NOTE_POINTS_ONLY, "Roads",
                     "Buildings");
  assert_translated ("a: b.gpkg: 1 von 12 Objekten der Ebene „a“ war nicht lesbar und fehlt.", URB_NOTE_UNREADABLE_ONE,
                     "a: b.gpkg", 1LL, 12LL, "a", "");
}

/* Names that repeat the words of a sentence cost no more time than others. */
static void
test_long (void)
{
  g_autoptr(GString) name = g_string_new (NULL);
  g_autofree char *note = NULL, *translated = NULL;
  if (!speak_german ())
    return;
  for (int i = 0; i < 20000; i++)
    g_string_append (name, ": 1 of 1 objects of the layer '' could not be read and were left out");
  note = g_strdup_printf (URB_NOTE_UNREADABLE_MANY, name->str, 3LL, 9LL, name->str, name->str);
  translated = urbarium_map_notes_translate (note);
  g_assert_nonnull (translated);
  g_string_truncate (name, 0);
  for (int i = 0; i < 100000; i++)
    g_string_append (name, ": 1 of ");
  g_assert_null (urbarium_map_notes_translate (name->str));
}

/* Without the only file's name, and without advice for a terminal. */
static void
test_plain (void)
{
  static const char *const paths[] = { "/maps/town.gpkg", NULL };
  g_autofree char *note = g_strdup_printf (URB_NOTE_CRS_NONE, "town.gpkg"), *plain = NULL, *english = NULL;
  if (!speak_german ())
    return;
  plain = urbarium_map_words_make_plain (note, paths);
  g_assert_cmpstr (plain, ==, "Kein Koordinatensystem ist angegeben, und die Koordinaten lassen keines erkennen; angenommen "
                              "werden Meter. Wenn das nicht stimmt, wählen Sie es oben.");
  set_language ("C");
  english = urbarium_map_words_make_plain (note, paths);
  g_assert_true (g_str_has_prefix (english, "No coordinate system stated, and the coordinates"));
  g_assert_null (urbarium_map_notes_translate (note));
}

/* The window knows each sentence of the reader, and no language has advice for a terminal. */
static void
test_all (void)
{
  g_autofree char *header = g_test_build_filename (G_TEST_DIST, "..", "engine", "map", "notes.h", NULL);
  g_autofree char *table = g_test_build_filename (G_TEST_DIST, "..", "app", "map", "map-notes.c", NULL);
  g_autofree char *sentences = NULL, *known = NULL;
  g_auto(GStrv) parts = NULL;
  g_assert_true (g_file_get_contents (header, &sentences, NULL, NULL));
  g_assert_true (g_file_get_contents (table, &known, NULL, NULL));
  parts = g_strsplit (sentences, "#define URB_NOTE_", -1);
  g_assert_cmpuint (g_strv_length (parts), >, 40);
  for (char **part = parts + 1; *part != NULL; part++)
    {
      g_autofree char *name = g_strndup (*part, strcspn (*part, " "));
      g_autofree char *entry = g_strconcat ("URB_NOTE_", name, ",", NULL);
      if (strstr (known, entry) == NULL && !g_str_equal (name, "OTHER_FILES"))
        g_error ("%s is not in %s", entry, table);
    }
}

int
main (int argc, char **argv)
{
  g_setenv ("LC_ALL", "C.UTF-8", TRUE); /* C disables translation */
  g_test_init (&argc, &argv, NULL);
  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, g_getenv ("TRANSLATIONS"));
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  g_test_add_func ("/app/map-notes/german", test_german);
  g_test_add_func ("/app/map-notes/names", test_names);
  g_test_add_func ("/app/map-notes/long", test_long);
  g_test_add_func ("/app/map-notes/plain", test_plain);
  g_test_add_func ("/app/map-notes/all", test_all);
  return g_test_run ();
}
