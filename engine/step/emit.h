/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.h - one network's passes as instructions: forward, backward, tangent.
 *
 * Every instruction writes fresh buffers; the planner decides what shares memory.
 */
#pragma once

#include "step/program.h"

G_BEGIN_DECLS

/* Results of a forward pass that the other passes use.  Shapes have @n samples in front. */
typedef struct
{
  const UrbProgramNet *slot; /* borrowed */
  gint64   n;
  int      n_groups;
  UrbView *values;  /* (n_layers + 1): the input, then each layer's output */
  UrbView *means;   /* (n_layers): batch norm's (n_groups, c), else none */
  UrbView *inv_stds;
} UrbActivations;

UrbActivations *urb_activations_new  (const UrbProgramNet *slot, gint64 n, int n_groups);
void            urb_activations_free (UrbActivations *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbActivations, urb_activations_free)

typedef enum
{
  URB_BATCH_NORM_TRAIN,  /* batch statistics, running ones updated */
  URB_BATCH_NORM_REPLAY, /* batch statistics only: repeats a forward pass */
  URB_BATCH_NORM_GIVEN   /* running statistics */
} UrbBatchNormMode;

typedef struct
{
  UrbProgram *program;
  int         microbatch;
  int         sync_ranks; /* ranks whose samples share batch norm's statistics, with equally many
                           * samples each; at most 1: only this rank's */
  guint       sync_axes;  /* along which they lie; 0: all ranks */
} UrbEmitter;

/* @n_groups: equal parts of the samples, each with batch statistics of its own; @input: (n, in); @output:
 * where the last layer writes, or URB_NO_VIEW for a fresh buffer. */
UrbActivations *urb_emit_forward (UrbEmitter *self, const UrbProgramNet *slot, gint64 n, int n_groups,
                                  UrbView input, UrbView output, UrbBatchNormMode mode);

typedef struct
{
  gint64   first, n;     /* range of samples of the activations: whole groups, if there is batch norm */
  gboolean want_params;  /* weight, bias and batch norm gradients */
  gboolean only_biases;  /* of the parameters: the tangent pass computes the weights' gradients */
  gboolean want_input;
  gboolean before_act;   /* @dout is the gradient before the last layer's activation */
  gboolean accumulate;   /* add to the gradients */
  UrbView  scale;        /* (n) factors of the samples for the biases, or URB_NO_VIEW for 1 */
  UrbView *deltas;       /* (nullable) (n_layers): receives each layer's delta */
} UrbBackwardOptions;

/* @dout: (n, out).  Returns the gradient of the input, or URB_NO_VIEW. */
UrbView urb_emit_backward (UrbEmitter *self, const UrbActivations *acts, UrbView dout,
                           const UrbBackwardOptions *options);

/* The tangent pass along @v (n, in), with the weight gradients of c[n] a + k u against
 * @deltas.  @c: (n); @k: (1). */
void urb_emit_tangent (UrbEmitter *self, const UrbActivations *acts, UrbView v, UrbView c,
                       UrbView k, const UrbView *deltas, gboolean accumulate);

/* @view advanced by @n samples of @shape. */
UrbView urb_view_skip (UrbView view, UkShape shape, gint64 n);

G_END_DECLS
