/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-realism-pairs.c - pairs of a handmade result: both images of each, and a missing dataset.
 */
#include <string.h>

#include "app-test.h"
#include "app/cities/realism-pairs.h"
#include "dataset/dataset.h"
#include "stand-in.h"

#define PAIR(generated, area, share, repeats)                                                      \
  "{\"generated\":" #generated ",\"area\":" #area ",\"share\":" #share ",\"repeats\":" #repeats       \
  ",\"d4\":5,\"shift_m\":12}"

static char *
dup_id (void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbDataset) dataset = urb_dataset_open (stand_in_dataset (), &error);
  g_assert_no_error (error);
  return g_strdup (urb_dataset_get_info (dataset)->id);
}

/* @dataset: (nullable): NULL: the stand-in's; @pairs: JSON */
static UrbariumRealismResult *
make_result (const char *dataset, const char *id, const char *pairs)
{
  g_autofree char *right_id = dup_id ();
  g_autofree char *json = g_strdup_printf (
    "{\"dataset\":{\"path\":\"%s\",\"id\":\"%s\",\"trained_on_it\":true},\"seed\":\"7\","
    "\"n_tiles\":{\"real\":3,\"generated\":2},\"measures\":{\"road_share\":{\"title\":\"Roads\","
    "\"unit\":\"%%\",\"rho\":{\"generated\":0.8}}},\"score\":{\"generated\":1.8},"
    "\"copies\":{\"found\":false,\"closest\":[%s]}}",
    dataset != NULL ? dataset : stand_in_dataset (), id != NULL ? id : right_id, pairs);
  g_autoptr(GError) error = NULL;
  UrbariumRealismResult *result = urbarium_realism_result_parse (json, strlen (json), &error);
  g_assert_no_error (error);
  return result;
}

static guint
count_pairs (GtkWidget *pairs)
{
  g_autoptr(GPtrArray) found = test_list (pairs, GTK_TYPE_FLOW_BOX_CHILD);
  return found->len;
}

static GtkPicture *
get_picture (GtkWidget *pairs, guint i)
{
  g_autoptr(GPtrArray) found = test_list (pairs, GTK_TYPE_PICTURE);
  g_assert_cmpuint (i, <, found->len);
  return found->pdata[i];
}

static gboolean
says (GtkWidget *pairs, const char *text)
{
  g_autoptr(GPtrArray) found = test_list (pairs, GTK_TYPE_LABEL);
  for (guint i = 0; i < found->len; i++)
    if (strcmp (gtk_label_get_label (found->pdata[i]), text) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
is_painted (GtkWidget *pairs, guint i)
{
  return gtk_picture_get_paintable (get_picture (pairs, i)) != NULL;
}

static gboolean
has_all_pictures (gpointer pairs)
{
  g_autoptr(GPtrArray) found = test_list (pairs, GTK_TYPE_PICTURE);
  guint n = 0;
  for (guint i = 0; i < found->len; i++)
    n += gtk_picture_get_paintable (found->pdata[i]) != NULL;
  return n == found->len;
}

static gboolean
has_generated (gpointer pairs)
{
  return is_painted (pairs, 0);
}

/* Whether the first training area shows why it is empty. */
static gboolean
has_complaint (gpointer pairs)
{
  return gtk_widget_get_tooltip_text (GTK_WIDGET (get_picture (pairs, 1))) != NULL;
}

static void
test_pairs (void)
{
  g_autoptr(UrbariumCitySource) source = urbarium_city_source_new ();
  g_autoptr(UrbariumRealismResult) result
    = make_result (NULL, NULL, PAIR (1, 2, 0.5, true) "," PAIR (0, 0, 0.024, false));
  GtkWidget *pairs = g_object_new (URBARIUM_TYPE_REALISM_PAIRS, NULL);
  GtkWindow *window = test_window_new (pairs, 800, 400);
  stand_in_open (source, "any");
  g_assert_false (gtk_widget_get_visible (pairs));
  urbarium_realism_pairs_set (URBARIUM_REALISM_PAIRS (pairs), source, result);
  g_assert_true (gtk_widget_get_visible (pairs));
  g_assert_cmpuint (count_pairs (pairs), ==, 2);
  g_assert_true (says (pairs, "Copy: 50.0 % repeated"));
  g_assert_true (says (pairs, "2.4 % repeated"));
  /* Cities are numbered from 1, as in the gallery. */
  g_assert_true (says (pairs, "City 2"));
  g_assert_cmpstr (gtk_picture_get_alternative_text (get_picture (pairs, 0)), ==, "City 2");
  g_assert_cmpstr (gtk_picture_get_alternative_text (get_picture (pairs, 1)), ==,
                   "Training area 3");
  g_assert_cmpstr (gtk_picture_get_alternative_text (get_picture (pairs, 2)), ==, "City 1");
  test_until (has_all_pictures, pairs);
  test_frames (window, 3);
  test_screenshot (window, "realism-pairs-two");
  test_window_destroy (window);
  test_assert_last_unref (g_steal_pointer (&source));
}

static void
test_none (void)
{
  g_autoptr(UrbariumCitySource) source = urbarium_city_source_new ();
  g_autoptr(UrbariumRealismResult) none = make_result (NULL, NULL, "");
  g_autoptr(UrbariumRealismResult) one = make_result (NULL, NULL, PAIR (0, 0, 0.5, false));
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_REALISM_PAIRS, NULL);
  GtkWindow *window = test_window_new (widget, 800, 400);
  UrbariumRealismPairs *pairs = URBARIUM_REALISM_PAIRS (widget);
  urbarium_realism_pairs_set (pairs, source, none);
  g_assert_false (gtk_widget_get_visible (widget));
  urbarium_realism_pairs_set (pairs, NULL, one); /* no source for the generated areas */
  g_assert_false (gtk_widget_get_visible (widget));
  urbarium_realism_pairs_set (pairs, source, one);
  g_assert_true (gtk_widget_get_visible (widget));
  urbarium_realism_pairs_set (pairs, source, NULL);
  g_assert_false (gtk_widget_get_visible (widget));
  g_assert_cmpuint (count_pairs (widget), ==, 0);
  urbarium_realism_pairs_set (pairs, source, one); /* closing the window while areas are read */
  test_window_destroy (window);
  test_assert_last_unref (g_steal_pointer (&source));
}

/* A result with hundreds of pairs, and its replacement. */
static void
test_many (void)
{
  g_autoptr(UrbariumCitySource) source = urbarium_city_source_new ();
  g_autoptr(UrbariumRealismResult) one = make_result (NULL, NULL, PAIR (4, 0, 0.5, false));
  g_autoptr(UrbariumRealismResult) many = NULL;
  g_autoptr(GString) text = g_string_new (PAIR (0, 0, 0.1, false));
  GtkWidget *pairs = g_object_new (URBARIUM_TYPE_REALISM_PAIRS, NULL);
  GtkWindow *window = test_window_new (pairs, 800, 400);
  for (int i = 1; i < 300; i++)
    g_string_append_printf (text, "," "{\"generated\":%d,\"area\":%d,\"share\":0.2}", i, i % 3);
  many = make_result (NULL, NULL, text->str);
  stand_in_open (source, "any");
  urbarium_realism_pairs_set (URBARIUM_REALISM_PAIRS (pairs), source, many);
  g_assert_cmpuint (count_pairs (pairs), ==, 8);
  urbarium_realism_pairs_set (URBARIUM_REALISM_PAIRS (pairs), source, one);
  g_assert_cmpuint (count_pairs (pairs), ==, 1);
  g_assert_true (says (pairs, "City 5"));
  g_assert_false (says (pairs, "City 1"));
  urbarium_realism_pairs_set (URBARIUM_REALISM_PAIRS (pairs), source, many);
  test_until (has_all_pictures, pairs);
  test_window_destroy (window);
}

static void
check_complaint (const char *dataset, const char *id, const char *complaint)
{
  g_autoptr(UrbariumCitySource) source = urbarium_city_source_new ();
  g_autoptr(UrbariumRealismResult) result
    = make_result (dataset, id, PAIR (0, 0, 0.5, false) "," PAIR (1, 1, 0.4, false));
  GtkWidget *pairs = g_object_new (URBARIUM_TYPE_REALISM_PAIRS, NULL);
  GtkWindow *window = test_window_new (pairs, 800, 400);
  stand_in_open (source, "any");
  urbarium_realism_pairs_set (URBARIUM_REALISM_PAIRS (pairs), source, result);
  test_until (has_complaint, pairs);
  test_until (has_generated, pairs);
  g_assert_nonnull (
    strstr (gtk_widget_get_tooltip_text (GTK_WIDGET (get_picture (pairs, 3))), complaint));
  g_assert_false (is_painted (pairs, 1));
  test_window_destroy (window);
}

static void
test_gone (void)
{
  check_complaint ("/nowhere/areas.gpkg", NULL, "/nowhere/areas.gpkg");
  check_complaint (NULL, "another", "The dataset has changed.");
}

int
main (int argc, char **argv)
{
  int result;
  test_app_init (&argc, &argv);
  stand_in_set_up ();
  g_test_add_func ("/app/cities/realism-pairs/pairs", test_pairs);
  g_test_add_func ("/app/cities/realism-pairs/none", test_none);
  g_test_add_func ("/app/cities/realism-pairs/many", test_many);
  g_test_add_func ("/app/cities/realism-pairs/gone", test_gone);
  result = g_test_run ();
  stand_in_tear_down ();
  return result;
}
