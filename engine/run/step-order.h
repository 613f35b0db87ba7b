/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step-order.h - steps of several workers, put into their order.
 *
 * Workers number their steps through one counter, but tell of them over
 * sockets of their own, so that a later one may be heard first.  Those who
 * read a history expect it in order.
 */
#pragma once

#include "train/trainer.h"

G_BEGIN_DECLS

typedef struct _UrbStepOrder UrbStepOrder;

/* @last: the newest step that needs not be waited for */
UrbStepOrder *urb_step_order_new  (gint64 last);
void          urb_step_order_free (UrbStepOrder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbStepOrder, urb_step_order_free)

/* A step that was there already is forgotten, so that nobody can make one come twice. */
void          urb_step_order_push (UrbStepOrder *self, const UrbStepMetrics *metrics);
/* What was held back need not wait any longer: who should have told of the
 * steps before is dead. */
void          urb_step_order_release (UrbStepOrder *self);
/* Returns: FALSE while there is none whose turn it is */
gboolean      urb_step_order_pop  (UrbStepOrder *self, UrbStepMetrics *metrics);

G_END_DECLS
