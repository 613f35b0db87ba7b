/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate-blind.c - see evaluate-blind.h.
 */
#include "city/evaluate-blind.h"

#include <string.h>

#include "base/atomic-file.h"
#include "base/durable.h"
#include "city/distance.h"
#include "city/evaluate-private.h"
#include "city/plan-drawing.h"
#include "city/tile-vectors.h"

enum
{
  PICTURE_PX = 480,
  SHEET_PX = 224, /* a plan on the sheet */
  GAP = 12,       /* between the plans of a pair */
  MARGIN = 28,
  TITLE = 26,     /* the number above a pair */
  SHEET_COLUMNS = 3,
  MAX_TILE_PX = 256
};

typedef struct
{
  const UrbBlindOptions *options; /* borrowed */
  UrbSampler   *sampler; /* owned */
  UrbDataset   *dataset; /* owned */
  char         *dataset_path; /* owned */
  guint         n_pairs;
  guint        *order;   /* owned: of the test areas */
  GRand        *sides;   /* owned */
  UrbCairoSurface *sheet; /* owned */
  UrbCairo     *cairo;   /* owned: draws on the sheet */
  GString      *key;     /* owned */
} Test;

static void
test_clear (Test *self)
{
  g_clear_pointer (&self->sampler, urb_sampler_free);
  g_clear_pointer (&self->dataset, urb_dataset_free);
  g_free (self->dataset_path);
  g_free (self->order);
  g_clear_pointer (&self->sides, g_rand_free);
  g_clear_pointer (&self->cairo, cairo_destroy);
  g_clear_pointer (&self->sheet, cairo_surface_destroy);
  if (self->key != NULL)
    g_string_free (self->key, TRUE);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Test, test_clear)

static void
start_sheet (Test *self)
{
  int n_rows = ((int) self->n_pairs + SHEET_COLUMNS - 1) / SHEET_COLUMNS;
  int n_columns = MIN ((int) self->n_pairs, SHEET_COLUMNS);

  self->sheet = cairo_image_surface_create (
    CAIRO_FORMAT_RGB24, MARGIN + n_columns * (2 * SHEET_PX + GAP + MARGIN),
    MARGIN + n_rows * (TITLE + SHEET_PX + MARGIN));
  self->cairo = cairo_create (self->sheet);
  cairo_set_source_rgb (self->cairo, 1, 1, 1);
  cairo_paint (self->cairo);
  cairo_select_font_face (self->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                          CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size (self->cairo, 18);
}

static void
draw_on_sheet (Test *self, guint pair, guint plan, const UrbCityVectors *vectors)
{
  double scale = SHEET_PX / vectors->height_m;
  g_autofree char *title = plan == 0 ? g_strdup_printf ("%u   A", pair + 1) : g_strdup ("B");

  cairo_save (self->cairo);
  cairo_translate (self->cairo,
                   MARGIN + (pair % SHEET_COLUMNS) * (2 * SHEET_PX + GAP + MARGIN)
                     + plan * (SHEET_PX + GAP),
                   MARGIN + (double) (pair / SHEET_COLUMNS) * (TITLE + SHEET_PX + MARGIN));
  cairo_set_source_rgb (self->cairo, 0.1, 0.1, 0.1);
  cairo_move_to (self->cairo, 0, TITLE - 8);
  cairo_show_text (self->cairo, title);
  cairo_translate (self->cairo, 0, TITLE + SHEET_PX);
  cairo_scale (self->cairo, scale, -scale);
  urb_city_draw (self->cairo, vectors);
  cairo_restore (self->cairo);
}

static gboolean
add_plan (Test *self, guint pair, guint plan, const guint8 *levels, int size_px, int base_px,
          int n_channels, GError **error)
{
  double size_m = urb_dataset_get_info (self->dataset)->area_size_m;
  g_autoptr(UrbCityVectors) vectors
    = urb_city_vectors_from_levels (levels, size_px, base_px, n_channels, size_m, FALSE);
  g_autofree char *name = urb_blind_dup_picture_name (pair, plan);
  g_autofree char *path = g_build_filename (self->options->folder, name, NULL);

  draw_on_sheet (self, pair, plan, vectors);
  return urb_city_write_png (path, vectors, PICTURE_PX, error);
}

static gboolean
add_pair (Test *self, guint pair, GError **error)
{
  const UrbSamplerInfo *generator = urb_sampler_get_info (self->sampler);
  const UrbDatasetInfo *info = urb_dataset_get_info (self->dataset);
  int real_px = MIN (MAX (generator->size_px, MAX_TILE_PX), info->resolution_px);
  int n_real_channels = urb_encoding_get_n_channels (info->encoding);
  gint64 n, area = urb_dataset_get_split (self->dataset, URB_SPLIT_TEST, &n)[self->order[pair]];
  guint real_plan = (guint) g_rand_boolean (self->sides);
  g_autofree guint8 *real = g_malloc ((gsize) real_px * (gsize) real_px * (gsize) n_real_channels);
  g_autofree guint8 *city = g_malloc ((gsize) generator->size_px * (gsize) generator->size_px
                                      * (gsize) generator->n_channels);

  g_string_append_printf (self->key, "%u %c # the other is city %u; this is area %" G_GINT64_FORMAT "\n",
                          pair + 1, real_plan == 0 ? 'A' : 'B', pair + 1, area + 1);
  return urb_dataset_read_tile (self->dataset, area, real_px, real, error)
         && urb_sampler_generate (self->sampler, self->options->seed, pair, 1, city, error)
         && add_plan (self, pair, real_plan, real, real_px, real_px, n_real_channels, error)
         && add_plan (self, pair, 1 - real_plan, city, generator->size_px, generator->base_px,
                      generator->n_channels, error);
}

static gboolean
write_text (const Test *self, const char *name, const char *text, GError **error)
{
  g_autofree char *path = g_build_filename (self->options->folder, name, NULL);

  return urb_atomic_file_set_contents (path, text, strlen (text), error);
}

static gboolean
write_sheet_and_key (Test *self, GError **error)
{
  g_autofree char *sheet = g_build_filename (self->options->folder, URB_BLIND_SHEET, NULL);
  g_autoptr(GString) answers
    = g_string_new ("# One plan of each pair of sheet.png is real. Write A or B behind each number.\n");

  for (guint i = 0; i < self->n_pairs; i++)
    g_string_append_printf (answers, "%u \n", i + 1);
  return urb_plan_write_png (self->sheet, sheet, error)
         && write_text (self, URB_BLIND_ANSWERS, answers->str, error)
         && write_text (self, URB_BLIND_KEY, self->key->str, error);
}

static gboolean
open_test (Test *self, GError **error)
{
  const UrbBlindOptions *options = self->options;
  g_autofree char *key = g_build_filename (options->folder, URB_BLIND_KEY, NULL);
  guint64 seed = options->seed;
  gint64 n_test;

  if (g_file_test (key, G_FILE_TEST_EXISTS))
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_EXIST,
                   "'%s' has a blind test already. Choose another folder, or delete it.",
                   options->folder);
      return FALSE;
    }
  self->sampler = urb_sampler_open (options->checkpoint, &options->on, error);
  if (self->sampler == NULL)
    return FALSE;
  self->dataset = urb_evaluate_open_dataset (urb_sampler_get_info (self->sampler), options->dataset, &self->dataset_path,
                                             MAX (options->n_pairs, URB_BLIND_MIN_PAIRS), error);
  if (self->dataset == NULL || !urb_durable_make_folders (options->folder, 0777, error))
    return FALSE;
  n_test = urb_dataset_get_info (self->dataset)->n_split[URB_SPLIT_TEST];
  self->n_pairs = options->n_pairs > 0 ? options->n_pairs : (guint) MIN (n_test, URB_BLIND_PAIRS);
  self->order = urb_shuffle ((guint) MIN (n_test, G_MAXUINT32), seed, 3000);
  self->sides = g_rand_new_with_seed_array (
    (const guint32[]) { (guint32) seed, (guint32) (seed >> 32), 3000 }, 3);
  self->key = g_string_new (NULL);
  g_string_append_printf (self->key, "# The real plans of sheet.png: seed %" G_GUINT64_FORMAT
                                     ", test areas of %s\n", seed, self->dataset_path);
  start_sheet (self);
  return TRUE;
}

gboolean
urb_blind_write (const UrbBlindOptions *options, guint *n_pairs, UrbProgressFunc progress,
                 gpointer user_data, GCancellable *cancellable, GError **error)
{
  g_auto(Test) self = { .options = options };

  if (!open_test (&self, error))
    return FALSE;
  for (guint i = 0; i < self.n_pairs; i++)
    {
      if (progress != NULL)
        progress ((double) i / self.n_pairs, "Drawing plans", user_data);
      if (g_cancellable_set_error_if_cancelled (cancellable, error) || !add_pair (&self, i, error))
        return FALSE;
    }
  *n_pairs = self.n_pairs;
  return write_sheet_and_key (&self, error);
}
