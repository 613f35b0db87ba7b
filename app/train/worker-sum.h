/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker-sum.h - what all processes of a run use of the processor of this machine.
 *
 * Ranks of other hosts tell nothing of what they use (parallel/board.h), so they are not in the sum.
 */
#pragma once

#include "app/runs/run.h"

G_BEGIN_DECLS

typedef struct
{
  double cores_busy;
  gint64 memory_bytes;
  int    n_alive; /* that have told what they use */
} UrbariumWorkerSum;

/* Adds those of a run. */
void   urbarium_worker_sum_add        (UrbariumWorkerSum *self, UrbariumRun *run);
/* As shares of this machine. */
double urbarium_worker_sum_get_load   (const UrbariumWorkerSum *self);
double urbarium_worker_sum_get_memory (const UrbariumWorkerSum *self); /* NaN: unknown */

G_END_DECLS
