/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-args.h - the settings of a run on the command lines of train, resume,
 * bench and plan.
 */
#pragma once

#include "settings/args.h"
#include "settings/run-config.h"

G_BEGIN_DECLS

typedef struct
{
  UrbSettingFlags command; /* one of TRAIN, RESUME, BENCH and PLAN */
  UrbSettingArgs *args;    /* owned */
  char           *config;  /* owned, nullable: a file, or "-" */
  gboolean        scale_lr, scale_batch;
  gboolean        seeks_batch; /* it is not used: the preset's is, or what ranks can divide of it */
} UrbCliRunArgs;

void     urb_cli_run_args_init  (UrbCliRunArgs *self, UrbSettingFlags command);
void     urb_cli_run_args_clear (UrbCliRunArgs *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbCliRunArgs, urb_cli_run_args_clear)

/* Adds the options that fill @self. */
void     urb_cli_run_args_add (UrbCliRunArgs *self, GOptionContext *options);

/* Whether a setting other than the steps was given. */
gboolean urb_cli_run_args_change_run (const UrbCliRunArgs *self);

/**
 * urb_cli_run_args_apply:
 * @config: (inout): defaults, or the configuration of the run to resume
 *
 * Sets what was given, first by --config.  With --strategy, all settings of
 * strategies start from their defaults.  A setting that the strategy does not
 * know is an error, not ignored: nobody should believe in a staleness bound
 * that is not there.  Relative paths in a file are relative to its folder, other
 * ones to the current folder; all are absolute afterwards.
 *
 * Returns: %FALSE with a %URB_TRAIN_ERROR_OPTIONS, or the error of a file that
 *   cannot be read
 */
gboolean urb_cli_run_args_apply (const UrbCliRunArgs *self, UrbRunConfig *config, GError **error);

/* Whether ranks that are started one by one can meet at the address of @config. */
gboolean urb_cli_run_args_check_master (const UrbRunConfig *config, GError **error);

/**
 * urb_cli_run_args_resolve:
 * @config: (inout): after urb_cli_run_args_apply()
 * @folder: (nullable): of a run to resume: its preset is there, and a run without a refiner goes on
 *   without one; %NULL: a new run
 * @notes: (nullable): gets a line on what --scale-batch and --scale-lr changed, and one if the dataset
 *   is too coarse for the preset's refiner
 *
 * Gives every setting that is not set its value from preset, recipe and dataset, then scales.
 *
 * Returns: %FALSE with the error of a file that cannot be read, or of urb_recipe_resolve()
 */
gboolean urb_cli_run_args_resolve (const UrbCliRunArgs *self, UrbRunConfig *config,
                                   const char *folder, GString *notes, GError **error);

G_END_DECLS
