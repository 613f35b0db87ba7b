/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - the options of a run, and their key file form.
 *
 * One table maps names to fields, so that writing and reading cannot drift.
 */
#include "train/trainer.h"

#include <math.h>
#include <string.h>

#include "train/device.h"

G_DEFINE_QUARK (urb-train-error-quark, urb_train_error)

/* Here, so that who only reads a run needs no trainer. */
const char *const urb_step_metric_names[URB_N_METRICS] = {
  [URB_METRIC_LOSS_D] = "loss_d",
  [URB_METRIC_LOSS_G] = "loss_g",
  [URB_METRIC_LOGIT_REAL] = "logit_real",
  [URB_METRIC_LOGIT_FAKE] = "logit_fake",
  [URB_METRIC_R1] = "r1",
  [URB_METRIC_R2] = "r2",
  [URB_METRIC_GRAD_NORM_D] = "grad_norm_d",
  [URB_METRIC_GRAD_NORM_G] = "grad_norm_g",
  [URB_METRIC_LR_D] = "lr_d",
  [URB_METRIC_LR_G] = "lr_g",
};

#define GROUP "train"

typedef enum { TEXT, INT, INT64, UINT64, DOUBLE, BOOLEAN, PRECISION, STRATEGY } FieldType;

typedef struct
{
  const char *key;
  FieldType   type;
  gsize       offset;
} Field;

#define FIELD(key, type, member) { key, type, G_STRUCT_OFFSET (UrbTrainOptions, member) }

static const Field fields[] = {
  FIELD ("dataset", TEXT, dataset),
  FIELD ("preset", TEXT, preset),
  FIELD ("recipe", TEXT, recipe),
  FIELD ("backend", TEXT, backend),
  FIELD ("channels", INT, n_channels),
  FIELD ("steps", INT64, n_steps),
  FIELD ("batch", INT, batch),
  FIELD ("accumulate", INT, accumulate),
  FIELD ("precision", PRECISION, precision),
  FIELD ("threads", INT, n_threads),
  FIELD ("seed", UINT64, seed),
  FIELD ("lr-g", DOUBLE, lr_g),
  FIELD ("lr-d", DOUBLE, lr_d),
  FIELD ("lr-final", DOUBLE, lr_final),
  FIELD ("gamma", DOUBLE, gamma),
  FIELD ("beta2", DOUBLE, beta2),
  FIELD ("clip-norm", DOUBLE, clip_norm),
  FIELD ("augment", DOUBLE, augment),
  FIELD ("ema-kimg", DOUBLE, ema_kimg),
  FIELD ("warmup", INT64, n_warmup),
  FIELD ("schedule-steps", INT64, schedule_steps),
  FIELD ("strategy", STRATEGY, strategy),
  FIELD ("ranks", INT, n_ranks),
  FIELD ("communicator", TEXT, communicator),
  FIELD ("sync-batch-norm", BOOLEAN, sync_batch_norm),
  FIELD ("bucket-mib", DOUBLE, bucket_mib),
  FIELD ("local-moments", BOOLEAN, local_moments),
  FIELD ("staleness", INT, staleness),
  FIELD ("stale-lr", BOOLEAN, stale_lr),
  FIELD ("sharing", TEXT, sharing),
};

void
urb_train_options_init (UrbTrainOptions *self)
{
  *self = (UrbTrainOptions) {
    .preset = g_strdup ("tiny"),
    .recipe = g_strdup ("r3"),
    .backend = g_strdup ("cpu"),
    .accumulate = 1,
    .seed = 1,
    .gamma = -1,
    .clip_norm = -1,
    .augment = -1,
    .ema_kimg = -1,
    .n_warmup = -1,
    .n_ranks = 1,
    .communicator = g_strdup ("auto"),
    .sync_batch_norm = TRUE,
    .bucket_mib = 25,
    .stale_lr = TRUE,
    .sharing = g_strdup ("file_descriptor"),
  };
}

void
urb_train_options_clear (UrbTrainOptions *self)
{
  g_clear_pointer (&self->dataset, g_free);
  g_clear_pointer (&self->preset, g_free);
  g_clear_pointer (&self->recipe, g_free);
  g_clear_pointer (&self->backend, g_free);
  g_clear_pointer (&self->communicator, g_free);
  g_clear_pointer (&self->sharing, g_free);
}

gboolean
urb_train_options_check_communicator (const UrbTrainOptions *self, GError **error)
{
  static const char *const communicators[] = { "auto", "threads", "mpi", "nccl", NULL };

  if (!g_strv_contains (communicators, self->communicator))
    g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS,
                 "There is no communicator “%s”; choose auto, threads, mpi, or nccl for GPUs.",
                 self->communicator);
  else if (strcmp (self->communicator, "nccl") == 0 && urb_device_is_host (self->backend))
    g_set_error_literal (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS,
                         "The communicator nccl connects GPUs: choose --device cuda, or another "
                         "communicator.");
  else
    return TRUE;
  return FALSE;
}

int
urb_train_options_count_parts (const UrbTrainOptions *self)
{
  return urb_strategy_is_synchronous (self->strategy) ? self->n_ranks : 1;
}

void
urb_train_options_copy (UrbTrainOptions *self, const UrbTrainOptions *from)
{
  UrbTrainOptions copy = *from;

  copy.dataset = g_strdup (from->dataset);
  copy.preset = g_strdup (from->preset);
  copy.recipe = g_strdup (from->recipe);
  copy.backend = g_strdup (from->backend);
  copy.communicator = g_strdup (from->communicator);
  copy.sharing = g_strdup (from->sharing);
  *self = copy;
}

void
urb_train_options_to_key_file (const UrbTrainOptions *self, GKeyFile *file)
{
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      const Field *field = &fields[i];
      gconstpointer at = (const char *) self + field->offset;

      switch (field->type)
        {
        case TEXT:
          if (*(char *const *) at != NULL)
            g_key_file_set_string (file, GROUP, field->key, *(char *const *) at);
          break;
        case INT:
          g_key_file_set_integer (file, GROUP, field->key, *(const int *) at);
          break;
        case INT64:
          g_key_file_set_int64 (file, GROUP, field->key, *(const gint64 *) at);
          break;
        case UINT64:
          g_key_file_set_uint64 (file, GROUP, field->key, *(const guint64 *) at);
          break;
        case DOUBLE:
          g_key_file_set_double (file, GROUP, field->key, *(const double *) at);
          break;
        case BOOLEAN:
          g_key_file_set_boolean (file, GROUP, field->key, *(const gboolean *) at);
          break;
        case STRATEGY:
          g_key_file_set_string (file, GROUP, field->key,
                                 urb_strategy_get_name (*(const UrbStrategy *) at));
          break;
        case PRECISION:
          g_key_file_set_string (file, GROUP, field->key,
                                 uk_precision_name (*(const UkPrecision *) at));
          break;
        }
    }
}

gboolean
urb_precision_parse (const char *text, UkPrecision *out, GError **error)
{
  static const UkPrecision all[] = { UK_FP32, UK_TF32, UK_BF16 };

  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    if (strcmp (text, uk_precision_name (all[i])) == 0)
      {
        *out = all[i];
        return TRUE;
      }
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS,
               "The precision “%s” is not known; choose fp32, tf32 or bf16.", text);
  return FALSE;
}

static gboolean
read_precision (GKeyFile *file, const char *key, UkPrecision *out, GError **error)
{
  GError *local = NULL;
  g_autofree char *text = g_key_file_get_string (file, GROUP, key, &local);

  if (local != NULL)
    {
      /* A wrong escape gives an error and a text. */
      g_propagate_error (error, local);
      return FALSE;
    }
  return urb_precision_parse (text, out, error);
}

static gboolean
read_strategy (GKeyFile *file, const char *key, UrbStrategy *out, GError **error)
{
  GError *local = NULL;
  g_autofree char *text = g_key_file_get_string (file, GROUP, key, &local);
  int n_ranks = 0;

  if (local != NULL)
    {
      g_propagate_error (error, local);
      return FALSE;
    }
  if (!urb_strategy_parse (text, out, &n_ranks, error))
    return FALSE;
  if (n_ranks == 0)
    return TRUE;
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS,
               "“%s” has a number of ranks: that has a key of its own.", text);
  return FALSE;
}

static gboolean
read_field (GKeyFile *file, const Field *field, gpointer at, GError **error)
{
  GError *local = NULL;

  switch (field->type)
    {
    case TEXT:
      g_free (*(char **) at);
      *(char **) at = g_key_file_get_string (file, GROUP, field->key, &local);
      break;
    case INT:
      *(int *) at = g_key_file_get_integer (file, GROUP, field->key, &local);
      break;
    case INT64:
      *(gint64 *) at = g_key_file_get_int64 (file, GROUP, field->key, &local);
      break;
    case UINT64:
      *(guint64 *) at = g_key_file_get_uint64 (file, GROUP, field->key, &local);
      break;
    case DOUBLE:
      *(double *) at = g_key_file_get_double (file, GROUP, field->key, &local);
      break;
    case BOOLEAN:
      *(gboolean *) at = g_key_file_get_boolean (file, GROUP, field->key, &local);
      break;
    case PRECISION:
      return read_precision (file, field->key, at, error);
    case STRATEGY:
      return read_strategy (file, field->key, at, error);
    }
  if (local != NULL)
    g_propagate_error (error, local);
  return local == NULL;
}

gboolean
urb_train_options_from_key_file (UrbTrainOptions *self, GKeyFile *file, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    if (g_key_file_has_key (file, GROUP, fields[i].key, NULL)
        && !read_field (file, &fields[i], (char *) self + fields[i].offset, error))
      {
        g_prefix_error (error, "[" GROUP "] %s: ", fields[i].key);
        return FALSE;
      }
  return TRUE;
}
