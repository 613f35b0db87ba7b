/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step-order.h - puts the steps of several ranks into order.
 *
 * Asynchronous ranks number their steps through one counter, but report them through queues or
 * sockets of their own, so that a later step may arrive first.  A history needs them in order.
 *
 * Each rank reports its own steps in order.  So a missing step is lost (its worker died before the
 * report) once all ranks present have reported later ones.
 */
#pragma once

#include "settings/metrics.h"

G_BEGIN_DECLS

typedef struct _UrbStepOrder UrbStepOrder;

/* @last: the last step before the first to return.  No rank is present yet. */
UrbStepOrder *urb_step_order_new  (gint64 last, int n_workers);
void          urb_step_order_free (UrbStepOrder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbStepOrder, urb_step_order_free)

/* A rank starts: its steps come after all reported so far. */
void          urb_step_order_add_rank (UrbStepOrder *self, int worker);
/* A rank has ended, and all its reports were pushed. */
void          urb_step_order_remove_rank   (UrbStepOrder *self, int worker);

/* Ignores a step that was pushed before. */
void          urb_step_order_push (UrbStepOrder *self, int worker, const UrbStepMetrics *metrics);
/* All steps done have been pushed: gaps are not waited for. */
void          urb_step_order_release (UrbStepOrder *self);
/* Returns: FALSE if no step can be returned yet */
gboolean      urb_step_order_pop  (UrbStepOrder *self, UrbStepMetrics *metrics);

G_END_DECLS
