/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-config.c - see run-config.h.
 */
#include "settings/run-config.h"

#include <math.h>
#include <string.h>

#include "base/key-file.h"
#include "settings/hook.h"
#include "settings/quiet-hours.h"
#include "settings/note.h"

#define RUN_GROUP "run"
#define TRAIN_GROUP "train"

/* Of run.ini.  Files of before it was written have none. */
enum { FORMAT = 1 };

/* ------------------------------------------------------------------------ */
/* run.ini                                                                   */

void
urb_run_config_init (UrbRunConfig *self)
{
  *self = (UrbRunConfig) { .engine = g_strdup (URBARIUM_VERSION) };
  urb_settings_reset (&urb_run_settings, self);
}

void
urb_run_config_clear (UrbRunConfig *self)
{
  g_clear_pointer (&self->name, g_free);
  g_clear_pointer (&self->engine, g_free);
  urb_settings_clear (&urb_run_settings, self);
}

void
urb_run_config_copy (UrbRunConfig *self, const UrbRunConfig *from)
{
  urb_run_config_clear (self);
  self->name = g_strdup (from->name);
  self->engine = g_strdup (from->engine);
  self->created = from->created;
  urb_settings_copy (&urb_run_settings, self, from);
}

void
urb_run_config_set_strategy (UrbRunConfig *self, UrbStrategy strategy, int n_ranks)
{
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    if (urb_run_settings.rows[i].strategies != 0)
      urb_setting_reset (&urb_run_settings.rows[i], self);
  self->train.strategy = strategy;
  self->train.n_ranks = n_ranks;
}

char *
urb_run_config_to_text (const UrbRunConfig *self)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();

  g_key_file_set_integer (file, RUN_GROUP, "format", FORMAT);
  g_key_file_set_string (file, RUN_GROUP, "name", self->name != NULL ? self->name : "");
  g_key_file_set_string (file, RUN_GROUP, "engine", self->engine);
  g_key_file_set_int64 (file, RUN_GROUP, "created", self->created);
  urb_settings_to_key_file (&urb_run_settings, self, NULL, file);
  return g_key_file_to_data (file, NULL, NULL);
}

/* "lr_final" is meant to be "lr-final". */
static gboolean
is_alike (const char *a, const char *b)
{
  g_autofree char *x = g_strdelimit (g_ascii_strdown (a, -1), "_", '-');
  g_autofree char *y = b != NULL ? g_strdelimit (g_strdup (b), "_", '-') : NULL;

  return g_strcmp0 (x, y) == 0;
}

/* @group: (nullable): any.  Returns: (nullable) */
static const UrbSetting *
find_stored (const char *group, const char *key, gboolean (*is_same) (const char *a, const char *b))
{
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    {
      const UrbSetting *row = &urb_run_settings.rows[i];

      if ((group == NULL || strcmp (row->group, group) == 0)
          && is_same (key, urb_setting_get_stored_key (row)))
        return row;
    }
  return NULL;
}

static gboolean
is_equal (const char *a, const char *b)
{
  return strcmp (a, b) == 0;
}

static gboolean
check_key (const char *group, const char *key, GError **error)
{
  static const char *const about[] = { "format", "name", "engine", "created", NULL };
  const UrbSetting *meant = find_stored (NULL, key, is_alike);
  g_autofree char *name = NULL;

  if (find_stored (group, key, is_equal) != NULL
      || (strcmp (group, RUN_GROUP) == 0 && g_strv_contains (about, key)))
    return TRUE;
  for (guint i = 0; meant == NULL && i < urb_run_settings.n_rows; i++)
    {
      const UrbSetting *row = &urb_run_settings.rows[i];

      if (is_alike (key, row->key) || is_alike (key, row->option) || is_alike (key, row->alias))
        meant = row;
    }
  if (meant == NULL)
    return urb_options_fail (error, "There is no setting [%s] %s; `urbarium-engine settings` lists "
                                    "all.", group, key);
  name = urb_setting_dup_stored_name (meant);
  return urb_options_fail (error, "There is no setting [%s] %s; write %s.", group, key, name);
}

static gboolean
check_keys (GKeyFile *file, GError **error)
{
  g_auto(GStrv) groups = g_key_file_get_groups (file, NULL);

  for (guint g = 0; groups[g] != NULL; g++)
    {
      g_auto(GStrv) keys = g_key_file_get_keys (file, groups[g], NULL, NULL);

      if (strcmp (groups[g], RUN_GROUP) != 0 && strcmp (groups[g], TRAIN_GROUP) != 0)
        return urb_options_fail (error, "There is no group [%s]; settings are in [" TRAIN_GROUP "] and "
                                        "[" RUN_GROUP "].", groups[g]);
      for (guint k = 0; keys != NULL && keys[k] != NULL; k++)
        if (!check_key (groups[g], keys[k], error))
          return FALSE;
    }
  return TRUE;
}

/* The settings of a run's files must be in range; those of its training are checked together with
 * the preset, the dataset and the device. */
static gboolean
check_group (const UrbRunConfig *self, const char *group, GError **error)
{
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    if (strcmp (urb_run_settings.rows[i].group, group) == 0
        && !urb_setting_check (&urb_run_settings, &urb_run_settings.rows[i], self, error))
      return FALSE;
  return TRUE;
}

static gboolean
read_file (UrbRunConfig *self, GKeyFile *file, GError **error)
{
  g_auto(UrbRunConfig) read = { 0 };
  g_autoptr(GError) cause = NULL;
  char *engine;

  urb_run_config_init (&read);
  read.name = g_key_file_get_string (file, RUN_GROUP, "name", NULL);
  engine = g_key_file_get_string (file, RUN_GROUP, "engine", NULL);
  if (engine != NULL)
    {
      g_free (read.engine);
      read.engine = engine;
    }
  if (g_key_file_has_key (file, RUN_GROUP, "created", NULL))
    read.created = g_key_file_get_int64 (file, RUN_GROUP, "created", &cause);
  if (cause != NULL || read.created < 0)
    return urb_options_fail (error, "[" RUN_GROUP "] created: it must be a number of seconds since "
                                    "1970");
  if (!urb_settings_from_key_file (&urb_run_settings, &read, NULL, file, error)
      || !check_group (&read, RUN_GROUP, error))
    return FALSE;
  urb_run_config_clear (self);
  *self = read;
  read = (UrbRunConfig) { 0 };
  return TRUE;
}

static gboolean
check_format (GKeyFile *file, GError **error)
{
  g_autofree char *format = g_key_file_get_string (file, RUN_GROUP, "format", NULL);
  gint64 number;

  if (format == NULL || (g_ascii_string_to_signed (format, 10, 1, FORMAT, &number, NULL)))
    return TRUE;
  return urb_options_fail (error, "It has the format %s, and this is Urbarium " URBARIUM_VERSION
                                  ", which knows format %d.", format, FORMAT);
}

/* An unknown setting may decide the result; to ignore it would be to train something else. */
static gboolean
check_own_file (GKeyFile *file, GError **error)
{
  g_autofree char *engine = g_key_file_get_string (file, RUN_GROUP, "engine", NULL);

  if (check_format (file, error) && check_keys (file, error))
    return TRUE;
  if (engine != NULL && strcmp (engine, URBARIUM_VERSION) != 0)
    g_prefix_error (error, "It was written by Urbarium %s, and this is " URBARIUM_VERSION ". ", engine);
  return FALSE;
}

gboolean
urb_run_config_from_text (UrbRunConfig *self, const char *text, GError **error)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_autoptr(GError) cause = NULL;

  if (urb_key_file_read (file, text, &cause) && g_key_file_has_group (file, RUN_GROUP))
    return check_own_file (file, error) && read_file (self, file, error);
  return urb_options_fail (error, "this is not a run's configuration%s%s", cause != NULL ? ": " : "",
                           cause != NULL ? cause->message : "");
}

/* ------------------------------------------------------------------------ */
/* Settings that somebody wrote                                              */

/* The ranks of a mesh follow from its axes. */
static gboolean
count_mesh (GKeyFile *file, GError **error)
{
  g_autofree char *text = g_key_file_get_string (file, TRAIN_GROUP, "mesh", NULL);
  UrbMesh mesh;

  if (text == NULL || g_key_file_has_key (file, TRAIN_GROUP, "ranks", NULL))
    return TRUE;
  if (!urb_mesh_parse (text, &mesh, error))
    {
      g_prefix_error (error, "[" TRAIN_GROUP "] mesh: ");
      return FALSE;
    }
  g_key_file_set_integer (file, TRAIN_GROUP, "ranks", urb_mesh_count (&mesh, URB_ALL_AXES));
  return TRUE;
}

/* "ddp:2" becomes the strategy ddp and 2 ranks. */
static gboolean
split_strategy (GKeyFile *file, GError **error)
{
  g_autofree char *text = g_key_file_get_string (file, TRAIN_GROUP, "strategy", NULL);
  UrbStrategy strategy;
  int n_ranks = 0;

  if (text == NULL || strchr (text, ':') == NULL)
    return TRUE;
  if (!urb_strategy_parse (text, &strategy, &n_ranks, error))
    {
      g_prefix_error (error, "[" TRAIN_GROUP "] strategy: ");
      return FALSE;
    }
  if (g_key_file_has_key (file, TRAIN_GROUP, "ranks", NULL)
      && g_key_file_get_integer (file, TRAIN_GROUP, "ranks", NULL) != n_ranks)
    return urb_options_fail (error, "[" TRAIN_GROUP "] strategy says %d rank%s, and ranks says another "
                                    "number; leave one of them out.", n_ranks, n_ranks == 1 ? "" : "s");
  g_key_file_set_string (file, TRAIN_GROUP, "strategy", urb_strategy_names[strategy]);
  g_key_file_set_integer (file, TRAIN_GROUP, "ranks", n_ranks);
  return TRUE;
}

gboolean
urb_run_config_from_written_text (UrbRunConfig *self, const char *text, GError **error)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();

  if (!urb_key_file_read (file, text, error) || !check_format (file, error)
      || !check_keys (file, error) || !split_strategy (file, error) || !count_mesh (file, error)
      || !read_file (self, file, error))
    return FALSE;
  if (self->train.strategy != URB_STRATEGY_SINGLE
      && !g_key_file_has_key (file, TRAIN_GROUP, "ranks", NULL))
    self->train.n_ranks = 0;
  return TRUE;
}

/* A setting for people: a number with the fewest digits that stand for it. (transfer full) */
static char *
dup_for_people (const UrbSetting *self, const UrbRunConfig *config)
{
  g_autofree char *text = urb_setting_dup_text (self, config);
  char number[G_ASCII_DTOSTR_BUF_SIZE], format[] = "%.1g";

  if (self->type != URB_SETTING_DOUBLE)
    return text != NULL ? g_steal_pointer (&text) : g_strdup ("none");
  for (char digits = '1'; digits <= '9'; digits++)
    {
      format[2] = digits;
      g_ascii_formatd (number, sizeof number, format, urb_setting_get_number (self, config));
      if (g_ascii_strtod (number, NULL) == urb_setting_get_number (self, config))
        return g_strdup (number);
    }
  return g_steal_pointer (&text);
}

char *
urb_setting_dup_change (const UrbSetting *self, const UrbRunConfig *before, const UrbRunConfig *after)
{
  g_autofree char *old = dup_for_people (self, before), *now = dup_for_people (self, after);

  if (strcmp (old, now) == 0)
    return NULL;
  if ((self->flags & URB_SETTING_SECRET) != 0)
    return g_strdup_printf ("%s changed", self->key);
  return g_strdup_printf ("%s %s -> %s", self->key, old, now);
}

/* ------------------------------------------------------------------------ */
/* The part that checkpoints hold                                            */

void
urb_train_options_init (UrbTrainOptions *self)
{
  UrbRunConfig config = { 0 };

  urb_settings_reset (&urb_run_settings, &config);
  *self = config.train;
}

void
urb_train_options_clear (UrbTrainOptions *self)
{
  UrbRunConfig config = { .train = *self };

  urb_settings_clear (&urb_run_settings, &config);
  *self = config.train;
}

void
urb_train_options_copy (UrbTrainOptions *self, const UrbTrainOptions *from)
{
  const UrbRunConfig source = { .train = *from };
  UrbRunConfig config = { 0 };

  urb_settings_copy (&urb_run_settings, &config, &source);
  *self = config.train;
}

void
urb_train_options_to_key_file (const UrbTrainOptions *self, GKeyFile *file)
{
  const UrbRunConfig config = { .train = *self };

  urb_settings_to_key_file (&urb_run_settings, &config, TRAIN_GROUP, file);
}

gboolean
urb_train_options_from_key_file (UrbTrainOptions *self, GKeyFile *file, GError **error)
{
  UrbRunConfig config = { .train = *self };
  gboolean good = urb_settings_from_key_file (&urb_run_settings, &config, TRAIN_GROUP, file, error);

  *self = config.train;
  return good;
}

/* ------------------------------------------------------------------------ */
/* What goes together                                                        */

UrbMesh
urb_train_options_get_mesh (const UrbTrainOptions *self)
{
  UrbMesh mesh = { 1, 1, 1 };

  if (self->strategy == URB_STRATEGY_MESH)
    urb_mesh_parse (self->mesh, &mesh, NULL); /* check_mesh() has told what is wrong */
  else if (self->strategy == URB_STRATEGY_TENSOR)
    mesh.tensor = self->n_ranks;
  else if (urb_strategy_is_pipeline (self->strategy))
    mesh.pipe = self->n_ranks;
  else if (urb_strategy_has_replicas (self->strategy))
    mesh.data = self->n_ranks;
  return mesh;
}

UrbStrategy
urb_train_options_get_schedule (const UrbTrainOptions *self)
{
  UrbStrategy strategy = self->strategy;
  int n_ranks;

  if (strategy == URB_STRATEGY_MESH && !urb_strategy_parse (self->schedule, &strategy, &n_ranks, NULL))
    return URB_STRATEGY_SINGLE;
  return urb_strategy_is_pipeline (strategy) ? strategy : URB_STRATEGY_SINGLE;
}

int
urb_train_options_get_zero_level (const UrbTrainOptions *self)
{
  return self->strategy == URB_STRATEGY_MESH ? self->zero : urb_strategy_get_zero_level (self->strategy);
}

int
urb_train_options_count_parts (const UrbTrainOptions *self)
{
  UrbMesh mesh = urb_train_options_get_mesh (self);

  return urb_mesh_count (&mesh, URB_AXES_SAMPLES);
}

double
urb_train_options_get_loss_scale (const UrbTrainOptions *self)
{
  const double of_fp16 = 65536; /* init_scale of PyTorch's GradScaler */

  return self->loss_scale > 0 ? self->loss_scale : self->precision == UK_FP16 ? of_fp16 : 1;
}

gboolean
urb_loss_scale_is_valid (double scale)
{
  const UrbSetting *row = urb_settings_find (&urb_run_settings, "loss-scale");
  int exponent;

  return scale >= row->min && scale <= row->max && frexp (scale, &exponent) == 0.5;
}

gint64
urb_train_options_count_images (const UrbTrainOptions *self)
{
  return (gint64) self->batch * self->n_d_steps;
}

gboolean
urb_precision_parse (const char *text, UkPrecision *out, GError **error)
{
  UrbRunConfig config = { 0 };
  gboolean good = urb_setting_set_text (&urb_run_settings,
                                        urb_settings_find (&urb_run_settings, "precision"), &config,
                                        text, error);

  if (good)
    *out = config.train.precision;
  else
    g_prefix_error (error, "--precision ");
  return good;
}

gboolean
urb_train_options_check_communicator (const UrbTrainOptions *self, GError **error)
{
  const UrbRunConfig config = { .train = *self };

  if (!urb_setting_check (&urb_run_settings, urb_settings_find (&urb_run_settings, "communicator"),
                          &config, error))
    return FALSE;
  if (g_strcmp0 (self->communicator, "nccl") != 0 || !urb_device_is_host (self->backend))
    return TRUE;
  return urb_options_fail (error, "The communicator nccl connects GPUs: choose --device cuda, or "
                                  "another communicator.");
}

/* The numbers of ranks next to the wanted one that can divide the batch: "2 or 4". */
static char *
find_nearest_ranks (const UrbTrainOptions *self)
{
  int most = self->batch / self->accumulate, below = MIN (self->n_ranks, most);
  int above = self->n_ranks;

  while (most % below != 0)
    below--;
  while (above < most && most % above != 0)
    above++;
  return above > most ? g_strdup_printf ("%d", below) : g_strdup_printf ("%d or %d", below, above);
}

/* Synchronous ranks get equal parts of every microbatch. */
static gboolean
check_batch (const UrbTrainOptions *self, GError **error)
{
  int parts = urb_train_options_count_parts (self) * self->accumulate, below = self->batch / parts * parts;
  g_autofree char *batches = below > 0 ? g_strdup_printf ("%d or %d", below, below + parts)
                                       : g_strdup_printf ("%d", parts);
  g_autofree char *ranks = NULL;

  if (self->batch % self->accumulate != 0)
    return urb_options_fail (error, "The batch must be a multiple of the number of microbatches "
                                    "(--accumulate).");
  if (self->batch % parts == 0)
    return TRUE;
  if (self->strategy == URB_STRATEGY_MESH)
    return urb_options_fail (error, "A batch of %d images cannot be split equally among the ranks along data "
                                    "and tensor of the mesh %s with --accumulate %d; the nearest --batch is %s.",
                             self->batch, self->mesh, self->accumulate, batches);
  ranks = find_nearest_ranks (self);
  return urb_options_fail (error,
                           "A batch of %d images cannot be split equally among %d ranks with "
                           "--accumulate %d; the nearest number of ranks is %s, or, for a new run, "
                           "the nearest --batch is %s.",
                           self->batch, self->n_ranks, self->accumulate, ranks, batches);
}

/* Which axes and levels go together. */
static gboolean
check_mesh (const UrbTrainOptions *self, GError **error)
{
  UrbMesh mesh;

  if (self->strategy != URB_STRATEGY_MESH)
    return TRUE;
  if (self->mesh == NULL)
    return urb_options_fail (error, "Which mesh?  Write --mesh data=2,pipe=2, for example.");
  if (!urb_mesh_parse (self->mesh, &mesh, error))
    return FALSE;
  if (urb_mesh_count (&mesh, URB_ALL_AXES) != self->n_ranks)
    return urb_options_fail (error, "The mesh %s has %d ranks, and not %d; leave out the number of ranks.",
                             self->mesh, urb_mesh_count (&mesh, URB_ALL_AXES), self->n_ranks);
  if (mesh.tensor > 1 && self->zero > 0)
    return urb_options_fail (error, "--zero divides layers that are not divided along tensor; leave it out, or "
                                    "choose a mesh without tensor instead of %s.", self->mesh);
  if (mesh.data == 1 && self->zero > 0)
    return urb_options_fail (error, "--zero divides among ranks along data, of which the mesh %s has one.",
                             self->mesh);
  if (mesh.tensor > 1 && !self->sync_batch_norm)
    return urb_options_fail (error, "--no-sync-batch-norm is not possible in a mesh with tensor, such as %s.",
                             self->mesh);
  return TRUE;
}

gint64
urb_train_options_get_rank_bytes (const UrbTrainOptions *self)
{
  return self->rank_memory > 0 ? (gint64) (self->rank_memory * 1e9) : G_MAXINT64;
}

gboolean
urb_train_options_have_processes (const UrbTrainOptions *self)
{
  return self->strategy == URB_STRATEGY_HOGWILD
         || (urb_strategy_is_distributed (self->strategy) && strcmp (self->communicator, "mpi") == 0);
}

gboolean
urb_train_options_offload_to_folder (const UrbTrainOptions *self)
{
  return self->offload != NULL && strcmp (self->offload, URB_OFFLOAD_HOST) != 0;
}

/* Each GPU of a list is for a rank; ranks of an asynchronous strategy share one. */
static gboolean
check_gpus (const UrbTrainOptions *self, GError **error)
{
  gboolean is_one = !urb_strategy_is_synchronous (self->strategy);
  guint n_used = is_one ? 1 : (guint) self->n_ranks;
  g_autoptr(GArray) gpus = urb_device_parse_gpus (self->backend, error);

  if (gpus == NULL)
    return FALSE;
  if (gpus->len <= n_used)
    return TRUE;
  if (is_one)
    return urb_options_fail (error, "The strategy %s trains on one GPU, and --device %s names %u: name one, or choose "
                                    "--strategy ddp:%u.", urb_strategy_names[self->strategy], self->backend, gpus->len,
                             gpus->len);
  return urb_options_fail (error, "There are %d ranks for the %u GPUs of --device %s: name fewer GPUs, or choose %s%u.",
                           self->n_ranks, gpus->len, self->backend,
                           self->strategy == URB_STRATEGY_MESH ? "--mesh data=" : "--ranks ", gpus->len);
}

static gboolean
check_offload (const UrbTrainOptions *self, GError **error)
{
  if (self->offload == NULL || urb_train_options_offload_to_folder (self) || !urb_device_is_host (self->backend))
    return TRUE;
  return urb_options_fail (error, "The processor trains in the host's memory already: name a folder for "
                                  "--offload, with room for moments and averages.");
}

/* The other strategies divide a program in which each network is updated once. */
static gboolean
check_d_steps (const UrbTrainOptions *self, GError **error)
{
  const guint able = 1 << URB_STRATEGY_SINGLE | 1 << URB_STRATEGY_DP | 1 << URB_STRATEGY_DDP
                     | URB_STRATEGIES_ASYNCHRONOUS;
  g_autofree char *names = NULL;

  if (self->n_d_steps == 1)
    return TRUE;
  names = urb_strategies_join (able, " or ");
  if ((able & 1u << self->strategy) == 0)
    return urb_options_fail (error, "The strategy %s makes one step of the discriminator per step of the generator: set "
                                    "d-steps to 1 instead of %d, or choose the strategy %s.",
                             urb_strategy_names[self->strategy], self->n_d_steps, names);
  if (self->offload != NULL)
    return urb_options_fail (error, "With offload, the discriminator makes one step per step of the generator: set "
                                    "d-steps to 1 instead of %d, or leave out offload.", self->n_d_steps);
  return TRUE;
}

static gboolean
check_loss_scale (const UrbTrainOptions *self, GError **error)
{
  return self->loss_scale == 0 || urb_loss_scale_is_valid (self->loss_scale)
         || urb_options_fail (error, "The loss scale is a power of two, and %g is none: set loss-scale to %g.",
                              self->loss_scale, exp2 (round (log2 (self->loss_scale))));
}

gboolean
urb_train_options_check (const UrbTrainOptions *self, GError **error)
{
  const UrbRunConfig config = { .keep_checkpoints = 0, .train = *self };

  if (!check_group (&config, TRAIN_GROUP, error))
    return FALSE;
  if (urb_strategy_is_asynchronous (self->strategy) && self->n_ranks > URB_MAX_ASYNC_RANKS)
    return urb_options_fail (error, "The strategy %s has at most %d ranks.",
                             urb_strategy_names[self->strategy], URB_MAX_ASYNC_RANKS);
  return check_mesh (self, error) && (self->batch == 0 || check_batch (self, error))
         && check_gpus (self, error) && check_offload (self, error) && check_d_steps (self, error)
         && check_loss_scale (self, error) && urb_train_options_check_communicator (self, error);
}

gboolean
urb_run_config_check (const UrbRunConfig *self, GError **error)
{
  UrbStrategy strategy = self->train.strategy;
  int n = self->train.n_ranks;
  guint events;
  UrbQuietHours quiet;

  if (strategy == URB_STRATEGY_SINGLE && n > 1)
    return urb_options_fail (error, "“single” is one process; choose another strategy, as in ddp:%d.",
                             n);
  if (strategy == URB_STRATEGY_MESH && self->train.mesh == NULL)
    return check_mesh (&self->train, error);
  if (strategy != URB_STRATEGY_SINGLE && n == 0)
    return urb_options_fail (error, "How many ranks?  Write %s:2, for example, or --ranks 2.",
                             urb_strategy_names[strategy]);
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    {
      const UrbSetting *row = &urb_run_settings.rows[i];
      g_autofree char *name = NULL, *names = NULL;

      if (row->strategies == 0 || row->strategies & 1u << strategy || !urb_setting_is_set (row, self))
        continue;
      name = urb_setting_dup_stored_name (row);
      names = urb_strategies_join (row->strategies, " and ");
      return urb_options_fail (error, "%s is a setting of %s; the strategy is %s.", name, names,
                               urb_strategy_names[strategy]);
    }
  return check_group (self, RUN_GROUP, error) && urb_hook_parse_events (self->hook_on, &events, error)
         && urb_quiet_hours_parse (self->quiet_hours, &quiet, error)
         && urb_note_check (self->note, error) && urb_train_options_check (&self->train, error);
}
