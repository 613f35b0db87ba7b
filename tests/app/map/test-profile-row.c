/* SPDX-License-Identifier: Apache-2.0 */
/* test-profile-row.c - lists all profiles after the item for none, and knows them by name. */
#include "app-test.h"
#include "app/map/profile-row.h"
#include "map/profile.h"

static void
test_choices (void)
{
  UrbariumProfileRow *row = g_object_ref_sink (g_object_new (URBARIUM_TYPE_PROFILE_ROW, NULL));
  g_auto(GStrv) names = urb_profile_list ();
  urbarium_profile_row_fill (row, "As usual");
  g_assert_cmpstr (urbarium_profile_row_get_profile (row), ==, "");
  g_assert_cmpuint (g_list_model_get_n_items (adw_combo_row_get_model (ADW_COMBO_ROW (row))), ==,
                    g_strv_length (names) + 1);
  for (char **name = names; *name != NULL; name++)
    {
      urbarium_profile_row_set_profile (row, *name);
      g_assert_cmpstr (urbarium_profile_row_get_profile (row), ==, *name);
    }
  urbarium_profile_row_set_profile (row, "osm");
  urbarium_profile_row_set_profile (row, "no-such-profile");
  g_assert_cmpstr (urbarium_profile_row_get_profile (row), ==, "osm");
  urbarium_profile_row_set_profile (row, "");
  g_assert_cmpuint (adw_combo_row_get_selected (ADW_COMBO_ROW (row)), ==, 0);
  test_assert_last_unref (row);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/profile-row/choices", test_choices);
  return g_test_run ();
}
