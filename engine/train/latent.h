/* SPDX-License-Identifier: Apache-2.0 */
/*
 * latent.h - latent vectors on the way from one to another.
 *
 * Latent vectors are normal, so nearly all have about the same length, and a generator knows no others: the ways lead
 * along the sphere.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* @from, @to, @z: (n_inputs), of which the first @n_latent are the latent vector, and the rest go straight.
 * @t: from 0, which is @from, to 1, which is @to
 * @z: (out) */
void urb_latent_between (const float *from, const float *to, int n_latent, int n_inputs, double t, float *z);

/* Turns @z by @x right angles towards @across, and by @y towards @up; its length stays.
 * @z: (inout): (n_latent)
 * @across, @up: (inout): (n_latent): are made perpendicular to @z and to each other, and of length 1 */
void urb_latent_turn    (float *z, int n_latent, float *across, float *up, double x, double y);

G_END_DECLS
