/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkpoint.c - see checkpoint.h.
 */
#include "train/checkpoint.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "base/key-file.h"
#include "base/permission.h"

#define FORMAT "urbarium-checkpoint-1"

void
urb_checkpoint_info_clear (UrbCheckpointInfo *self)
{
  urb_train_options_clear (&self->options);
  g_clear_pointer (&self->preset, urb_preset_free);
  g_clear_pointer (&self->dataset_id, g_free);
}

GHashTable *
urb_checkpoint_info_to_metadata (const UrbCheckpointInfo *self)
{
  GHashTable *table = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  g_autoptr(GKeyFile) file = g_key_file_new ();
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  urb_train_options_to_key_file (&self->options, file);
  g_hash_table_insert (table, "format", g_strdup (FORMAT));
  g_hash_table_insert (table, "engine", g_strdup ("urbarium " URBARIUM_VERSION));
  g_hash_table_insert (table, "step", g_strdup_printf ("%" G_GINT64_FORMAT, self->step));
  g_hash_table_insert (table, "options", g_key_file_to_data (file, NULL, NULL));
  g_hash_table_insert (table, "preset_name", g_strdup (self->preset->name));
  g_hash_table_insert (table, "preset", g_strdup (self->preset->text));
  g_hash_table_insert (table, "area_size_m",
                       g_strdup (g_ascii_dtostr (number, sizeof number, self->area_size_m)));
  if (self->dataset_id != NULL)
    g_hash_table_insert (table, "dataset_id", g_strdup (self->dataset_id));
  if (self->loss_scale_g.scale > 0)
    g_hash_table_insert (table, "loss_scale_g", urb_loss_scale_to_text (&self->loss_scale_g));
  if (self->loss_scale_d.scale > 0)
    g_hash_table_insert (table, "loss_scale_d", urb_loss_scale_to_text (&self->loss_scale_d));
  return table;
}

static gboolean
fail (GError **error, const char *path, const char *why)
{
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_CHECKPOINT,
               N_ ("%s cannot be used as a checkpoint: %s%s"), path, why,
               g_str_has_suffix (why, ".") ? "" : ".");
  return FALSE;
}

/* An older file has none, and neither has one of a run without loss scaling. */
static gboolean
read_loss_scale (UrbLossScale *self, UrbSafetensors *file, const char *key)
{
  const char *text = urb_safetensors_get_metadata (file, key);

  return text == NULL || urb_loss_scale_from_text (self, text);
}

gboolean
urb_checkpoint_info_read (UrbCheckpointInfo *self, UrbSafetensors *file, const char *path,
                          GError **error)
{
  const char *format = urb_safetensors_get_metadata (file, "format");
  const char *options = urb_safetensors_get_metadata (file, "options");
  const char *name = urb_safetensors_get_metadata (file, "preset_name");
  const char *preset = urb_safetensors_get_metadata (file, "preset");
  const char *step = urb_safetensors_get_metadata (file, "step");
  const char *size = urb_safetensors_get_metadata (file, "area_size_m");
  g_autoptr(GKeyFile) key_file = g_key_file_new ();
  g_autoptr(GError) local = NULL;

  *self = (UrbCheckpointInfo) { 0 };
  urb_train_options_init (&self->options);
  if (g_strcmp0 (format, FORMAT) != 0)
    return fail (error, path, N_ ("it was not written by this program, or by a newer version of it"));
  if (options == NULL || name == NULL || preset == NULL || step == NULL || size == NULL)
    return fail (error, path, "its metadata is incomplete");
  if (!urb_key_file_read (key_file, options, &local)
      || !urb_train_options_from_key_file (&self->options, key_file, &local))
    return fail (error, path, local->message);
  /* Older files have no refiner, whatever the default. */
  self->options.refine = self->options.refine && g_key_file_has_key (key_file, "train", "refine", NULL);
  self->preset = urb_preset_load_text (name, preset, &local);
  if (self->preset == NULL)
    return fail (error, path, local->message);
  if (!g_ascii_string_to_signed (step, 10, 0, G_MAXUINT32, &self->step, NULL))
    return fail (error, path, "its step is not a number");
  self->area_size_m = g_ascii_strtod (size, NULL);
  if (!isfinite (self->area_size_m) || self->area_size_m <= 0 || self->area_size_m > 1e6)
    return fail (error, path, "its area size is out of range");
  if (!read_loss_scale (&self->loss_scale_g, file, "loss_scale_g")
      || !read_loss_scale (&self->loss_scale_d, file, "loss_scale_d"))
    return fail (error, path, "its loss scale is out of range");
  self->dataset_id = g_strdup (urb_safetensors_get_metadata (file, "dataset_id"));
  return TRUE;
}

gboolean
urb_checkpoint_find_refiner (const char *path, gboolean *has)
{
  g_autoptr(UrbSafetensors) file = urb_safetensors_open (path, NULL);
  g_auto(UrbCheckpointInfo) info = { 0 };

  if (file == NULL || !urb_checkpoint_info_read (&info, file, path, NULL))
    return FALSE;
  *has = info.options.refine;
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* Tensors                                                                   */

void
urb_checkpoint_add_block (GArray *tensors, GPtrArray *names, const GArray *table,
                          const char *prefix, gsize element_size)
{
  for (guint i = 0; i < table->len; i++)
    {
      const UrbParam *param = &g_array_index (table, UrbParam, i);
      UrbTensor tensor = { .type = element_size == 8 ? URB_TENSOR_F64 : URB_TENSOR_F32,
                           .n_dims = param->n_dims };
      char *name = g_strconcat (prefix, param->name, NULL);

      memcpy (tensor.shape, param->shape, sizeof tensor.shape);
      g_ptr_array_add (names, name);
      tensor.name = name;
      g_array_append_val (tensors, tensor);
    }
}

const UrbTensor *
urb_checkpoint_find_tensor (UrbSafetensors *file, const UrbParam *param, const char *prefix,
                            GError **error)
{
  g_autofree char *name = g_strconcat (prefix, param->name, NULL);
  const UrbTensor *tensor = urb_safetensors_lookup (file, name);

  if (tensor != NULL && tensor->n_dims == param->n_dims
      && memcmp (tensor->shape, param->shape, (gsize) param->n_dims * sizeof *param->shape) == 0)
    return tensor;
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_CHECKPOINT,
               N_ ("The checkpoint's tensor “%s” is missing or has another shape: the checkpoint belongs to "
                   "another network."), name);
  return NULL;
}

/* The reference backend saves doubles, the others floats; either reads both. */
void
urb_checkpoint_read_piece (const UrbTensor *tensor, const UrbParam *param, gint64 first, gint64 count,
                           void *out, gsize element_size)
{
  const double *doubles = (const double *) tensor->data + first;
  const float *floats = (const float *) tensor->data + first;

  if (tensor->type == URB_TENSOR_F64 && element_size == 8)
    memcpy (out, doubles, (gsize) count * element_size);
  else if (tensor->type == URB_TENSOR_F32 && element_size == 4)
    memcpy (out, floats, (gsize) count * element_size);
  else if (tensor->type == URB_TENSOR_F64)
    for (gint64 i = 0; i < count; i++)
      ((float *) out)[i] = (float) doubles[i];
  else
    for (gint64 i = 0; i < count; i++)
      ((double *) out)[i] = floats[i];
  urb_param_to_block (param, count, element_size, out);
}

gboolean
urb_checkpoint_read_block (UrbSafetensors *file, const GArray *table, const char *prefix,
                           void *block, gsize element_size, GError **error)
{
  for (guint i = 0; i < table->len; i++)
    {
      const UrbParam *param = &g_array_index (table, UrbParam, i);
      const UrbTensor *tensor = urb_checkpoint_find_tensor (file, param, prefix, error);

      if (tensor == NULL)
        return FALSE;
      urb_checkpoint_read_piece (tensor, param, 0, param->count,
                                 (char *) block + (gsize) param->offset * element_size, element_size);
    }
  return TRUE;
}

/* ------------------------------------------------------------------------ */

/* (nullable) (transfer full): of the best score, if there is one. */
static char *
find_best (const char *run)
{
  g_autofree char *link = g_build_filename (run, URB_RUN_BEST, NULL);
  g_autofree char *target = g_file_read_link (link, NULL);

  return target != NULL && g_file_test (link, G_FILE_TEST_IS_REGULAR) ? g_build_filename (run, target, NULL)
                                                                      : NULL;
}

static char *
find_newest (const char *path, GError **error)
{
  g_autofree char *folder = NULL, *newest = NULL, *forbidden = NULL;
  g_autoptr(GDir) dir = NULL;
  const char *name;

  folder = g_build_filename (path, "checkpoints", NULL);
  if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    {
      g_free (folder);
      folder = g_strdup (path);
    }
  forbidden = urb_permission_dup_read_problem (folder);
  if (forbidden != NULL)
    {
      g_set_error_literal (error, G_FILE_ERROR, G_FILE_ERROR_ACCES, forbidden);
      return NULL;
    }
  dir = g_dir_open (folder, 0, error);
  if (dir == NULL)
    return NULL;
  while ((name = g_dir_read_name (dir)) != NULL)
    /* Steps have leading zeros, so that names sort by step. */
    if (g_str_has_prefix (name, "step-") && g_str_has_suffix (name, ".safetensors")
        && g_strcmp0 (name, newest) > 0)
      {
        g_free (newest);
        newest = g_strdup (name);
      }
  if (newest != NULL)
    return g_build_filename (folder, newest, NULL);
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_CHECKPOINT,
               "%s holds no checkpoint yet; train first, or name a .safetensors file.", path);
  return NULL;
}

char *
urb_checkpoint_find (const char *path, GError **error)
{
  g_autofree char *run = g_path_get_dirname (path), *name = g_path_get_basename (path), *best = NULL;

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      best = find_best (path);
      return best != NULL ? g_steal_pointer (&best) : find_newest (path, error);
    }
  if (g_file_test (path, G_FILE_TEST_EXISTS) || !g_file_test (run, G_FILE_TEST_IS_DIR))
    return g_strdup (path);
  if (strcmp (name, "newest") == 0)
    return find_newest (run, error);
  if (strcmp (name, "best") != 0)
    return g_strdup (path);
  best = find_best (run);
  if (best == NULL)
    g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_CHECKPOINT,
                 "%s has no best checkpoint: no score was measured yet. Name %s/newest.", run, run);
  return g_steal_pointer (&best);
}
