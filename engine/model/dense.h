/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dense.h - the dense layer at the beginning of a generator, for several areas at once.
 *
 * Areas overlap by half, so that a pixel of the map is the middle of one area as much as the edge of its
 * neighbor: a plan of n areas has 2 n - 1 along that edge, each with an input of its own.
 */
#pragma once

#include "model/net.h"

G_BEGIN_DECLS

/* The map of an input z: act (b + w z). */
typedef struct
{
  int    size;     /* s: the map is s x s pixels; even */
  int    n_channels, n_inputs;
  float *weights;  /* (s, s, c, n_inputs), owned */
  float *bias;     /* (s, s, c), owned */
  UkAct  act;
  float  slope;
} UrbDense;

/* @net: has passed urb_net_check_wide(); @params: (n_params) */
UrbDense *urb_dense_new  (const UrbNet *net, const float *params);
void      urb_dense_free (UrbDense *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbDense, urb_dense_free)

/* Overlapping areas in @n areas side by side. */
static inline int
urb_dense_count_parts (int n)
{
  return 2 * n - 1;
}

/**
 * urb_dense_compose:
 * @inputs: (rows, columns, n_inputs), of as many parts as urb_dense_count_parts() says
 * @n_latent: the first of each input are independent normal values
 * @map: (out) (@n_rows s, @n_cols s, c), overwritten
 *
 * What depends on latent values is added with weights whose squares add up to 1, all else with these squares.  So
 * the sums have the mean and the variance that the network knows from training; averages would be as gray as
 * no single area.
 */
void      urb_dense_compose (const UrbDense *self, const float *inputs, int n_latent, int n_cols,
                             int n_rows, float *map);

G_END_DECLS
