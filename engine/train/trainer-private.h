/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trainer-private.h - what a crew does with one trainer of its own.
 */
#pragma once

#include "train/trainer.h"

G_BEGIN_DECLS

/* One step of this rank alone; metrics->step is 0 where none was left. */
gboolean urb_trainer_step_alone (UrbTrainer *self, UrbStepMetrics *metrics, GError **error);

/* Asynchronous ranks.  Begins to work on the shared parameters: rank 0 says that they are filled, the
 * others wait for that.  Nothing if it has begun. */
gboolean urb_trainer_begin (UrbTrainer *self, GError **error);
/* Nobody waits for this rank any more.  Nothing if it has not begun. */
void     urb_trainer_leave (UrbTrainer *self);

G_END_DECLS
