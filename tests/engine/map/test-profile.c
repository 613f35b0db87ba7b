/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-profile.c - class profiles: built-in and hostile ones.
 */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "map/map-private.h"
#include "map/profile-private.h"

static char *
write_profile (const char *text, gssize length)
{
  char *path = NULL;
  int fd = g_file_open_tmp ("urbarium-XXXXXX.profile", &path, NULL);

  g_assert_cmpint (fd, >=, 0);
  g_assert_true (g_close (fd, NULL));
  g_assert_true (g_file_set_contents (path, text, length, NULL));
  return path;
}

static UrbProfile *
parse (const char *text, gssize length, GError **error)
{
  g_autofree char *path = write_profile (text, length);
  UrbProfile *profile = urb_profile_load (path, error);

  g_unlink (path);
  return profile;
}

static void
test_all_parse (void)
{
  static const char *const expected[] = { "de-alkis", "fr-cadastre", "generic", "nl-bgt",
                                          "osm", "swiss-dm01", "urbarium" };
  g_auto(GStrv) names = urb_profile_list ();

  g_assert_cmpint (g_strv_length (names), ==, G_N_ELEMENTS (expected));
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(UrbProfile) profile = urb_profile_load (names[i], &error);
      g_assert_no_error (error);
      g_assert_cmpstr (names[i], ==, expected[i]);
      g_assert_cmpstr (profile->name, ==, expected[i]);
      g_assert_cmpint (strlen (urb_profile_get_title (profile)), >, 5);
      g_assert_cmpint (profile->rules->len, >, 0);
    }
}

static void
check_class (UrbProfile *profile, const char *table, const char *value, int expected)
{
  g_autofree char *plain = urb_plain_text (value, FALSE);
  UrbTable *classes = g_hash_table_lookup (profile->tables, table);
  double number = -1;

  g_assert_nonnull (classes);
  if (!urb_table_lookup (classes, plain, &number))
    number = -1;
  g_test_message ("%s", plain);
  g_assert_cmpint ((int) number, ==, expected);
}

/* Every land-cover kind of the data model, as spelled there, in DXF, and in
 * MOpublic. */
static void
test_swiss_values (void)
{
  g_autoptr(UrbProfile) profile = urb_profile_load ("swiss-dm01", NULL);
  static const struct { const char *value; int class_; } cases[] = {
    { "Gebaeude", URB_CLASS_BUILDING }, { "Gebäude", URB_CLASS_BUILDING },
    { "GEBAEUDE", URB_CLASS_BUILDING }, { "b\xe2timent", URB_CLASS_BUILDING },
    { "befestigt.Strasse_Weg", URB_CLASS_ROAD }, { "befestigt_Strasse_Weg", URB_CLASS_ROAD },
    { "Strasse, Weg", -1 }, { "befestigt.Trottoir", URB_CLASS_ROAD },
    { "befestigt.Verkehrsinsel", URB_CLASS_ROAD }, { "befestigt.Bahn", URB_CLASS_OTHER },
    { "befestigt.uebrige_befestigte.Gebaeudeerschliessung", URB_CLASS_OTHER },
    { "Gebaeudeerschliessung", URB_CLASS_OTHER }, { "humusiert.Gartenanlage.Friedhof", URB_CLASS_OTHER },
    { "Gewässer.fliessendes", URB_CLASS_OTHER }, { "vegetationslos.Fels", URB_CLASS_OTHER },
    { "revêtement_dur.route_chemin", URB_CLASS_ROAD }, { "Raumschiff", -1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    check_class (profile, "classes land cover", cases[i].value, cases[i].class_);
  for (int code = 0; code <= 40; code++)
    {
      g_autofree char *text = g_strdup_printf ("%d", code);
      check_class (profile, "classes codes", text,
                   code == 0 ? URB_CLASS_BUILDING : code <= 3 ? URB_CLASS_ROAD : URB_CLASS_OTHER);
    }
}

static void
test_plain_text (void)
{
  static const struct { const char *text, *plain; } cases[] = {
    { "", "" }, { "Ärzte-Haus 7", "aerzte_haus_7" }, { "a.b_c", "a_b_c" }, { "é", "e" },
    { "e\xcc\x81", "e" }, { "\xff\xfe", "y_" }, { "Straße", "strasse" }, { "*?", "__" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *plain = urb_plain_text (cases[i].text, FALSE);
      if (!g_str_equal (cases[i].text, "\xff\xfe"))
        g_assert_cmpstr (plain, ==, cases[i].plain);
      g_assert_true (g_utf8_validate (plain, -1, NULL));
    }
}

static void
test_glob (void)
{
  g_autofree char *many_a = g_strnfill (20000, 'a');
  GString *stars = g_string_new (NULL);
  gint64 start = g_get_monotonic_time ();

  g_assert_true (g_pattern_match_simple ("*", ""));
  g_assert_true (g_pattern_match_simple ("a*c", "abbc"));
  g_assert_true (g_pattern_match_simple ("*strasse_weg", "befestigt_strasse_weg"));
  g_assert_true (g_pattern_match_simple ("a?c*", "abcdef"));
  g_assert_false (g_pattern_match_simple ("a?c", "ac"));
  g_assert_false (g_pattern_match_simple ("a*b", "abc"));
  g_assert_false (g_pattern_match_simple ("", "a"));
  /* This would take years with backtracking. */
  for (int i = 0; i < 200; i++)
    g_string_append (stars, "a*");
  g_string_append_c (stars, 'b');
  g_assert_false (g_pattern_match_simple (stars->str, many_a));
  g_assert_cmpint (g_get_monotonic_time () - start, <, 5 * G_USEC_PER_SEC);
  g_string_free (stars, TRUE);
}

/* Each is rejected with a message that names the file. */
static void
test_refused (void)
{
  static const char *const texts[] = {
    "",
    "not a key file",
    "[profile]\n",
    "[profile]\nname=\n",
    "[profile]\nname=x\nspeed=9\n",
    "[profile]\nname=x\nunmatched=next\n",
    "[profile]\nname=x\nunmatched=house\n",
    "[profile]\nname=x\ncrs=EPSG:2056 1 2 3\n",
    "[profile]\nname=x\ncrs=EPSG:2056 1 2 3 nan\n",
    "[profile]\nname=x\n[something]\na=b\n",
    "[profile]\nname=x\n[rule a]\nclass=building\n",
    "[profile]\nname=x\n[rule a]\nlayers=*\n",
    "[profile]\nname=x\n[rule a]\nlayers=*\nclass=castle\n",
    "[profile]\nname=x\n[rule a]\nlayers=*\nattribute=a\n",
    "[profile]\nname=x\n[rule a]\nlayers=*\nattribute=a\nvalues=none\n",
    "[profile]\nname=x\n[rule a]\nlayers=*\nclass=road\nwidth=-3\n",
    "[profile]\nname=x\n[rule a]\nlayers=*\nclass=road\nwidth=1e9\n",
    "[profile]\nname=x\n[rule a]\nlayers=*\nclass=road\nwidth=inf\n",
    "[profile]\nname=x\n[rule a]\nlayers=*\nclass=road\ngeometry=cube\n",
    "[profile]\nname=x\n[rule a]\nlayers=*\nclass=road\ndrop==;<\n",
    "[profile]\nname=x\n[rule a]\nlayers=*\nclass=road\ndrop=a<b\n",
    "[profile]\nname=x\n[rule a]\nlayers=*\nclass=road\ndrop=!a=b\n",
    "[profile]\nname=x\n[rule a]\nlayers=*\nclass=road\nlabel=one\n",
    "[profile]\nname=x\n[rule a]\nlayers=*\nclass=road\nwidths-attribute=w\n",
    "[profile]\nname=x\n[classes a]\ncastle=b\n",
    "[profile]\nname=x\n[widths a]\nwide=b\n",
    "[profile]\nname=x\n[widths a]\n999=b\n",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr(GError) error = NULL;
      g_autofree char *shown = g_strescape (texts[i], NULL);
      g_test_message ("%s", shown);
      g_assert_null (parse (texts[i], -1, &error));
      g_assert_error (error, URB_MAP_ERROR, URB_MAP_ERROR_PROFILE);
      g_assert_nonnull (strstr (error->message, ".profile'"));
    }
}

static void
test_not_there (void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GError) folder_error = NULL;

  g_assert_null (urb_profile_load ("no-such-profile", &error));
  g_assert_error (error, URB_MAP_ERROR, URB_MAP_ERROR_PROFILE);
  g_assert_nonnull (strstr (error->message, "swiss-dm01"));
  g_assert_null (urb_profile_load (g_get_tmp_dir (), &folder_error));
  g_assert_error (folder_error, URB_MAP_ERROR, URB_MAP_ERROR_PROFILE);
}

/* Not waited for. */
static void
test_pipe (void)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *path = write_profile ("", 0);

  g_unlink (path);
  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  g_assert_null (urb_profile_load (path, &error));
  g_assert_error (error, URB_MAP_ERROR, URB_MAP_ERROR_PROFILE);
  g_assert_nonnull (strstr (error->message, "is not a regular file"));
  g_unlink (path);
}

static void
test_own (void)
{
  static const char text[]
    = "[profile]\nname=own\n[classes k]\nbuilding=Haus;H*\nroad=Weg\nnext=nichts\n"
      "[widths w]\n7.5=Weg\n[rule a]\nlayers=Plan *\nattribute=Art\nvalues=k\nnull=next\n"
      "widths=w\nwidths-attribute=Art\ndrop=Ende;Stufe<0;!Anfang;Zustand=alt|sehr alt\n";
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbProfile) profile = parse (text, -1, &error);
  UrbRule *rule;
  double number;

  g_assert_no_error (error);
  rule = g_ptr_array_index (profile->rules, 0);
  g_assert_cmpstr (rule->layers[0], ==, "plan_*");
  g_assert_cmpint (rule->drop->len, ==, 4);
  g_assert_cmpint (((UrbCondition *) g_ptr_array_index (rule->drop, 1))->kind, ==, URB_CONDITION_LESS);
  g_assert_cmpint (((UrbCondition *) g_ptr_array_index (rule->drop, 2))->kind, ==, URB_CONDITION_NOT_SET);
  g_assert_cmpstr (((UrbCondition *) g_ptr_array_index (rule->drop, 3))->values[1], ==, "sehr_alt");
  check_class (profile, "classes k", "Hotel", URB_CLASS_BUILDING);
  check_class (profile, "classes k", "nichts", URB_CLASS_NEXT);
  check_class (profile, "classes k", "Baum", -1);
  g_assert_true (urb_table_lookup (rule->widths, "weg", &number));
  g_assert_cmpfloat (number, ==, 7.5);
}

/* A damaged profile is rejected or read, and never crashes. */
static void
test_damaged (void)
{
  static const char good[]
    = "[profile]\nname=x\ncrs=EPSG:2056 1 2 3 4\n[classes k]\nbuilding=a;b*\n[rule a]\nlayers=*;b\n"
      "attribute=a;b\nvalues=k\nnull=other\ndrop=a;b<3;c=d|e\nwidth=3\n";
  g_autoptr(GRand) rand = g_rand_new_with_seed (11);

  for (int i = 0; i < 600; i++)
    {
      g_autofree char *text = g_memdup2 (good, sizeof good);
      g_autoptr(GError) error = NULL;
      g_autoptr(UrbProfile) profile = NULL;
      for (int hits = g_rand_int_range (rand, 1, 6); hits > 0; hits--)
        text[g_rand_int_range (rand, 0, sizeof good - 1)] = (char) g_rand_int_range (rand, 0, 256);
      profile = parse (text, g_rand_int_range (rand, 1, sizeof good), &error);
      g_assert_true ((profile == NULL) == (error != NULL));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/map/profile/all-parse", test_all_parse);
  g_test_add_func ("/map/profile/swiss-values", test_swiss_values);
  g_test_add_func ("/map/profile/plain-text", test_plain_text);
  g_test_add_func ("/map/profile/glob", test_glob);
  g_test_add_func ("/map/profile/refused", test_refused);
  g_test_add_func ("/map/profile/not-there", test_not_there);
  g_test_add_func ("/map/profile/pipe", test_pipe);
  g_test_add_func ("/map/profile/own", test_own);
  g_test_add_func ("/map/profile/damaged", test_damaged);
  return g_test_run ();
}
