/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history.h - what run.db tells of a run, thinned to what a page can show.
 */
#pragma once

#include "run/store/run-db.h"

G_BEGIN_DECLS

enum { URB_HISTORY_N_BINS = 400 };

/* Neighboring steps. */
typedef struct
{
  gint64 first_step, last_step; /* 0, 0: none */
  double images, seconds;       /* seen in these steps, and how long they took */
  struct
  {
    gint64 n;       /* steps with a finite value */
    double mean;    /* of these */
    double squares; /* sum of squared differences from the mean */
  } values[URB_N_METRICS];
} UrbHistoryBin;

typedef struct
{
  double time; /* seconds since 1970 */
  gint64 step;
  char  *level, *code, *text; /* owned */
  char  *subject; /* (nullable) owned; of "device": its name */
} UrbHistoryEvent;

/* A GPU of the run. */
typedef struct
{
  char  *name, *pci; /* owned */
  double time;       /* of the last reading */
  double joules, seconds; /* energy, and over how long its power was read; 0: not */
} UrbHistoryGpu;

typedef struct
{
  UrbHistoryBin bins[URB_HISTORY_N_BINS];
  int           n_sessions;
  double        begun, ended;  /* first and last record, seconds since 1970; 0: none */
  gint64        last_step;     /* 0: none */
  gint64        images;        /* seen by then */
  double        seconds;       /* of training */
  double        images_per_s;  /* on average; 0: unknown */
  GArray       *scores;        /* (element-type UrbScores) owned */
  GArray       *samples;       /* (element-type gint64) owned: steps of sample grids */
  GArray       *events;        /* (element-type UrbHistoryEvent) owned */
  GArray       *gpus;          /* (element-type UrbHistoryGpu) owned */
  double        processor_joules, processor_s; /* energy of all processors of the machine, and over how long it was
                                                * read; 0: not */
} UrbHistory;

#define URB_KWH_J 3.6e6 /* joules of a kilowatt-hour */

/* Blocks: reads all records, some seconds for a million steps.
 * Returns: (transfer full) */
UrbHistory      *urb_history_new  (UrbRunDb *db, GError **error);
void             urb_history_free (UrbHistory *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbHistory, urb_history_free)

/* The standard deviation of a metric in the steps of a bin. */
double           urb_history_bin_get_deviation (const UrbHistoryBin *self, UrbStepMetric metric);

/* The energy of all GPUs and processors, as far as it is known, in joules. */
double           urb_history_get_joules (const UrbHistory *self);

/* The lowest score of all plans. (nullable) (transfer none) */
const UrbScores *urb_history_get_best_score (const UrbHistory *self);
/* The newest one. (nullable) (transfer none) */
const UrbScores *urb_history_get_last_score (const UrbHistory *self);

G_END_DECLS
