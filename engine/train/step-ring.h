/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step-ring.h - what the host and the device exchange for a step: its inputs one way, its metrics the other.
 *
 * The rates, weights and seeds of a step are one block in the device's memory, sent by one copy.  The host has a
 * block for each of two steps, in pinned memory if there is a device: so it can prepare a step, and read the
 * metrics of the one before, while the device computes.
 */
#pragma once

#include "step/program.h"

G_BEGIN_DECLS

typedef struct _UrbStepRing UrbStepRing;

/* @program: planned on @backend; both borrowed, and must outlive the ring.
 * Fails with %URB_STEP_ERROR_MEMORY. */
UrbStepRing *urb_step_ring_new  (const UrbProgram *program, UkBackend *backend, GError **error);
/* After the device has done all steps. */
void         urb_step_ring_free (UrbStepRing *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbStepRing, urb_step_ring_free)

/* @memory: (n_buffers) for urb_interpreter_new(); filled in for the inputs. */
void urb_step_ring_lend (UrbStepRing *self, void **memory);

/* Sets @count elements of the input @buffer, from @first or 0 on, for @step.  The step two before it must be done. */
void urb_step_ring_set_reals (UrbStepRing *self, gint64 step, int buffer, gint64 first, const float *values,
                              gint64 count);
void urb_step_ring_set_words (UrbStepRing *self, gint64 step, int buffer, const guint64 *words, gint64 count);
/* Sends all inputs of @step, in order with the backend's work. */
gboolean urb_step_ring_send  (UrbStepRing *self, gint64 step, GError **error);

/* After the work of @step was submitted: lets the metrics @from (device memory) follow it.
 * @mark: (out): to wait for with urb_interpreter_finish(); then they are there */
gboolean     urb_step_ring_fetch (UrbStepRing *self, gint64 step, const void *from, int *mark, GError **error);
/* The @index-th metric of @step. */
float        urb_step_ring_get_metric (const UrbStepRing *self, gint64 step, gint64 index);

G_END_DECLS
