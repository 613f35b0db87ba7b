/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-blind-test.c - a blind test from the first pair to the verdict, with keys and back; a dataset with
 * too few areas; closed while the engine draws.
 */
#include <string.h>

#include "app/cities/blind-test.h"
#include "cities-fixture.h"
#include "city/blind.h"

static GObject *
get_child (gpointer test, const char *name)
{
  return gtk_widget_get_template_child (test, URBARIUM_TYPE_BLIND_TEST, name);
}

static gboolean
shows (gpointer test, const char *name)
{
  const char *shown = gtk_stack_get_visible_child_name (GTK_STACK (get_child (test, "content")));
  return g_strcmp0 (shown, name) == 0;
}

static gboolean
shows_pair (gpointer test)
{
  return shows (test, "pair");
}

static gboolean
shows_error (gpointer test)
{
  return shows (test, "error");
}

static const char *
get_number (gpointer test)
{
  return gtk_label_get_label (GTK_LABEL (get_child (test, "number")));
}

static GdkPaintable *
get_picture (gpointer test, const char *name)
{
  return gtk_picture_get_paintable (GTK_PICTURE (get_child (test, name)));
}

/* The folders of blind tests that exist. */
static guint
count_folders (void)
{
  g_autoptr(GDir) dir = g_dir_open (g_get_tmp_dir (), 0, NULL);
  const char *name;
  guint n = 0;
  while ((name = g_dir_read_name (dir)) != NULL)
    n += g_str_has_prefix (name, "urbarium-blind-");
  return n;
}

static gboolean
has_no_folder (gpointer before)
{
  return count_folders () <= GPOINTER_TO_UINT (before);
}

/* All answers are A, so chance decides about the verdict; the numbers are checked. */
static void
test_whole (void)
{
  GtkWidget *button = gtk_button_new ();
  GtkWindow *window = test_window_new (button, 900, 700);
  guint before = count_folders (), n_pairs = 0, last = 0;
  g_autofree char *expected = NULL;
  UrbariumBlindTest *test = urbarium_blind_test_open (button, cities_fixture_checkpoint (), NULL);
  GdkPaintable *first;
  const char *description;
  g_assert_true (shows (test, "wait"));
  test_until (shows_pair, test);
  g_assert_cmpint (sscanf (get_number (test), "Pair %u of %u", &last, &n_pairs), ==, 2);
  g_assert_cmpuint (last, ==, 1);
  g_assert_cmpuint (n_pairs, >=, URB_BLIND_MIN_PAIRS);
  first = get_picture (test, "picture_a");
  g_assert_nonnull (first);
  g_assert_nonnull (get_picture (test, "picture_b"));
  test_frames (GTK_WINDOW (test), 10);
  test_screenshot (GTK_WINDOW (test), "blind-test-pair");
  g_assert_cmpuint (count_folders (), ==, before + 1);

  /* Back to the first pair, and no further. */
  gtk_widget_activate_action (GTK_WIDGET (test), "blind.answer", "i", 1);
  g_assert_true (g_str_has_prefix (get_number (test), "Pair 2 of "));
  g_assert_true (get_picture (test, "picture_a") != first);
  gtk_widget_activate_action (GTK_WIDGET (test), "blind.back", NULL);
  g_assert_true (g_str_has_prefix (get_number (test), "Pair 1 of "));
  gtk_widget_activate_action (GTK_WIDGET (test), "blind.back", NULL);
  g_assert_true (g_str_has_prefix (get_number (test), "Pair 1 of "));

  for (guint i = 0; i < n_pairs; i++)
    {
      g_assert_true (shows_pair (test));
      gtk_widget_activate_action (GTK_WIDGET (test), "blind.answer", "i", 0);
    }
  g_assert_true (shows (test, "result"));
  description = adw_status_page_get_description (ADW_STATUS_PAGE (get_child (test, "result_page")));
  expected = g_strdup_printf (" of %u pairs. ", n_pairs);
  g_assert_nonnull (strstr (description, "You found the real plan in "));
  g_assert_nonnull (strstr (description, expected));
  g_assert_nonnull (strstr (gtk_label_get_label (GTK_LABEL (get_child (test, "statistics"))),
                            "exact binomial test"));
  test_frames (GTK_WINDOW (test), 10);
  test_screenshot (GTK_WINDOW (test), "blind-test-result");

  /* A further test shows other pairs. */
  gtk_widget_activate_action (GTK_WIDGET (test), "blind.again", NULL);
  test_until (shows_pair, test);
  g_assert_true (g_str_has_prefix (get_number (test), "Pair 1 of "));
  gtk_window_close (GTK_WINDOW (test));
  test_until (has_no_folder, GUINT_TO_POINTER (before));
  test_window_destroy (window);
}

static void
test_failure (void)
{
  GtkWidget *button = gtk_button_new ();
  GtkWindow *window = test_window_new (button, 900, 700);
  UrbariumBlindTest *test
    = urbarium_blind_test_open (button, cities_fixture_checkpoint (), "/nowhere/areas.gpkg");
  test_until (shows_error, test);
  g_assert_nonnull (strstr (
    adw_status_page_get_description (ADW_STATUS_PAGE (get_child (test, "error_page"))), "nowhere"));
  gtk_window_close (GTK_WINDOW (test));
  test_window_destroy (window);
}

static void
test_close (void)
{
  GtkWidget *button = gtk_button_new ();
  GtkWindow *window = test_window_new (button, 900, 700);
  guint before = count_folders ();
  UrbariumBlindTest *test = urbarium_blind_test_open (button, cities_fixture_checkpoint (), NULL);
  test_frames (window, 2);
  gtk_window_close (GTK_WINDOW (test));
  test_until (has_no_folder, GUINT_TO_POINTER (before));
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  int failed;
  test_app_init (&argc, &argv);
  cities_fixture_set_up ();
  g_test_add_func ("/app/cities/blind-test/whole", test_whole);
  g_test_add_func ("/app/cities/blind-test/failure", test_failure);
  g_test_add_func ("/app/cities/blind-test/close", test_close);
  failed = g_test_run ();
  cities_fixture_tear_down ();
  return failed;
}
