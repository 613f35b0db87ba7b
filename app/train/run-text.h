/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-text.h - a run's state and progress as text, and the commands that apply to it.
 */
#pragma once

#include "app/runs/run-library.h"

G_BEGIN_DECLS

/* Style class of the run's dot. */
const char *urbarium_run_text_dot_class (UrbariumRun *run);
/* (transfer full): "Running", "Waiting, number 2 in the queue" */
char *urbarium_run_text_dup_state    (UrbariumRun *run);
/* (transfer full): "Step 120 of 12,000" */
char *urbarium_run_text_dup_steps    (UrbariumRun *run);
/* (transfer full) (nullable): "Hogwild, 2 processes"; NULL for one process */
char *urbarium_run_text_dup_strategy (UrbariumRun *run);
/* (transfer full) (nullable): "210 images/s" */
char *urbarium_run_text_dup_speed    (UrbariumRun *run);
/* (transfer full) (nullable): "5 min left" */
char *urbarium_run_text_dup_left     (UrbariumRun *run);
double urbarium_run_text_get_fraction (UrbariumRun *run);
/* Whether a worker trains or is about to. */
gboolean urbarium_run_text_is_active (UrbariumRun *run);

typedef enum
{
  URBARIUM_RUN_CAN_PAUSE = 1 << 0,
  URBARIUM_RUN_CAN_RESUME = 1 << 1,
  URBARIUM_RUN_CAN_STOP = 1 << 2,
  URBARIUM_RUN_CAN_WRITE = 1 << 3, /* a checkpoint or a sample now */
  URBARIUM_RUN_CAN_EXTEND = 1 << 4,
  URBARIUM_RUN_CAN_ROLL_BACK = 1 << 5,
  URBARIUM_RUN_CAN_DELETE = 1 << 6
} UrbariumRunCan;

UrbariumRunCan urbarium_run_text_get_can (UrbariumRun *run);

G_END_DECLS
