/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fit.h - builds the program that moves a generator's input towards an image of which some pixels
 * are given.
 */
#pragma once

#include "step/program.h"

G_BEGIN_DECLS

/* The factor from a pixel's weight in the loss to UrbProgram.weights: the derivative of the cross
 * entropy with respect to the last layer's value before its activation is this times (y - t). */
float urb_fit_get_factor (const UrbNet *g);

/**
 * urb_program_new_fit:
 * @g: without batch norm; may be a part of a generator
 *
 * z (n, in), input -> images (n, s, s, c), output, and dz (n, in), output: for each sample the
 * gradient of its loss with respect to z.
 *
 * With p = (y + 1) / 2 for an image's values y and t for the target's in [0, 1], the loss is the
 * weighted sum over the pixels of the cross entropy -sum t log p, for a softmax; of the binary cross
 * entropy, for tanh; else of half the squared difference of y and 2 t - 1.
 *
 * Further inputs, for all samples alike: weights (s, s, c) = w urb_fit_get_factor (), the same
 * in all channels of a pixel, 0 where nothing is given; shifts (s, s, c) = -weights (2 t - 1).
 */
UrbProgram *urb_program_new_fit (const UrbNet *g, gint64 n);

G_END_DECLS
