/* SPDX-License-Identifier: Apache-2.0 */
#include "curation-fixture.h"

enum { N_BLOCKS = 12, BLOCK_M = 80, LEFT = 2600000, BOTTOM = 1200000 };

void
curation_fixture_init (CurationFixture *self)
{
  self->undo = urbarium_undo_new ();
  self->document = urbarium_map_document_new (self->undo);
  self->curation = urbarium_curation_new (self->document, self->undo);
}

void
curation_fixture_clear (CurationFixture *self)
{
  test_assert_last_unref (self->curation);
  test_assert_last_unref (self->document);
  test_assert_last_unref (self->undo);
}

static void
append_square (GString *json, const char *class, int x, int y, int size)
{
  g_string_append_printf (
    json,
    "%s{ \"type\": \"Feature\", \"properties\": { \"class\": \"%s\" }, \"geometry\": {"
    " \"type\": \"Polygon\", \"coordinates\": [[[%d,%d],[%d,%d],[%d,%d],[%d,%d],[%d,%d]]] } }",
    g_str_has_suffix (json->str, "[") ? "" : ",", class, x, y, x + size, y, x + size, y + size, x,
    y + size, x, y);
}

/* Blocks with a garden and a house on one large road; adjacent houses differ in size. */
static char *
write_town (void)
{
  g_autoptr(GString) json = g_string_new (
    "{ \"type\": \"FeatureCollection\", \"name\": \"town\", \"crs\": { \"type\": \"name\","
    " \"properties\": { \"name\": \"urn:ogc:def:crs:EPSG::2056\" } }, \"features\": [");
  char *path = g_build_filename (g_get_user_cache_dir (), "town.geojson", NULL);
  append_square (json, "road", LEFT, BOTTOM, N_BLOCKS * BLOCK_M);
  for (int row = 0; row < N_BLOCKS; row++)
    for (int col = 0; col < N_BLOCKS; col++)
      {
        int x = LEFT + col * BLOCK_M, y = BOTTOM + row * BLOCK_M;
        append_square (json, "garden", x + 5, y + 5, BLOCK_M - 10);
        append_square (json, "building", x + 10, y + 10, 10 + (col * 7 + row * 5) % 11 * 5);
      }
  g_string_append (json, "] }");
  g_mkdir_with_parents (g_get_user_cache_dir (), 0700);
  g_assert_true (g_file_set_contents (path, json->str, -1, NULL));
  return path;
}

static gboolean
is_settled (gpointer curation)
{
  gboolean busy;
  g_object_get (curation, "busy", &busy, NULL);
  return !busy;
}

static gboolean
has_map (gpointer document)
{
  return urbarium_map_document_get_map (document) != NULL;
}

void
curation_fixture_settle (CurationFixture *self)
{
  test_until (is_settled, self->curation);
}

void
curation_fixture_open (CurationFixture *self)
{
  g_autofree char *path = write_town ();
  UrbCurateOptions options = curation_fixture_options (self);
  options.area_size_m = 100;
  options.stride_m = 50;
  options.resolution_px = 32;
  urbarium_curation_set_options (self->curation, &options, "Small");
  urbarium_map_document_open (self->document, (const char *const[]) { path, NULL });
  test_until (has_map, self->document);
  g_object_set (self->curation, "active", TRUE, NULL);
  curation_fixture_settle (self);
  g_assert_no_error (urbarium_curation_get_error (self->curation));
  urbarium_undo_clear (self->undo);
}

UrbCurateOptions
curation_fixture_options (CurationFixture *self)
{
  return urbarium_curation_get_decisions (self->curation)->options;
}

gsize
curation_fixture_n_chosen (CurationFixture *self)
{
  return urbarium_curation_get_choice (self->curation).n;
}

void
curation_fixture_choose_by_hand (CurationFixture *self)
{
  UrbBox box = urb_map_get_extent (urbarium_curation_get_map (self->curation));
  const double all[] = { box.min_x, box.min_y, box.max_x, box.min_y,
                         box.max_x, box.max_y, box.min_x, box.max_y };
  urbarium_curation_remove_within (self->curation, all, 4);
  curation_fixture_settle (self);
  urbarium_curation_add_within (self->curation, all, 4);
  curation_fixture_settle (self);
}

void
curation_fixture_assert_undo (CurationFixture *self, const char *label)
{
  g_autofree char *found = NULL;
  g_object_get (self->undo, "undo-label", &found, NULL);
  g_assert_cmpstr (found, ==, label);
}
