/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-images.c - images of any generator: how they are read, and that they are judged like cities.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "city-fixture.h"
#include "city/evaluate.h"
#include "city/plan-drawing.h"
#include "dataset/dataset-writer.h"
#include "dataset/png.h"
#include "made-up-tiles.h"

enum { EDGE_PX = 64, N_AREAS = 44, N_HOUSES = 8 };

typedef struct
{
  char *folder, *images, *dataset;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = city_make_folder ();
  self->images = g_build_filename (self->folder, "images", NULL);
  self->dataset = g_build_filename (self->folder, "areas.gpkg", NULL);
  g_assert_cmpint (g_mkdir (self->images, 0700), ==, 0);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  city_remove_folder (g_steal_pointer (&self->images));
  city_remove_folder (self->folder);
  g_free (self->dataset);
}

/* What the three classes look like. */
static const guint32 pure[] = { 0xff0000, 0x00ff00, 0x0000ff }, grey[] = { 0xffffff, 0x000000, 0x808080 },
                     labels[] = { 0x000000, 0x010101, 0x020202 };

static guint32
plan_color (UrbClass class_)
{
  UrbColor color = urb_class_get_color (class_);

  return (guint32) color.r << 16 | (guint32) color.g << 8 | color.b;
}

/* @scale: image pixels per pixel of the map */
static void
write_image (Fixture *self, const char *name, const UrbClassMap *map, const guint32 *colors, int scale)
{
  int edge = map->width_px * scale;
  g_autofree guint32 *pixels = g_new (guint32, (gsize) edge * (gsize) edge);
  g_autofree char *path = g_build_filename (self->images, name, NULL);

  for (int y = 0; y < edge; y++)
    for (int x = 0; x < edge; x++)
      pixels[y * edge + x] = colors[map->classes[y / scale * map->width_px + x / scale]];
  g_autoptr(GByteArray) file = urb_png_encode (pixels, (gsize) edge, edge, edge);

  g_assert_true (g_file_set_contents (path, (char *) file->data, file->len, NULL));
}

static void
get_levels (const UrbClassMap *map, guint8 *levels)
{
  for (int i = 0; i < map->width_px * map->height_px; i++)
    for (int c = 0; c < 3; c++)
      levels[3 * i + c] = map->classes[i] == c ? 255 : 0;
}

/* The class maps of different kinds and sizes are the same levels. */
static void
test_kinds (Fixture *self, gconstpointer data)
{
  const guint32 plan[] = { plan_color (URB_CLASS_BUILDING), plan_color (URB_CLASS_ROAD),
                           plan_color (URB_CLASS_OTHER) };
  const struct { const guint32 *colors; int scale, n_channels; } kinds[]
    = { { plan, 1, 3 }, { plan, 3, 3 }, { pure, 1, 3 }, { pure, 4, 3 }, { grey, 1, 1 }, { grey, 2, 1 } };
  guint8 expected[EDGE_PX * EDGE_PX * 3], levels[2 * EDGE_PX * EDGE_PX * 3];

  for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      g_autoptr(UrbClassMap) first = fixture_town (N_HOUSES, 1), second = fixture_town (N_HOUSES, 2);
      g_autoptr(GError) error = NULL;

      write_image (self, "10.png", second, kinds[k].colors, kinds[k].scale);
      write_image (self, "9.PNG", first, kinds[k].colors, kinds[k].scale);
      g_autoptr(UrbImageSet) set = urb_image_set_open (self->images, EDGE_PX, &error);

      g_assert_no_error (error);
      g_assert_cmpint (urb_image_set_get_info (set)->n, ==, 2);
      g_assert_cmpint (urb_image_set_get_info (set)->size_px, ==, EDGE_PX);
      g_assert_cmpint (urb_image_set_get_info (set)->image_px, ==, EDGE_PX * kinds[k].scale);
      g_assert_cmpint (urb_image_set_get_info (set)->n_channels, ==, kinds[k].n_channels);
      g_assert_true (urb_image_set_read (set, 0, 2, levels, &error));
      get_levels (first, expected);
      for (int i = 0; i < EDGE_PX * EDGE_PX; i++)
        if (kinds[k].n_channels == 1)
          g_assert_cmpint (levels[i], ==, grey[first->classes[i]] & 0xff);
        else
          g_assert_cmpmem (levels + 3 * i, 3, expected + 3 * i, 3);
    }
}

/* Shares between the classes are kept, and averaged: 96 pixels become 128, 200 become 256. */
static void
test_shares (Fixture *self, gconstpointer data)
{
  static const guint32 half[] = { 0x804030, 0x804030, 0x804030 };
  static const int sizes[][2] = { { 96, 128 }, { 200, 256 }, { 90, 64 }, { 600, 256 }, { 9, 8 } };

  for (gsize k = 0; k < G_N_ELEMENTS (sizes); k++)
    {
      g_autoptr(UrbClassMap) map = fixture_blank (sizes[k][0], 1);
      g_autofree guint8 *levels = g_malloc (256 * 256 * 3);
      g_autoptr(GError) error = NULL;
      int size = sizes[k][1];

      write_image (self, "1.png", map, half, 1);
      g_autoptr(UrbImageSet) set = urb_image_set_open (self->images, 256, &error);

      g_assert_no_error (error);
      g_assert_cmpint (urb_image_set_get_info (set)->size_px, ==, size);
      g_assert_true (urb_image_set_read (set, 0, 1, levels, &error));
      for (int i = 0; i < size * size; i++)
        g_assert_cmpmem (levels + 3 * i, 3, ((const guint8[]) { 0x80, 0x40, 0x30 }), 3);
    }
}

static void
assert_refused (Fixture *self, const char *why)
{
  g_autoptr(GError) error = NULL;

  g_assert_null (urb_image_set_open (self->images, EDGE_PX, &error));
  g_assert_error (error, URB_CITY_ERROR, URB_CITY_ERROR_IMAGE);
  g_assert_nonnull (strstr (error->message, why));
}

static void
test_refused (Fixture *self, gconstpointer data)
{
  g_autoptr(UrbClassMap) town = fixture_town (N_HOUSES, 1), small = fixture_blank (7, 1);
  g_autoptr(UrbClassMap) wide = urb_class_map_new (64, 32, 1);
  g_autofree char *broken = g_build_filename (self->images, "3.png", NULL);
  g_autofree char *flat = g_build_filename (self->images, "1.png", NULL);
  const guint32 pixels[EDGE_PX * 32] = { 0 };
  g_autoptr(GByteArray) file = urb_png_encode (pixels, EDGE_PX, EDGE_PX, 32);
  g_autoptr(GError) error = NULL;

  assert_refused (self, "has no files *.png");
  write_image (self, "1.png", small, pure, 1);
  assert_refused (self, "1.png' is smaller than 8 x 8 pixels");
  g_assert_true (g_file_set_contents (flat, (char *) file->data, file->len, NULL));
  assert_refused (self, "1.png' is not square");
  write_image (self, "1.png", town, labels, 1);
  assert_refused (self, "as if their pixels were numbers of classes");
  write_image (self, "1.png", town, pure, 1);
  write_image (self, "2.png", town, pure, 2);
  assert_refused (self, "2.png' has another size");
  write_image (self, "2.png", town, pure, 1);
  g_assert_true (g_file_set_contents (broken, "no image", -1, NULL));
  assert_refused (self, "3.png' is not a PNG image");
  g_assert_null (urb_image_set_open ("/nowhere", EDGE_PX, &error));
  g_assert_nonnull (strstr (error->message, "/nowhere"));
}

/* Half of the towns are held out, in as many places. */
static void
write_dataset (Fixture *self)
{
  const UrbDatasetInfo info = { .encoding = URB_ENCODING_RGB, .resolution_px = EDGE_PX,
                                .area_size_m = 128, .epsg = 2056 };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbDatasetWriter) writer = urb_dataset_writer_new (self->dataset, &info, NULL, &error);
  guint8 levels[EDGE_PX * EDGE_PX * 3];

  g_assert_no_error (error);
  for (guint32 i = 0; i < N_AREAS; i++)
    {
      g_autoptr(UrbClassMap) town = fixture_town (N_HOUSES + (int) (i / 2 % 5), i);
      UrbArea area = { .center_x = 2600000 + 1000.0 * i, .center_y = 1200000, .variance = 0.5,
                       .share = { 0.125, 0.25, 0.625 }, .coverage = 1,
                       .split = i % 2 == 0 ? URB_SPLIT_TRAIN : URB_SPLIT_TEST };

      get_levels (town, levels);
      made_up_tile_add (writer, &info, &area, "test.gpkg", levels, &error);
      g_assert_no_error (error);
    }
  g_assert_true (urb_dataset_writer_finish (writer, &error));
}

static UrbEvaluation *
judge (Fixture *self)
{
  const UrbEvaluateOptions options = { .images = self->images, .dataset = self->dataset, .seed = 1,
                                       .on = { .n_threads = 2 } };
  g_autoptr(GError) error = NULL;
  UrbEvaluation *evaluation = urb_evaluate (&options, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (evaluation->plans->measured[URB_GROUP_GENERATED]->n_tiles, ==, N_AREAS / 2);
  g_assert_cmpint (evaluation->plans->measured[URB_GROUP_UNTRAINED]->n_tiles, ==, 0);
  g_assert_true (isnan (evaluation->plans->score[URB_GROUP_UNTRAINED]));
  return evaluation;
}

/* Other towns of the kind are as good as training areas, noise is not, and training areas are copies. */
static void
test_judged (Fixture *self, gconstpointer data)
{
  g_autofree char *report = g_build_filename (self->folder, "report", NULL);
  g_autoptr(GError) error = NULL;

  write_dataset (self);
  for (int kind = 0; kind < 3; kind++)
    {
      for (guint32 i = 0; i < N_AREAS / 2; i++)
        {
          g_autofree char *name = g_strdup_printf ("%u.png", i);
          g_autoptr(UrbClassMap) map
            = kind == 0   ? fixture_town (N_HOUSES + (int) (i % 5), 1000 + i)
              : kind == 1 ? fixture_noise (EDGE_PX, 3, i)
                          : fixture_town (N_HOUSES + (int) (i % 5), 2 * i);

          write_image (self, name, map, pure, 1);
        }
      g_autoptr(UrbEvaluation) evaluation = judge (self);
      const double *score = evaluation->plans->score;
      g_autofree char *json = urb_evaluation_to_json (evaluation, URB_EVALUATION_SUMMARY);

      g_test_message ("score %.2f, pixels %.2f, of training areas %.2f", score[URB_GROUP_GENERATED],
                      evaluation->pixels->score[URB_GROUP_GENERATED], score[URB_GROUP_TRAIN]);
      g_assert_nonnull (strstr (json, "\"image_px\" : 64"));
      g_assert_null (strstr (json, "checkpoint"));
      g_assert_true (evaluation->copying.copies == (kind == 2));
      if (kind == 1)
        {
          g_assert_cmpint (evaluation->plans->verdict, ==, URB_VERDICT_FAR);
          continue;
        }
      g_assert_cmpfloat (score[URB_GROUP_GENERATED], <, 1.3);
      g_assert_cmpint (evaluation->plans->verdict, <=, URB_VERDICT_CLOSE);
      g_assert_cmpint (evaluation->plans->verdict, !=, URB_VERDICT_NONE);
      if (kind == 0)
        {
          g_assert_true (urb_evaluation_write_report (evaluation, report, &error));
          g_assert_no_error (error);
        }
    }
  city_remove_folder (g_steal_pointer (&report));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/images/kinds", Fixture, NULL, set_up, test_kinds, tear_down);
  g_test_add ("/images/shares", Fixture, NULL, set_up, test_shares, tear_down);
  g_test_add ("/images/refused", Fixture, NULL, set_up, test_refused, tear_down);
  g_test_add ("/images/judged", Fixture, NULL, set_up, test_judged, tear_down);
  return g_test_run ();
}
