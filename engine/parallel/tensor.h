/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor.h - ranks that divide the layers' channels, and with them the weights (tensor parallelism).
 */
#pragma once

#include "parallel/pairs.h"
#include "settings/mesh.h"

G_BEGIN_DECLS

typedef struct
{
  const UrbMesh *mesh; /* borrowed; ranks along tensor divide channels, those along data have other samples */
  int         rank;
  int         n_base_layers; /* of the generator without its refiner */
  const UrbDivision *g, *d;  /* (n_layers), borrowed: of each network, from urb_pairs_choose() */
  double      bucket_mib;    /* gradients of layers that are not divided are summed together, MiB of fp32 */
} UrbTensorOptions;

/**
 * urb_program_make_tensor:
 * @program: a GAN's (step/build.h), built for this rank's part of each microbatch, with batch norm over
 *   all ranks' samples, and not planned yet; in a pipeline, with the layers of the rank (urb_program_lower()),
 *   which cuts no pair
 *
 * Layers that are not divided (urb_pairs_choose()) go on to process this rank's samples with all weights,
 * as under ddp, and their gradients are summed.  Of the others the rank holds a slice of weights, gradients,
 * moments, average and statistics, whose gradients are complete: it sees all samples.
 *
 *                    input             output            before            after
 *   COLUMN  forward, tangent  samples  channels   gather input
 *           dgrad    channels          samples                       reduce-scatter input's gradient
 *           wgrad                                 gather input
 *   ROW     forward, tangent  channels samples                       reduce-scatter output; bias, activation
 *           dgrad    samples           channels   gather output's gradient
 *           wgrad                                 gather output's gradient
 *
 * Afterwards the program's metrics are sums over all ranks.
 */
void urb_program_make_tensor (UrbProgram *program, const UrbTensorOptions *options);

G_END_DECLS
