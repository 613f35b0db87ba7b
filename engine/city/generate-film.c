/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate-film.c - the way from city to city, image by image.
 */
#include "base/durable.h"

#include <glib/gi18n.h>

#include "base/free-path.h"
#include "city/film.h"
#include "city/generate.h"
#include "city/numbered-images.h"
#include "city/plan-drawing.h"
#include "city/tile-vectors.h"
#include "train/latent.h"

enum { BATCH = 8, FRAME_PX = 768 };

#define IMAGES "frame"

typedef struct
{
  const UrbGenerateOptions *options;
  int             n_steps;
  guint           n_frames;
  UrbSampler     *sampler; /* owned */
  gsize           tile_bytes;
  guint8         *levels;  /* owned; (BATCH) tiles, from frame @first on */
  guint           first, n_drawn;
  UrbProgressFunc progress; /* (nullable) */
  gpointer        user_data;
  GCancellable   *cancellable; /* (nullable) borrowed */
} Film;

static void
film_clear (Film *self)
{
  g_free (self->levels);
  urb_sampler_free (self->sampler);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Film, film_clear)

/* @z: (out): (n_inputs) */
static void
get_input (Film *self, guint frame, float *z)
{
  const UrbSamplerInfo *info = urb_sampler_get_info (self->sampler);
  gint64 city = self->options->first + frame / (guint) self->n_steps;
  double t = (double) (frame % (guint) self->n_steps) / self->n_steps;
  g_autofree float *from = g_new (float, info->n_inputs), *to = g_new (float, info->n_inputs);

  urb_sampler_get_input (self->sampler, self->options->seed, city, from);
  urb_sampler_get_input (self->sampler, self->options->seed, city + 1, to);
  urb_latent_between (from, to, info->n_latent, info->n_inputs, t, z);
}

static gboolean
draw_from (Film *self, guint frame, GError **error)
{
  int n_inputs = urb_sampler_get_info (self->sampler)->n_inputs;
  g_autofree float *z = g_new (float, BATCH * (gsize) n_inputs);

  self->first = frame;
  self->n_drawn = MIN (BATCH, self->n_frames - frame);
  for (guint i = 0; i < self->n_drawn; i++)
    get_input (self, frame + i, z + i * (gsize) n_inputs);
  return urb_sampler_generate_from (self->sampler, z, self->n_drawn, self->levels, error);
}

/* UrbFrameFunc: frames come one after the other */
static gboolean
write_frame (guint frame, const char *path, gpointer data, GError **error)
{
  Film *self = data;
  const UrbSamplerInfo *info = urb_sampler_get_info (self->sampler);
  g_autoptr(UrbCityVectors) vectors = NULL;

  if (g_cancellable_set_error_if_cancelled (self->cancellable, error))
    return FALSE;
  if (frame >= self->first + self->n_drawn && !draw_from (self, frame, error))
    return FALSE;
  vectors = urb_city_vectors_from_wide_levels (self->levels + (frame - self->first) * self->tile_bytes, 1, 1, info->size_px,
                                               info->base_px, info->n_channels, info->area_size_m,
                                               self->options->keep_specks);
  if (!urb_city_write_png (path, vectors, FRAME_PX, error))
    return FALSE;
  if (self->progress != NULL)
    self->progress ((double) (frame + 1) / self->n_frames, "Drawing the film", self->user_data);
  return TRUE;
}

/* -------- Where it is written -------- */

/* Each image replaces that of an earlier film, whose others go last: they would be mistaken for its end. */
static gboolean
write_folder (Film *self, UrbGenerateSummary *summary, GError **error)
{
  const char *out = self->options->out;

  if (!urb_durable_make_folders (out, 0777, error))
    return FALSE;
  for (guint i = 0; i < self->n_frames; i++)
    {
      g_autofree char *name = urb_numbered_image_dup_name (IMAGES, i + 1), *path = g_build_filename (out, name, NULL);

      if (!write_frame (i, path, self, error))
        return FALSE;
    }
  return urb_numbered_images_remove_others (out, IMAGES, 1, self->n_frames, &summary->n_removed, error);
}

static gboolean
check_folder (const char *out, GError **error)
{
  g_autoptr(GDir) folder = g_dir_open (out, 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *path = g_build_filename (out, name, NULL);

      if (urb_numbered_image_parse (IMAGES, name) > 0
          && !urb_free_path_check (path, "; choose another folder, or replace its film with --force", error))
        return FALSE;
    }
  return TRUE;
}

/* Drawing takes long: what would prevent the film afterwards is found before. */
static gboolean
check_out (const UrbGenerateOptions *options, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (options->out);

  if (!urb_generate_out_is_film (options->out))
    return options->replace || check_folder (options->out, error);
  if (!urb_film_can_write ())
    g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_UNAVAILABLE,
                 N_ ("'%s' needs GStreamer's program gst-launch-1.0: install gstreamer1.0-tools and gstreamer1.0-plugins-good, "
                     "or choose a folder for the images."), options->out);
  else if (!g_file_test (parent, G_FILE_TEST_IS_DIR))
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT, N_ ("There is no folder '%s' for '%s'."), parent, options->out);
  else
    return options->replace
           || urb_free_path_check (options->out, "; choose another name, or replace it with --force", error);
  return FALSE;
}

/* -------- */

gboolean
urb_generate_film (const UrbGenerateOptions *options, int n_steps, UrbGenerateSummary *summary, UrbProgressFunc progress,
                   gpointer user_data, GCancellable *cancellable, GError **error)
{
  g_auto(Film) film = { .options = options, .n_steps = n_steps, .n_frames = (guint) (options->count - 1) * (guint) n_steps + 1,
                        .progress = progress, .user_data = user_data, .cancellable = cancellable };
  const UrbSamplerInfo *info;

  g_return_val_if_fail (options->count >= 2 && options->count <= URB_FILM_MAX_CITIES && n_steps >= 1
                          && n_steps <= URB_FILM_MAX_STEPS, FALSE);
  *summary = (UrbGenerateSummary) { 0 };
  if (!check_out (options, error))
    return FALSE;
  film.sampler = urb_sampler_open (options->checkpoint, &options->on, error);
  if (film.sampler == NULL
      || (options->shares != NULL && !urb_sampler_ask (film.sampler, options->shares, &summary->warning, error)))
    return FALSE;
  info = urb_sampler_get_info (film.sampler);
  film.tile_bytes = (gsize) info->size_px * (gsize) info->size_px * (gsize) info->n_channels;
  film.levels = g_malloc (BATCH * film.tile_bytes);
  summary->n_cities = options->count;
  summary->n_frames = film.n_frames;
  summary->area_size_m = summary->width_m = summary->height_m = info->area_size_m;
  summary->size_px = info->size_px;
  return urb_generate_out_is_film (options->out)
           ? urb_film_write (options->out, film.n_frames, write_frame, &film, cancellable, error)
           : write_folder (&film, summary, error);
}
