/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lr-schedule.h - how the learning rates change while a run trains.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  URB_LR_SCHEDULE_OF_RECIPE = -1, /* not set */
  URB_LR_SCHEDULE_CONSTANT,
  URB_LR_SCHEDULE_LINEAR,
  URB_LR_SCHEDULE_COSINE,
  URB_LR_SCHEDULE_STEP,
  URB_LR_SCHEDULE_ONE_CYCLE
} UrbLrSchedule;

/* By value, NULL-terminated: "constant", "linear" … */
extern const char *const urb_lr_schedule_names[];

/* Half a cosine from @start (@t 0) to @end (@t 1 and above). */
double urb_cosine (double start, double end, double t);

/**
 * urb_lr_schedule_get_share:
 * @t: share of the schedule that is done, at least 0; beyond 1 it is as at 1
 * @final: share of the learning rate at 1
 * @n_drops: of %URB_LR_SCHEDULE_STEP
 *
 * Depends on nothing else, so that it is the same after every resume and on every rank.
 *
 * Returns: the factor for the learning rate
 */
double urb_lr_schedule_get_share (UrbLrSchedule self, double t, double final, int n_drops);

G_END_DECLS
