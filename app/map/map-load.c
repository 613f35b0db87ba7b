/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/map-load.h"

#include <errno.h>
#include <glib/gi18n.h>

#include "map/sample-town.h"

/* Change the name with the town: an existing file is not drawn again. */
#define SAMPLE_FILE   "sample-town-7.gpkg"
#define SAMPLE_SEED   7
#define SAMPLE_SIZE_M 2000.0

/* Share of the progress bar for drawing the town; the rest is for reading it. */
#define DRAWING_SHARE 0.9

UrbariumMapLoad *
urbarium_map_load_new (const char *const *paths, const char *address, const UrbariumMapChoices *choices, char **path_crs)
{
  UrbariumMapLoad *self = g_new (UrbariumMapLoad, 1);
  self->paths = g_strdupv ((char **) paths);
  self->address = g_strdup (address);
  self->choices = urbarium_map_choices_copy (choices);
  self->path_crs = path_crs;
  return self;
}

void
urbarium_map_load_free (UrbariumMapLoad *self)
{
  g_strfreev (self->paths);
  g_free (self->address);
  urbarium_map_choices_free (self->choices);
  g_strfreev (self->path_crs);
  g_free (self);
}

char *
urbarium_map_load_get_sample_path (void)
{
  return g_build_filename (g_get_user_cache_dir (), "urbarium", SAMPLE_FILE, NULL);
}

static void
drawing_cb (double fraction, const char *what, gpointer job)
{
  urbarium_job_progress (DRAWING_SHARE * fraction, _ ("Drawing the sample town"), job);
}

static void
reading_cb (double fraction, const char *what, gpointer job)
{
  urbarium_job_progress (DRAWING_SHARE + (1 - DRAWING_SHARE) * MAX (fraction, 0),
                         _ ("Reading the sample town"), job);
}

static gboolean
draw_sample (const char *path, UrbariumJob *job, GCancellable *cancellable, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr(UrbSampleTown) town = NULL;
  if (g_mkdir_with_parents (folder, 0700) != 0)
    {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
                   _ ("The sample town cannot be saved in “%s”: %s. Check that your home folder is "
                      "writable and the disk is not full."),
                   folder, g_strerror (errno));
      return FALSE;
    }
  town = urb_sample_town_new (SAMPLE_SEED, SAMPLE_SIZE_M, drawing_cb, job, cancellable, error);
  return town != NULL && urb_sample_town_write (town, path, error);
}

gpointer
urbarium_map_load_func (gpointer load, UrbariumJob *job, GCancellable *cancellable,
                        GError **error)
{
  const UrbariumMapLoad *self = load;
  g_autofree char *sample = urbarium_map_load_get_sample_path ();
  UrbProgressFunc progress = urbarium_job_progress;
  const UrbariumMapChoices *choices = self->choices;
  UrbMapOptions options = {
    .address = self->address,
    .profile = *choices->profile != '\0' ? choices->profile : NULL,
    .road_width_m = choices->road_width_m,
    .crs = *choices->crs != '\0' ? choices->crs : NULL,
    .path_crs = *choices->crs == '\0' ? (const char *const *) self->path_crs : NULL,
    .clip = *choices->part != '\0' ? choices->part : NULL,
    .overrides = (const UrbMapOverride *) (gconstpointer) choices->classes->data,
    .n_overrides = choices->classes->len,
    .layers = (const UrbMapLayerOptions *) (gconstpointer) choices->layers->data,
    .n_layers = choices->layers->len,
  };
  if (g_strv_contains ((const char *const *) self->paths, sample)
      && !g_file_test (sample, G_FILE_TEST_EXISTS))
    {
      if (!draw_sample (sample, job, cancellable, error))
        return NULL;
      progress = reading_cb;
    }
  return urb_map_open ((const char *const *) self->paths, &options, progress, job, cancellable,
                       error);
}
