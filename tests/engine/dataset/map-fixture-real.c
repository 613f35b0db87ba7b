/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-fixture-real.c - real maps, for tests that are skipped without them.
 */
#include "map-fixture.h"

UrbMap *
map_fixture_open_real (const char *path)
{
  const char *folder = g_getenv ("URBARIUM_TEST_DATA");
  g_autofree char *full = folder != NULL ? g_build_filename (folder, path, NULL) : NULL;
  const char *paths[] = { full, NULL };
  g_autoptr(GError) error = NULL;
  UrbMap *map;

  if (full == NULL || !g_file_test (full, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("the real maps are not here");
      return NULL;
    }
  map = urb_map_open (paths, NULL, NULL, NULL, NULL, &error);
  if (g_error_matches (error, URB_MAP_ERROR, URB_MAP_ERROR_UNAVAILABLE))
    {
      g_test_skip ("built without GDAL");
      return NULL;
    }
  g_assert_no_error (error);
  return map;
}
