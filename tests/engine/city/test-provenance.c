/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-provenance.c - what is told of a checkpoint and its dataset, and what is not: files that are gone, changed, or
 * say something else than they should.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "city-fixture.h"
#include "city/provenance.h"
#include "dataset/dataset-writer.h"
#include "train/safetensors.h"

/* "name=text name=text …" of all facts but the program. */
static char *
tell (const UrbProvenance *provenance)
{
  GString *told = g_string_new (NULL);

  g_assert_cmpstr (g_array_index (provenance->facts, UrbFact, 0).name, ==, "program");
  for (guint i = 1; i < provenance->facts->len; i++)
    {
      const UrbFact *fact = &g_array_index (provenance->facts, UrbFact, i);

      if (strcmp (fact->name, "checkpoint_checksum") == 0)
        g_assert_true (g_str_has_prefix (fact->text, "xxh3-128:"));
      else
        g_string_append_printf (told, "%s%s=%s", told->len > 0 ? " " : "", fact->name, fact->text);
    }
  return g_string_free (told, FALSE);
}

/* Returns: (transfer full): its id */
static char *
write_dataset (const char *path, const char *recipe)
{
  const UrbDatasetInfo info = { .resolution_px = 8, .area_size_m = 100, .recipe_json = (char *) recipe };
  const guint8 blob[1 + 16] = { 0 };
  UrbArea area = { .share = { 1 }, .coverage = 1 };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbDatasetWriter) writer = urb_dataset_writer_new (path, &info, NULL, &error);
  g_autoptr(UrbDataset) dataset = NULL;

  g_assert_no_error (error);
  for (int i = 0; i < 4; i++)
    {
      area.center_x = 200 * i;
      area.split = i == 0 ? URB_SPLIT_TEST : URB_SPLIT_TRAIN;
      g_assert_true (urb_dataset_writer_add (writer, &area, "town", blob, sizeof blob, &error));
    }
  g_assert_true (urb_dataset_writer_finish (writer, &error));
  dataset = urb_dataset_open (path, &error);
  g_assert_no_error (error);
  return g_strdup (urb_dataset_get_info (dataset)->id);
}

static void
write_checkpoint (const char *path, const char *dataset, const char *id)
{
  g_autoptr(GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree char *options = g_strdup_printf ("[train]\nrecipe=r3\ndataset=%s\n", dataset);
  const float value = 1;
  const UrbTensor tensor = { .name = "a", .type = URB_TENSOR_F32, .n_dims = 1, .shape = { 1 }, .data = &value };
  g_autoptr(GError) error = NULL;

  g_hash_table_insert (metadata, "step", "40");
  g_hash_table_insert (metadata, "preset_name", "tiny");
  g_hash_table_insert (metadata, "options", options);
  g_hash_table_insert (metadata, "dataset_id", (char *) id);
  urb_safetensors_write (path, &tensor, 1, metadata, &error);
  g_assert_no_error (error);
}

/* @id: of the dataset; @map: what follows it */
static void
assert_told (const char *checkpoint, const char *id, const char *map)
{
  g_autoptr(UrbProvenance) provenance = urb_provenance_new (checkpoint);
  g_autofree char *told = tell (provenance);
  g_autofree char *expected
    = g_strconcat ("run=My run checkpoint=step-40.safetensors step=40 preset=tiny recipe=r3 dataset=areas.gpkg "
                   "dataset_id=", id, map, NULL);

  g_assert_cmpstr (told, ==, expected);
}

static void
test_facts (void)
{
  static const struct { const char *recipe, *map; } cases[] = {
    { "{\"sources\":[\"a.gpkg\",\"b.gpkg\"],\"licence\":\"CC BY 4.0\\nTown\"}",
      " map=a.gpkg, b.gpkg map_licence=CC BY 4.0 Town" },
    { "{\"sources\":[\"a.gpkg\"]}", " map=a.gpkg" },
    { "{}", "" },
    { "{\"sources\":[1,null,{},\"a.gpkg\"],\"licence\":[]}", " map=a.gpkg" },
    { "{\"sources\":\"a.gpkg\",\"licence\":null}", "" },
    { "[]", "" },
    { "not JSON", "" },
  };
  g_autofree char *folder = city_make_folder ();
  g_autofree char *run = g_build_filename (folder, "My run", "checkpoints", NULL);
  g_autofree char *path = g_build_filename (run, "step-40.safetensors", NULL);
  g_autofree char *dataset = g_build_filename (folder, "areas.gpkg", NULL);
  g_autofree char *told = NULL;
  g_autoptr(UrbProvenance) gone = NULL;

  g_assert_cmpint (g_mkdir_with_parents (run, 0700), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *id = write_dataset (dataset, cases[i].recipe);

      write_checkpoint (path, dataset, id);
      assert_told (path, id, cases[i].map);
    }
  /* Another dataset by now: nothing of its map. */
  write_checkpoint (path, dataset, "0000");
  assert_told (path, "0000", "");
  g_assert_cmpint (g_remove (dataset), ==, 0);
  assert_told (path, "0000", "");
  /* A checkpoint that was deleted since; its name is known. */
  g_assert_cmpint (g_remove (path), ==, 0);
  gone = urb_provenance_new (path);
  told = tell (gone);
  g_assert_cmpstr (told, ==, "run=My run checkpoint=step-40.safetensors");
  city_remove_folder (g_steal_pointer (&folder));
}

/* Of a file in no run, no run is made up; each seed is told once, and what was asked for. */
static void
test_alone (void)
{
  g_autoptr(UrbProvenance) file = urb_provenance_new ("/nowhere/model.safetensors"), none = urb_provenance_new (NULL);
  g_autofree char *told = tell (file), *line = NULL, *run = urb_provenance_dup_run ("/a/Town/checkpoints/b.safetensors");

  g_assert_cmpstr (told, ==, "checkpoint=model.safetensors");
  g_assert_cmpstr (run, ==, "Town");
  for (guint i = 0; i < 6; i++)
    urb_provenance_add_seed (none, i % 3 == 2 ? G_MAXUINT64 : i % 3);
  for (int i = 0; i < 3; i++)
    urb_provenance_add_truncation (none, i == 0 ? 1 : 0.7);
  for (int i = 0; i < 3; i++)
    urb_provenance_add_shares (none, (const double[]){ i == 1 ? 0.25 : 0.3, -1, i == 2 ? 0 : -1 });
  for (int i = 0; i < 3; i++)
    urb_provenance_add_turn (none, &(UrbTurn) { i == 1 ? 0.25 : 0.1, -0.5, 2 });
  urb_provenance_add_seed (none, 1);
  line = urb_provenance_dup_line (none);
  g_assert_cmpstr (line, ==, "program: Urbarium " URBARIUM_VERSION "; seeds: 0, 1, 18446744073709551615; "
                   "truncation: 0.7; share_built: 0.3, 0.25; share_halls: 0; turns: 0.1/-0.5/2, 0.25/-0.5/2");
}

/* Files and recipes of 200,000 brackets are no facts, and fell nobody. */
static void
test_deep (void)
{
  static const struct { const char *name, *before, *after; } files[] = {
    { "deep.geojson", "{\n\"provenance\":", ",\n\"features\":[]}\n" },
    { "deep.city.json", "{\"type\":\"CityJSON\",\"metadata\":{\"a\":1,\"title\":", "},\n\"CityObjects\":{}}\n" },
    { "number.city.json", "{\"type\":\"CityJSON\",\"metadata\":{\"a\":1,\"title\":7", "},\n\"CityObjects\":{}}\n" },
  };
  g_autofree char *folder = g_dir_make_tmp ("urbarium-deep-XXXXXX", NULL);
  g_autofree char *brackets = g_strnfill (200000, '[');

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (folder, files[i].name, NULL);
      g_autofree char *text = g_strconcat (files[i].before, i < 2 ? brackets : "", files[i].after, NULL);
      g_autoptr(GError) error = NULL;
      g_autoptr(UrbProvenance) provenance = NULL;

      g_assert_true (g_file_set_contents (path, text, -1, NULL));
      provenance = urb_provenance_read (path, &error);
      g_assert_true (provenance == NULL || provenance->facts->len == 0);
      g_unlink (path);
    }
  {
    g_autofree char *dataset = g_build_filename (folder, "deep.gpkg", NULL), *checkpoint = g_build_filename (folder, "c", NULL);
    g_autofree char *id = write_dataset (dataset, brackets);
    g_autoptr(UrbProvenance) provenance = NULL;

    write_checkpoint (checkpoint, dataset, id);
    provenance = urb_provenance_new (checkpoint);
    g_assert_cmpuint (provenance->facts->len, >, 1);
    g_unlink (dataset);
    g_unlink (checkpoint);
  }
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/provenance/facts", test_facts);
  g_test_add_func ("/provenance/alone", test_alone);
  g_test_add_func ("/provenance/deep", test_deep);
  return g_test_run ();
}
