/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep.h - lists of values, and all runs that they make.
 */
#pragma once

#include "settings/run-config.h"

G_BEGIN_DECLS

typedef struct
{
  char  *name;    /* owned; folder: "seed-1", "seed-1_gamma-0.5" */
  char **values;  /* owned; one for each key of the sweep */
} UrbSweepRun;

typedef struct
{
  GPtrArray *keys; /* of char, owned: options of `train` without their dashes */
  GPtrArray *runs; /* of UrbSweepRun, owned; the last key changes fastest */
} UrbSweep;

/**
 * urb_sweep_parse:
 * @lists: (array zero-terminated=1): "seed=1,2,3", "gamma=0.5,1"
 *
 * Returns: %NULL with a %URB_TRAIN_ERROR_OPTIONS if a key is unknown, a value is
 *   no value of it, or two runs would be the same; with that of
 *   urb_preset_load() if a preset cannot be read
 */
UrbSweep *urb_sweep_parse (const char *const *lists, GError **error);
void      urb_sweep_free  (UrbSweep *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbSweep, urb_sweep_free)

/**
 * urb_sweep_apply:
 * @config: what all runs have; gets the values of @run
 *
 * A strategy, as in "ddp:2", resets what only other strategies know.
 *
 * Returns: %FALSE with a %URB_TRAIN_ERROR_OPTIONS if a value is none of its setting; it begins with the
 *   setting's key
 */
gboolean  urb_sweep_apply (const UrbSweep *self, const UrbSweepRun *run, UrbRunConfig *config, GError **error);

/**
 * urb_sweep_make_config:
 * @common: what all runs have; its threads are those of all that train at a time, and its name, if any, begins their
 *   names
 * @n_at_once: the most runs that train at a time; may be more than there are
 * @config: (out): owned by the caller, also if it fails
 *
 * Returns: %FALSE with the error of urb_sweep_apply() or urb_run_config_check()
 */
gboolean  urb_sweep_make_config (const UrbSweep *self, const UrbSweepRun *run, const UrbRunConfig *common, guint n_at_once,
                                 UrbRunConfig *config, GError **error);

G_END_DECLS
