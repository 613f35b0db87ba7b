/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy-options.c - see strategy-options.h.
 *
 * An option that the chosen strategy does not know is refused rather than
 * ignored: who asks for a staleness bound must not be left to believe that
 * there is one.
 */
#include "cli/strategy-options.h"

#include <math.h>
#include <string.h>

#include "train/device.h"
#include "settings/recipe.h"

#define BIT(strategy) (1u << (strategy))

enum
{
  ASYNCHRONOUS = BIT (URB_STRATEGY_HOGWILD) | BIT (URB_STRATEGY_STREAMS),
  SYNCHRONOUS = BIT (URB_STRATEGY_DP) | BIT (URB_STRATEGY_DDP)
};

void
urb_cli_strategy_options_clear (UrbCliStrategyOptions *self)
{
  g_clear_pointer (&self->strategy, g_free);
  g_clear_pointer (&self->communicator, g_free);
  g_clear_pointer (&self->sharing, g_free);
  g_clear_pointer (&self->hosts, g_free);
}

/* "hogwild, streams: …", less the first where it cannot be chosen. */
static const char *
of_ranks (const char *text, gboolean hogwild)
{
  return hogwild ? text : text + strlen ("hogwild, ");
}

/* What it is if it is not given; both are literals. */
#define OTHERWISE(text, usual) (resumed ? text " (as before)" : text " (" usual ")")

GArray *
urb_cli_strategy_options_get_entries (UrbCliStrategyOptions *self, UrbCliStrategyExtras extras)
{
  gboolean hogwild = (extras & URB_CLI_STRATEGY_HOGWILD) != 0;
  gboolean resumed = (extras & URB_CLI_STRATEGY_RESUMED) != 0;
  const GOptionEntry entries[] = {
    { "strategy", 0, 0, G_OPTION_ARG_STRING, &self->strategy,
      hogwild ? OTHERWISE ("single, hogwild, streams, dp or ddp, with the number of ranks: hogwild:2",
                           "single")
              : OTHERWISE ("single, streams, dp or ddp, with the number of ranks: streams:2", "single"),
      "NAME[:N]" },
    { "ranks", 0, 0, G_OPTION_ARG_INT, &self->n_ranks,
      OTHERWISE ("Processes or threads that train together", "the strategy's N"), "N" },
    { "communicator", 0, 0, G_OPTION_ARG_STRING, &self->communicator,
      OTHERWISE ("ddp: how ranks talk: threads, mpi, nccl or auto", "auto"), "NAME" },
    { "no-sync-batch-norm", 0, 0, G_OPTION_ARG_NONE, &self->no_sync_batch_norm,
      "dp, ddp: batch norm sees a rank's part of the batch only", NULL },
    { "bucket-mib", 0, 0, G_OPTION_ARG_DOUBLE, &self->bucket_mib,
      OTHERWISE ("ddp: MiB of gradients that travel together", "25"), "X" },
    { "local-moments", 0, 0, G_OPTION_ARG_NONE, &self->local_moments,
      of_ranks ("hogwild, streams: each rank has its own Adam moments", hogwild), NULL },
    { "staleness", 0, 0, G_OPTION_ARG_INT, &self->staleness,
      of_ranks (OTHERWISE ("hogwild, streams: steps that a rank may lead the slowest by; 0: any", "0"),
                hogwild),
      "N" },
    { "full-lr", 0, 0, G_OPTION_ARG_NONE, &self->full_lr,
      of_ranks ("hogwild, streams: do not divide the learning rates by the ranks", hogwild), NULL },
  };
  const GOptionEntry sharing[] = {
    { "sharing", 0, 0, G_OPTION_ARG_STRING, &self->sharing,
      OTHERWISE ("hogwild: parameters in file_descriptor or file_system memory", "file_descriptor"),
      "NAME" },
  };
  const GOptionEntry scaling[] = {
    { "scale-lr", 0, 0, G_OPTION_ARG_NONE, &self->scale_lr,
      "dp, ddp: learning rates x ranks, to go with --scale-batch", NULL },
    { "scale-batch", 0, 0, G_OPTION_ARG_NONE, &self->scale_batch,
      "dp, ddp: images per step x ranks", NULL },
  };
  const GOptionEntry hosts[] = {
    { "hosts", 0, 0, G_OPTION_ARG_FILENAME, &self->hosts,
      "ddp: start ranks on these hosts, as mpirun's --hostfile", "FILE" },
  };
  GArray *array = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));

  self->staleness = URB_CLI_STRATEGY_UNSET;
  self->bucket_mib = URB_CLI_STRATEGY_UNSET;
  g_array_append_vals (array, entries, G_N_ELEMENTS (entries));
  if (hogwild)
    g_array_append_vals (array, sharing, G_N_ELEMENTS (sharing));
  if (extras & URB_CLI_STRATEGY_SCALING)
    g_array_append_vals (array, scaling, G_N_ELEMENTS (scaling));
  if (extras & URB_CLI_STRATEGY_HOSTS)
    g_array_append_vals (array, hosts, G_N_ELEMENTS (hosts));
  return array;
}

static gboolean
fail (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
fail (GError **error, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS, message);
  return FALSE;
}

static void
replace (char **to, const char *from)
{
  g_free (*to);
  *to = g_strdup (from);
}

/* ------------------------------------------------------------------------ */
/* Strategy and ranks                                                        */

/* Another strategy begins with the defaults of all its options. */
static void
reset (UrbTrainOptions *options)
{
  g_auto(UrbTrainOptions) defaults = { 0 };

  urb_train_options_init (&defaults);
  options->n_ranks = defaults.n_ranks;
  options->sync_batch_norm = defaults.sync_batch_norm;
  options->bucket_mib = defaults.bucket_mib;
  options->local_moments = defaults.local_moments;
  options->staleness = defaults.staleness;
  options->stale_lr = defaults.stale_lr;
  replace (&options->communicator, defaults.communicator);
  replace (&options->sharing, defaults.sharing);
}

static gboolean
apply_strategy (const UrbCliStrategyOptions *self, UrbTrainOptions *options, GError **error)
{
  int n_ranks = 0;

  if (self->n_ranks < 0 || self->n_ranks > 4096)
    return fail (error, "--ranks must be from 1 to 4096.");
  if (self->strategy != NULL)
    {
      reset (options);
      if (!urb_strategy_parse (self->strategy, &options->strategy, &n_ranks, error))
        return FALSE;
      if (n_ranks > 0 && self->n_ranks > 0 && n_ranks != self->n_ranks)
        return fail (error, "--strategy says %d ranks and --ranks %d; leave one of them out.",
                     n_ranks, self->n_ranks);
    }
  if (n_ranks == 0)
    n_ranks = self->n_ranks;
  if (options->strategy == URB_STRATEGY_SINGLE && n_ranks > 1)
    return fail (error, "“single” is one process; choose hogwild:%d, streams:%d, dp:%d or ddp:%d.",
                 n_ranks, n_ranks, n_ranks, n_ranks);
  if (self->strategy != NULL && options->strategy != URB_STRATEGY_SINGLE && n_ranks == 0)
    return fail (error, "How many ranks?  Write %s:2, for example, or --ranks 2.", self->strategy);
  if (n_ranks > 0)
    options->n_ranks = n_ranks;
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* The other options                                                         */

/* Each option with the strategies that know it. */
static gboolean
check_strategy (const UrbCliStrategyOptions *self, UrbStrategy strategy, GError **error)
{
  const struct { const char *name; gboolean given; guint strategies; } rules[] = {
    { "--communicator", self->communicator != NULL, BIT (URB_STRATEGY_DDP) },
    { "--no-sync-batch-norm", self->no_sync_batch_norm, SYNCHRONOUS },
    { "--bucket-mib", self->bucket_mib != URB_CLI_STRATEGY_UNSET, BIT (URB_STRATEGY_DDP) },
    { "--local-moments", self->local_moments, ASYNCHRONOUS },
    { "--staleness", self->staleness != URB_CLI_STRATEGY_UNSET, ASYNCHRONOUS },
    { "--full-lr", self->full_lr, ASYNCHRONOUS },
    { "--sharing", self->sharing != NULL, BIT (URB_STRATEGY_HOGWILD) },
    { "--scale-lr", self->scale_lr, SYNCHRONOUS },
    { "--scale-batch", self->scale_batch, SYNCHRONOUS },
    { "--hosts", self->hosts != NULL, BIT (URB_STRATEGY_DDP) },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
    if (rules[i].given && !(rules[i].strategies & BIT (strategy)))
      {
        g_autoptr(GString) names = g_string_new (NULL);

        for (int s = 0; s < URB_N_STRATEGIES; s++)
          if (rules[i].strategies & BIT (s))
            g_string_append_printf (names, "%s%s", names->len > 0 ? " and " : "",
                                    urb_strategy_get_name ((UrbStrategy) s));
        return fail (error, "%s is an option of %s; the strategy is %s.", rules[i].name, names->str,
                     urb_strategy_get_name (strategy));
      }
  return TRUE;
}

static gboolean
check_values (const UrbCliStrategyOptions *self, GError **error)
{
  static const char *const sharings[] = { "file_descriptor", "file_system", NULL };

  if (self->sharing != NULL && !g_strv_contains (sharings, self->sharing))
    return fail (error, "There is no way of sharing “%s”; choose file_descriptor or file_system.",
                 self->sharing);
  if (self->staleness != URB_CLI_STRATEGY_UNSET && self->staleness < 0)
    return fail (error, "--staleness must be a number of steps; 0 sets no bound.");
  if (self->bucket_mib != URB_CLI_STRATEGY_UNSET
      && !(self->bucket_mib > 0 && self->bucket_mib <= 65536))
    return fail (error, "--bucket-mib must be above 0 and at most 65536.");
  return TRUE;
}

gboolean
urb_cli_strategy_options_are_given (const UrbCliStrategyOptions *self)
{
  return self->strategy != NULL || self->communicator != NULL || self->sharing != NULL
         || self->hosts != NULL || self->n_ranks != 0 || self->staleness != URB_CLI_STRATEGY_UNSET
         || self->bucket_mib != URB_CLI_STRATEGY_UNSET || self->no_sync_batch_norm
         || self->local_moments || self->full_lr || self->scale_lr || self->scale_batch;
}

static void
apply_values (const UrbCliStrategyOptions *self, UrbTrainOptions *options)
{
  if (self->communicator != NULL)
    replace (&options->communicator, self->communicator);
  if (self->sharing != NULL)
    replace (&options->sharing, self->sharing);
  if (self->staleness >= 0)
    options->staleness = self->staleness;
  if (self->bucket_mib > 0)
    options->bucket_mib = self->bucket_mib;
  if (self->no_sync_batch_norm)
    options->sync_batch_norm = FALSE;
  if (self->local_moments)
    options->local_moments = TRUE;
  if (self->full_lr)
    options->stale_lr = FALSE;
}

/* The linear scaling rule (Goyal et al. 2017, 1706.02677): k times the batch,
 * k times the rate.  The warm-up that it needs is the recipe's. */
static gboolean
scale (const UrbCliStrategyOptions *self, UrbTrainOptions *options, GError **error)
{
  g_auto(UrbTrainOptions) used = { 0 };
  g_autoptr(UrbPreset) preset = NULL;

  if (!self->scale_lr && !self->scale_batch)
    return TRUE;
  preset = urb_preset_load (options->preset, error);
  if (preset == NULL)
    return FALSE;
  urb_train_options_copy (&used, options);
  if (!urb_recipe_resolve (&used, preset, used.n_channels > 0 ? used.n_channels : 3, error))
    return FALSE;
  if (self->scale_batch)
    options->batch = used.batch * options->n_ranks;
  if (self->scale_lr)
    {
      options->lr_g = used.lr_g * options->n_ranks;
      options->lr_d = used.lr_d * options->n_ranks;
    }
  return TRUE;
}

char *
urb_cli_strategy_options_dup_scaling (const UrbCliStrategyOptions *self,
                                      const UrbTrainOptions *options)
{
  int n = options->n_ranks;
  g_autoptr(GString) text = NULL;

  if (!self->scale_lr && !self->scale_batch)
    return NULL;
  text = g_string_new (NULL);
  g_string_append_printf (text, "Scaled by %d rank%s: ", n, n == 1 ? "" : "s");
  if (self->scale_batch)
    g_string_append_printf (text, "batch %d → %d", options->batch / n, options->batch);
  if (self->scale_lr)
    g_string_append_printf (text, "%slearning rates %g (generator) and %g (discriminator) → %g and %g",
                            self->scale_batch ? "; " : "", options->lr_g / n, options->lr_d / n,
                            options->lr_g, options->lr_d);
  g_string_append_c (text, '.');
  return g_string_free (g_steal_pointer (&text), FALSE);
}

gboolean
urb_cli_strategy_options_apply (const UrbCliStrategyOptions *self, UrbTrainOptions *options,
                                GError **error)
{
  const char *obstacle;

  if (!apply_strategy (self, options, error) || !check_values (self, error)
      || !check_strategy (self, options->strategy, error))
    return FALSE;
  obstacle = urb_strategy_get_obstacle (options->strategy);
  if (obstacle != NULL)
    return fail (error, "The strategy %s cannot be run: %s; leave out --strategy to train in one "
                        "process.", urb_strategy_get_name (options->strategy), obstacle);
  apply_values (self, options);
  /* Also one that another version wrote into a run. */
  if (!urb_train_options_check_communicator (options, error))
    return FALSE;
  return scale (self, options, error);
}

gboolean
urb_cli_strategy_options_apply_hosts (const UrbCliStrategyOptions *self, UrbTrainOptions *options,
                                      char **hosts, GError **error)
{
  g_autofree char *text = NULL;

  if (self->strategy != NULL && self->hosts == NULL)
    g_clear_pointer (hosts, g_free); /* those of another strategy */
  if (self->hosts == NULL)
    return TRUE;
  if (strcmp (options->communicator, "threads") == 0)
    return fail (error, "Threads are of one host; leave out --hosts or --communicator threads.");
  if (!g_file_get_contents (self->hosts, &text, NULL, error))
    {
      g_prefix_error (error, "--hosts '%s' cannot be read; it has one host a line, as “name slots=2”, "
                             "this machine first: ", self->hosts);
      return FALSE;
    }
  if (*g_strstrip (text) == '\0')
    return fail (error, "--hosts: the file '%s' names no host; write one a line, as “name slots=2”, "
                        "this machine first.",
                 self->hosts);
  /* GPUs may talk otherwise; processes are started by MPI in either case. */
  if (strcmp (options->communicator, "auto") == 0 && urb_device_is_host (options->backend))
    replace (&options->communicator, "mpi");
  g_free (*hosts);
  *hosts = g_canonicalize_filename (self->hosts, NULL);
  return TRUE;
}
