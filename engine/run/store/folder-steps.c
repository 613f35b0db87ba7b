/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder-steps.c - the checkpoints and samples of a run folder, by step.
 */
#include "run/store/folder-private.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "base/atomic-file.h"
#include "base/compare.h"
#include "base/durable.h"
#include "settings/preset.h"
#include "train/safetensors.h"

/* Of the rule by which sample grids are thinned. */
enum { N_NEW_SAMPLES = 60, AGE_OF_GAP = 16 };

char *
urb_run_checkpoint_name (gint64 step)
{
  return g_strdup_printf (URB_CHECKPOINT_FOLDER "/step-%09" G_GINT64_FORMAT ".safetensors", step);
}

char *
urb_run_sample_name (gint64 step)
{
  return g_strdup_printf (URB_SAMPLE_FOLDER "/step-%09" G_GINT64_FORMAT ".png", step);
}

char *
urb_run_trace_part_name (int rank)
{
  return g_strdup_printf (".trace-%d.json.tmp", rank);
}

/* The step in "step-000000123<suffix>"; -1 for any other name. */
static gint64
parse_step (const char *name, const char *suffix)
{
  enum { MIN_DIGITS = 9, MAX_DIGITS = 18 };
  const char *digits = name + strlen ("step-");
  gsize n;
  if (!g_str_has_prefix (name, "step-"))
    return -1;
  n = strspn (digits, "0123456789");
  if (n < MIN_DIGITS || n > MAX_DIGITS || strcmp (digits + n, suffix) != 0)
    return -1;
  return g_ascii_strtoll (digits, NULL, 10);
}

/* Returns: (transfer full): empty, with an error, if the folder cannot be read */
static GArray *
list_steps (const char *path, const char *folder, const char *suffix, GError **error)
{
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autofree char *full = g_build_filename (path, folder, NULL);
  g_autoptr(GError) cause = NULL;
  g_autoptr(GDir) dir = g_dir_open (full, 0, &cause);
  const char *name;
  if (dir == NULL && !g_error_matches (cause, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER, "Cannot read the folder '%s': %s", full,
                 cause->message);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      gint64 step = parse_step (name, suffix);
      if (step >= 0)
        g_array_append_val (steps, step);
    }
  g_array_sort (steps, urb_compare_int64s);
  return steps;
}

GArray *
urb_run_folder_look_for_checkpoints (const char *path, GError **error)
{
  return list_steps (path, URB_CHECKPOINT_FOLDER, ".safetensors", error);
}

GArray *
urb_run_folder_list_checkpoints (const char *path)
{
  return urb_run_folder_look_for_checkpoints (path, NULL);
}

GArray *
urb_run_folder_list_samples (const char *path)
{
  return list_steps (path, URB_SAMPLE_FOLDER, ".png", NULL);
}

gint64
urb_run_folder_get_newest_checkpoint (const char *path)
{
  g_autoptr(GArray) steps = urb_run_folder_list_checkpoints (path);
  return steps->len > 0 ? g_array_index (steps, gint64, steps->len - 1) : -1;
}

static void
set_aside (UrbRunFolder *self, const char *path, const GError *why, char **damaged)
{
  g_autofree char *aside = g_strconcat (path, ".damaged", NULL);
  char *report = g_strdup_printf ("%s%s%s; it was set aside and an older checkpoint is used",
                                  *damaged != NULL ? *damaged : "", *damaged != NULL ? ". " : "",
                                  why->message);
  g_rename (path, aside);
  g_free (*damaged);
  *damaged = report;
}

/* Whole, and of the step that its name says: a copy under another name would continue another step than
 * the history does. */
static UrbSafetensors *
open_checkpoint (const char *path, gint64 step, GError **error)
{
  g_autoptr(UrbSafetensors) file = urb_safetensors_open (path, error);
  const char *text = file != NULL ? urb_safetensors_get_metadata (file, "step") : NULL;
  gint64 own;
  if (file == NULL || (text != NULL && g_ascii_string_to_signed (text, 10, step, step, &own, NULL)))
    return g_steal_pointer (&file);
  g_set_error (error, URB_SAFETENSORS_ERROR, URB_SAFETENSORS_ERROR_DAMAGED,
               "The checkpoint '%s' is of another step than its name: %s", path, text != NULL ? text : "unknown");
  return NULL;
}

gboolean
urb_run_folder_find_checkpoint (UrbRunFolder *self, gint64 *step, char **damaged, GError **error)
{
  g_autoptr(GError) cause = NULL;
  g_autoptr(GArray) steps = urb_run_folder_look_for_checkpoints (self->path, &cause);
  *damaged = NULL;
  *step = -1;
  for (guint i = steps->len; i-- > 0 && *step < 0 && cause == NULL;)
    {
      g_autofree char *name = urb_run_checkpoint_name (g_array_index (steps, gint64, i));
      g_autofree char *path = urb_run_folder_dup_file (self, name);
      g_autoptr(GError) why = NULL;
      g_autoptr(UrbSafetensors) file = open_checkpoint (path, g_array_index (steps, gint64, i), &why);
      if (file != NULL)
        *step = g_array_index (steps, gint64, i);
      /* A lack of descriptors, memory or permission says nothing about the file. */
      else if (g_error_matches (why, URB_SAFETENSORS_ERROR, URB_SAFETENSORS_ERROR_OPEN)
               && g_file_test (path, G_FILE_TEST_IS_REGULAR))
        cause = g_error_new_literal (URB_RUN_ERROR, URB_RUN_ERROR_FOLDER, why->message);
      else
        set_aside (self, path, why, damaged);
    }
  if (cause == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

/* (transfer full) (nullable): of the newest checkpoint that can be read */
static char *
dup_preset_text (const char *path)
{
  g_autoptr(GArray) steps = urb_run_folder_list_checkpoints (path);
  for (guint i = steps->len; i-- > 0;)
    {
      g_autofree char *name = urb_run_checkpoint_name (g_array_index (steps, gint64, i));
      g_autofree char *file_path = g_build_filename (path, name, NULL);
      g_autoptr(UrbSafetensors) file = urb_safetensors_open (file_path, NULL);
      if (file != NULL && urb_safetensors_get_metadata (file, "preset") != NULL)
        return g_strdup (urb_safetensors_get_metadata (file, "preset"));
    }
  return NULL;
}

gboolean
urb_run_folder_restore_preset (const char *path, const char *preset, GError **error)
{
  g_autofree char *folder = g_canonicalize_filename (path, NULL);
  g_autofree char *file = g_canonicalize_filename (preset, folder), *parent = g_path_get_dirname (file);
  g_autofree char *text = NULL;
  if (urb_preset_is_built_in (preset) || strcmp (parent, folder) != 0
      || g_file_test (file, G_FILE_TEST_EXISTS) || (text = dup_preset_text (path)) == NULL)
    return TRUE;
  return urb_atomic_file_set_contents (file, text, strlen (text), error);
}

static gboolean
is_needed (GArray *needed, gint64 step)
{
  for (guint i = 0; i < needed->len; i++)
    if (g_array_index (needed, gint64, i) == step)
      return TRUE;
  return FALSE;
}

GArray *
urb_run_folder_prune_checkpoints (UrbRunFolder *self, int keep, GArray *needed)
{
  g_autoptr(GArray) steps = urb_run_folder_list_checkpoints (self->path);
  GArray *deleted = g_array_new (FALSE, FALSE, sizeof (gint64));
  guint n_old = keep > 0 && steps->len > (guint) keep ? steps->len - (guint) keep : 0;
  for (guint i = 0; i < n_old; i++)
    {
      gint64 step = g_array_index (steps, gint64, i);
      g_autofree char *name = urb_run_checkpoint_name (step);
      if (is_needed (needed, step))
        continue;
      unlinkat (self->fd, name, 0);
      g_array_append_val (deleted, step);
    }
  return deleted;
}

void
urb_run_folder_mark (UrbRunFolder *self, const char *mark, gint64 step)
{
  g_autofree char *name = urb_run_checkpoint_name (step), *temporary = g_strconcat (mark, ".new", NULL);
  unlinkat (self->fd, temporary, 0);
  if (step < 0)
    unlinkat (self->fd, mark, 0);
  else if (symlinkat (name, self->fd, temporary) == 0)
    renameat (self->fd, temporary, self->fd, mark);
}

gint64
urb_run_folder_get_mark (const char *path, const char *mark)
{
  g_autofree char *link = g_build_filename (path, mark, NULL);
  g_autofree char *target = g_file_read_link (link, NULL);
  const char *name = target != NULL && g_str_has_prefix (target, URB_CHECKPOINT_FOLDER "/")
                       ? target + strlen (URB_CHECKPOINT_FOLDER "/") : "";
  return g_file_test (link, G_FILE_TEST_IS_REGULAR) ? parse_step (name, ".safetensors") : -1;
}

gboolean
urb_run_folder_check_checkpoint (const char *folder, gint64 step, GError **error)
{
  g_autoptr(GArray) steps = urb_run_folder_list_checkpoints (folder);
  g_autofree char *name = urb_run_checkpoint_name (step);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr(GString) list = g_string_new (NULL);
  for (guint i = 0; i < steps->len; i++)
    {
      if (g_array_index (steps, gint64, i) == step)
        {
          g_autoptr(UrbSafetensors) file = open_checkpoint (path, step, error);
          return file != NULL;
        }
      g_string_append_printf (list, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "",
                              g_array_index (steps, gint64, i));
    }
  g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_STATE,
               steps->len == 0
                 ? "The run '%s' has no checkpoint of step %" G_GINT64_FORMAT ", nor any other%s"
                 : "The run '%s' has no checkpoint of step %" G_GINT64_FORMAT
                   "; there are those of the steps %s",
               folder, step, list->str);
  return FALSE;
}

/* Takes the reason from errno. */
static gboolean
fail_to_delete (UrbRunFolder *self, GError **error)
{
  return urb_run_folder_fail (error, URB_RUN_ERROR_FOLDER, self->path, "delete a checkpoint of");
}

gboolean
urb_run_folder_roll_back (UrbRunFolder *self, gint64 step, GError **error)
{
  g_autoptr(GArray) steps = urb_run_folder_list_checkpoints (self->path);
  g_autofree char *checkpoints = urb_run_folder_dup_file (self, URB_CHECKPOINT_FOLDER);
  if (!urb_run_folder_check_checkpoint (self->path, step, error))
    return FALSE;
  for (guint i = steps->len; i-- > 0 && g_array_index (steps, gint64, i) > step;)
    {
      g_autofree char *name = urb_run_checkpoint_name (g_array_index (steps, gint64, i));
      if (unlinkat (self->fd, name, 0) != 0)
        return fail_to_delete (self, error);
    }
  /* Otherwise the run might continue from one of them after a power cut. */
  errno = urb_durable_sync_folder (checkpoints);
  return errno == 0 || fail_to_delete (self, error);
}

GArray *
urb_run_folder_thin_samples (UrbRunFolder *self)
{
  g_autoptr(GArray) steps = urb_run_folder_list_samples (self->path);
  GArray *deleted = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 newest, next;
  if (steps->len <= N_NEW_SAMPLES)
    return deleted;
  newest = g_array_index (steps, gint64, steps->len - 1);
  next = g_array_index (steps, gint64, steps->len - N_NEW_SAMPLES);
  for (guint i = steps->len - N_NEW_SAMPLES; i-- > 1;)
    {
      gint64 step = g_array_index (steps, gint64, i), before = g_array_index (steps, gint64, i - 1);
      if ((next - before) * AGE_OF_GAP > newest - step)
        next = step;
      else
        {
          g_autofree char *name = urb_run_sample_name (step);
          unlinkat (self->fd, name, 0);
          g_array_append_val (deleted, step);
        }
    }
  return deleted;
}

/* Two gaps together are longer than a 16th of the age a: so between a and a + da there are at most
 * 32 da / a grids. */
gint64
urb_run_count_kept_samples (gint64 n)
{
  if (n <= N_NEW_SAMPLES)
    return n;
  return N_NEW_SAMPLES + 2 + (gint64) ceil (2 * AGE_OF_GAP * log ((double) n / N_NEW_SAMPLES));
}

void
urb_run_folder_rewind_samples (UrbRunFolder *self, gint64 step)
{
  g_autoptr(GArray) steps = list_steps (self->path, URB_SAMPLE_FOLDER, ".png", NULL);
  for (guint i = 0; i < steps->len; i++)
    if (g_array_index (steps, gint64, i) > step)
      {
        g_autofree char *name = urb_run_sample_name (g_array_index (steps, gint64, i));
        unlinkat (self->fd, name, 0);
      }
}
