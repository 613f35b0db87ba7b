/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy-options.h - the options that say how many processes or threads
 * train one GAN, and how they share the work: docs/strategies.md.
 */
#pragma once

#include "train/trainer.h"

G_BEGIN_DECLS

/* What a command offers besides the strategy itself. */
typedef enum
{
  URB_CLI_STRATEGY_SCALING = 1 << 0, /* --scale-lr, --scale-batch: not twice, hence not to resume */
  URB_CLI_STRATEGY_HOSTS   = 1 << 1, /* --hosts */
  URB_CLI_STRATEGY_HOGWILD = 1 << 2, /* its ranks are processes of a supervisor: not for bench */
  URB_CLI_STRATEGY_RESUMED = 1 << 3  /* what is not given is as before, and help says so */
} UrbCliStrategyExtras;

/* A number that nobody means. */
#define URB_CLI_STRATEGY_UNSET G_MININT

typedef struct
{
  char    *strategy, *communicator, *sharing, *hosts; /* owned; NULL: not given */
  int      n_ranks;    /* 0: not given */
  int      staleness;  /* URB_CLI_STRATEGY_UNSET: not given */
  double   bucket_mib; /* URB_CLI_STRATEGY_UNSET: not given */
  gboolean no_sync_batch_norm, local_moments, full_lr, scale_lr, scale_batch;
} UrbCliStrategyOptions;

void     urb_cli_strategy_options_clear (UrbCliStrategyOptions *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbCliStrategyOptions, urb_cli_strategy_options_clear)

/* (element-type GOptionEntry): entries that fill @self; append your own; g_array_unref() it. */
GArray  *urb_cli_strategy_options_get_entries (UrbCliStrategyOptions *self,
                                               UrbCliStrategyExtras extras);

/* Whether any of them was given. */
gboolean urb_cli_strategy_options_are_given (const UrbCliStrategyOptions *self);

/**
 * urb_cli_strategy_options_apply:
 * @options: with the preset, recipe and batch that the user chose: what is scaled
 *   starts from there
 *
 * Without --strategy, @options keep theirs, and change where an option was
 * given.  With one, all that was not given is as by default.
 *
 * Returns: %FALSE with a %URB_TRAIN_ERROR_OPTIONS if the options do not go together
 */
gboolean urb_cli_strategy_options_apply (const UrbCliStrategyOptions *self,
                                         UrbTrainOptions *options, GError **error);

/**
 * urb_cli_strategy_options_apply_hosts:
 * @options: after urb_cli_strategy_options_apply()
 * @hosts: (inout) (nullable): an absolute path, replaced if --hosts was given
 *
 * Returns: %FALSE if the file cannot be read, or the strategy stays on one host
 */
gboolean urb_cli_strategy_options_apply_hosts (const UrbCliStrategyOptions *self,
                                               UrbTrainOptions *options, char **hosts,
                                               GError **error);

/* What --scale-batch and --scale-lr made of @options, which apply() has filled, as a
 * sentence.  Returns: (transfer full) (nullable): %NULL if neither was given */
char    *urb_cli_strategy_options_dup_scaling (const UrbCliStrategyOptions *self,
                                               const UrbTrainOptions *options);

G_END_DECLS
