/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.h - builds the programs of a GAN iteration and of a generator alone.
 */
#pragma once

#include "step/program.h"

G_BEGIN_DECLS

/* The part of a box that buildings must cover to count as large ones. */
#define URB_SHARES_LEVEL 0.5f

typedef struct
{
  const UrbNet *g, *d;       /* borrowed by the program */
  const UrbNet *refiner;     /* (nullable) the end of g, for crops: urb_preset_build_refiner() */
  const UrbNet *base;        /* g without the refiner; NULL if there is none */
  gint64   batch;            /* real images of each step of a network, over all ranks */
  int      n_d_steps;        /* of D before that of G; 0 means 1 */
  int      n_microbatches;   /* gradients accumulate over them */
  int      rank, n_ranks;    /* n_ranks * n_microbatches divides batch; 0 ranks means 1 */
  gboolean relativistic;     /* RpGAN pairing rather than binary cross entropy */
  gboolean penalty;          /* R1 + R2; only for a piecewise linear D without batch norm */
  gboolean augment;          /* DiffAugment in front of D */
  gboolean first_moment;     /* Adam with beta1 > 0 */
  double   label_smoothing;  /* the label of reals in D's step is 1 minus this */
  gboolean tile_bits;        /* tiles are bits rather than bytes: see UK_OP_LOAD */
  int      shares_box;       /* g is given shares: the edge of their boxes (UK_OP_SHARES); 0: it is not */
  double   shares_weight;    /* of the loss on them */
  int      sync_ranks;       /* ranks that batch norm synchronizes over; at most 1: none */
  guint    sync_axes;        /* axes of a mesh along which they lie; 0: all ranks */
} UrbGanOptions;

/* Samples of a rank in each microbatch. */
gint64 urb_gan_options_get_n     (const UrbGanOptions *self);
/* Index in the whole batch of the rank's first sample in @microbatch. */
gint64 urb_gan_options_get_first (const UrbGanOptions *self, int microbatch);

/**
 * urb_program_new_gan:
 *
 * One iteration: D's steps, each with images and noise of its own, then G's, with those of the last one.  Each
 * rank processes an equal part of every
 * microbatch.  Random numbers depend on a sample's index in the whole batch, and losses
 * and penalties are shares of the whole batch's mean.  So the sum of all ranks'
 * gradients, which a rewrite must insert, equals that of one rank with the whole batch.
 *
 * Inputs: tiles (this rank's, s, s, c) u8 or bits, rng, penalty (gamma / batch * p^2 / s, and p),
 * augment = probability, the networks' hyper: of D one for each of its steps.  Output: metrics.
 *
 * Gradients of either network, before its update, are s = hyper[UK_HYPER_LOSS_SCALE] times those of its loss
 * (loss scaling: Micikevicius et al. 2017, 1710.03740); p is program->penalty_scale.  Metrics are those of the
 * losses, but for squares: R1 and R2 are times (s / p)^2, those of the refiner and of shares times s^2.
 *
 * With a refiner, each microbatch's tiles are followed by as many spoilt crops, and by the
 * same crops at full resolution (u8), which the refiner learns to restore: the gradient of
 * its mean squared error is part of g's, in a range of its own.  Further input: refine, minus
 * program->refine_weight times s.
 *
 * With shares, the input of g is z and the shares of the real image with the same index in the batch, as
 * program->shares normalizes them, so that reals and fakes have the same joint distribution of shares, and
 * relativistic pairs are alike.  The loss of g includes shares_weight times the mean squared difference
 * of the shares of its images from those.  D needs no conditions: shares are a function of the image.
 * Further input: shares, the last of it times s.
 *
 * Under r3 (relativistic, penalty) reals and fakes pass D together, and the
 * gradient of R1 + R2 is exact without second-order code: D is piecewise linear
 * and its samples are independent, so a unit cotangent gives every sample's
 * input gradient v, a tangent pass along v (a forward pass with the stored
 * masks) gives u, and one weight gradient of c a + k u against the deltas
 * serves loss and penalty (Etmann 2019, 1906.06637; R3GAN 2501.05441).
 */
UrbProgram *urb_program_new_gan (const UrbGanOptions *options);

typedef enum
{
  URB_STATISTICS_BATCH, /* of these samples; they replace the running statistics */
  URB_STATISTICS_GIVEN  /* the running statistics */
} UrbStatistics;

/* z (n, latent), input -> images (n, s, s, c), output; z is (n, h, w, c) for a network that begins with a map of
 * features (model/wide.h).  Its interpreter usually borrows parameters and state. */
UrbProgram *urb_program_new_generator (const UrbNet *g, gint64 n, UrbStatistics statistics);

G_END_DECLS
