/* SPDX-License-Identifier: Apache-2.0 */
/* test-engine-texts.c - notes and errors of the engine in another language than English, in which they are written. */
#include <glib/gi18n.h>
#include <string.h>

#include "app-test.h"
#include "app/base/engine-texts.h"
#include "map/notes.h"

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
  translated = urbarium_engine_texts_translate (note);
  g_assert_cmpstr (translated, ==, expected);
}

static void
test_german (void)
{
  if (!test_speak ("de"))
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
  if (!test_speak ("de"))
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
  if (!test_speak ("de"))
    return;
  for (int i = 0; i < 20000; i++)
    g_string_append (name, ": 1 of 1 objects of the layer '' could not be read and were left out");
  note = g_strdup_printf (URB_NOTE_UNREADABLE_MANY, name->str, 3LL, 9LL, name->str, name->str);
  translated = urbarium_engine_texts_translate (note);
  g_assert_nonnull (translated);
  g_string_truncate (name, 0);
  for (int i = 0; i < 100000; i++)
    g_string_append (name, ": 1 of ");
  g_assert_null (urbarium_engine_texts_translate (name->str));
}

/* An error whose reason is the engine's, too; one with a format that says more than another that fits; and many of them in each
 * other, as a hostile name can have it. */
static void
test_errors (void)
{
  g_autoptr(GError) error = g_error_new (G_IO_ERROR, G_IO_ERROR_FAILED, "'%s' yields no areas with the profile '%s': %s. Choose "
                                         "a map with areas of buildings and roads, or another --profile.", "a.gml", "osm",
                                         "of 9 objects 7 are points and 1 is a line");
  g_autoptr(GString) nested = g_string_new ("x");
  g_autofree char *translated = NULL;
  if (!test_speak ("de"))
    return;
  urbarium_engine_texts_translate_error (error);
  g_assert_cmpstr (error->message, ==, "„a.gml“ ergibt mit dem Profil „osm“ keine Flächen: von 9 Objekten: 7 sind Punkte und 1 ist "
                                       "eine Linie. Wählen Sie eine Karte mit Flächen von Gebäuden und Straßen.");
  urbarium_engine_texts_translate_error (error); /* as it is */
  g_assert_true (g_str_has_prefix (error->message, "„a.gml“"));
  urbarium_engine_texts_translate_error (NULL);
  assert_translated ("„a.json“ ist beschädigt oder bricht ab; laden oder exportieren Sie es noch einmal",
                     "'%s' %s; download or export it again", "a.json", "is damaged or breaks off");
  for (int i = 0; i < 5000; i++)
    g_string_prepend (nested, "The folder 'a' cannot be read: ");
  translated = urbarium_engine_texts_translate (nested->str);
  g_assert_true (g_str_has_prefix (translated, "Der Ordner „a“ lässt sich nicht lesen: Der Ordner"));
}

/* In each language, without advice for a terminal. */
static void
test_all (void)
{
  static const char *const languages[] = { "de", "fr", "it" };
  static const char *const notes[] = { URB_NOTE_CUT, URB_NOTE_FULL, URB_NOTE_NO_END };
  for (guint l = 0; l < G_N_ELEMENTS (languages) && test_speak (languages[l]); l++)
    for (guint i = 0; i < G_N_ELEMENTS (notes); i++)
      {
        g_autofree char *translated = urbarium_engine_texts_translate (notes[i]);
        g_assert_nonnull (translated);
        g_assert_null (strstr (translated, "--"));
      }
  test_speak ("C");
  g_assert_null (urbarium_engine_texts_translate (URB_NOTE_FULL));
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/engine-texts/german", test_german);
  g_test_add_func ("/app/engine-texts/names", test_names);
  g_test_add_func ("/app/engine-texts/long", test_long);
  g_test_add_func ("/app/engine-texts/errors", test_errors);
  g_test_add_func ("/app/engine-texts/all", test_all);
  return g_test_run ();
}
