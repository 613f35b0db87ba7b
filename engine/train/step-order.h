/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step-order.h - steps of several workers, put into their order.
 *
 * Workers number their steps through one counter, but tell of them over
 * sockets of their own, so that a later one may be heard first.  Those who
 * read a history expect it in order.
 *
 * A worker tells of its own steps in their order.  So a step that nobody has
 * told of is missed for good, its worker having died before it could, once
 * everybody who is there has told of a later one.
 */
#pragma once

#include "settings/metrics.h"

G_BEGIN_DECLS

typedef struct _UrbStepOrder UrbStepOrder;

/* @last: the newest step that needs not be waited for.  Nobody is there yet. */
UrbStepOrder *urb_step_order_new  (gint64 last, int n_workers);
void          urb_step_order_free (UrbStepOrder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbStepOrder, urb_step_order_free)

/* A worker began: whatever it does comes after all that was told so far. */
void          urb_step_order_come (UrbStepOrder *self, int worker);
/* It ended, and all it said was pushed. */
void          urb_step_order_go   (UrbStepOrder *self, int worker);

/* A step that was there already is forgotten, so that nobody can make one come twice. */
void          urb_step_order_push (UrbStepOrder *self, int worker, const UrbStepMetrics *metrics);
/* What was held back need not wait any longer: all that was done has been pushed. */
void          urb_step_order_release (UrbStepOrder *self);
/* Returns: FALSE while there is none whose turn it is */
gboolean      urb_step_order_pop  (UrbStepOrder *self, UrbStepMetrics *metrics);

G_END_DECLS
