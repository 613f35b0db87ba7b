/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep-past.h - what `train --several` left in a folder: its result, and where the same command goes
 * on.
 */
#pragma once

#include "cli/child-run.h"
#include "settings/sweep.h"

G_BEGIN_DECLS

#define URB_SWEEP_SUMMARY "summary.csv"

typedef enum
{
  URB_SWEEP_PAST_NONE,     /* not started yet */
  URB_SWEEP_PAST_STOPPED,
  URB_SWEEP_PAST_RUNNING,  /* somebody supervises it at this moment */
  URB_SWEEP_PAST_FINISHED
} UrbSweepPastState;

typedef struct
{
  UrbSweepPastState state;
  UrbChildPoint     last;         /* zeros: no step yet; its seconds are not known */
  double            images_per_s; /* of its last session; 0: not known */
} UrbSweepPast;

/* Reads the run in @folder. @n_steps: after how many it has finished; below 1: its own. */
void     urb_sweep_past_read  (UrbSweepPast *self, const char *folder, gint64 n_steps);

/* The first fields of a run's line in the summary: its name and values, each with a comma. */
char    *urb_sweep_dup_fields (const UrbSweepRun *run);

/**
 * urb_sweep_check_folder:
 *
 * Returns: %FALSE with a %URB_TRAIN_ERROR_OPTIONS if @folder has the summary of
 *   other runs than those of @sweep
 */
gboolean urb_sweep_check_folder (const UrbSweep *sweep, const char *folder, GError **error);

G_END_DECLS
