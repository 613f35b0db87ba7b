/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pairs.h - which layers tensor parallel ranks divide.
 *
 * A value is divided among the ranks by samples or by channels.  A convolution that makes some channels
 * of all samples and one that reads them are a pair (Megatron-LM: Shoeybi et al., 1909.08053), with
 * operations on each channel between them.  Before and after a pair values are divided by samples
 * (Korthikanti et al., 2205.05198), which are contiguous in NHWC.
 */
#pragma once

#include "step/program.h"

G_BEGIN_DECLS

/* What a rank computes of a layer. */
typedef enum
{
  URB_DIVISION_SAMPLES,  /* its samples, with all weights */
  URB_DIVISION_CHANNELS, /* its channels of all samples: not of convolutions, which mix channels */
  URB_DIVISION_COLUMN,   /* its output channels of all samples, from all input channels */
  URB_DIVISION_ROW       /* of all samples, what its input channels contribute to all output channels */
} UrbDivision;

/* Which layers are divided. */
typedef enum
{
  URB_DIVISION_FOR_SPEED, /* those for which that is estimated to be faster than to sum their gradients */
  URB_DIVISION_OF_MOST    /* as many parameters as possible */
} UrbDivisionAim;

/**
 * urb_pairs_choose:
 * @program: of a rank that has a part of the samples, not planned yet
 * @slot: the network: the program's g or d
 * @n_base_layers: of the generator without its refiner
 * @n_ranks: layers whose channels are not a multiple of it are not divided
 *
 * Finds the cheapest choice by dynamic programming over the layers.  Values that several layers read, such
 * as those around a residual block, are divided by samples.
 *
 * Returns: (transfer full): (n_layers)
 */
UrbDivision *urb_pairs_choose (const UrbProgram *program, const UrbProgramNet *slot, int n_base_layers,
                               int n_ranks, UrbDivisionAim aim);

G_END_DECLS
