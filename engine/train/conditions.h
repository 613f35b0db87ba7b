/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conditions.h - the shares that a conditioned generator is given: how much of an area is built, how much
 * is road, and how much is large buildings.
 *
 * They are measured of training tiles by the operation that also measures generated images
 * (UK_OP_SHARES).  The rows of up to 1024 tiles stand for their joint distribution, in a checkpoint too:
 * conditions are drawn from them, and they define the mean and the scale of the generator's input.
 */
#pragma once

#include "dataset/dataset.h"
#include "kernels/uk.h"
#include "train/safetensors.h"

G_BEGIN_DECLS

typedef enum { URB_SHARE_BUILT, URB_SHARE_ROAD, URB_SHARE_LARGE } UrbShare;

/* "built", "roads", "halls" */
extern const char *const urb_share_names[UK_N_SHARES + 1];

/* What is asked of an area, from 0 to 1; negative: as in the data. */
typedef struct
{
  double share[UK_N_SHARES];
} UrbShareWish;

#define URB_SHARES_AS_IN_DATA ((UrbShareWish) { { -1, -1, -1 } })

typedef struct
{
  int    n_rows;
  float *rows;   /* (n_rows, 3), owned: shares of training tiles, from 0 to 1 */
  double mean[UK_N_SHARES];
  double inv_std[UK_N_SHARES]; /* 0 for a share that is the same in all rows */
  double low[UK_N_SHARES], high[UK_N_SHARES]; /* 1st and 99th percentile */
} UrbConditions;

/* The name of their tensor in a checkpoint. */
#define URB_CONDITIONS_TENSOR "conditions"

/* The edge in pixels of the boxes that tell large buildings: about 20 m, odd. */
int urb_conditions_get_box (int size_px, double area_size_m);

/* @rows: (transfer full) (@n_rows, 3), at least one row */
UrbConditions *urb_conditions_new  (float *rows, int n_rows);
void           urb_conditions_free (UrbConditions *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbConditions, urb_conditions_free)

/* Of training tiles at @size_px, evenly spaced; %NULL with an error if one cannot be read. */
UrbConditions *urb_conditions_measure (UrbDataset *dataset, int size_px, GError **error);
/* For the random tiles of a benchmark. */
UrbConditions *urb_conditions_new_for_benchmark (void);
/* Of a checkpoint; %NULL with a %URB_TRAIN_ERROR_CHECKPOINT if it has none, or unusable ones. */
UrbConditions *urb_conditions_read (UrbSafetensors *file, const char *path, GError **error);

/* The shares of images.  @levels: (@n, @size_px, @size_px, @n_channels) bytes; @shares: (out): (@n, 3) */
gboolean urb_conditions_measure_images (const guint8 *levels, gint64 n, int size_px, int n_channels,
                                        double area_size_m, float *shares, GError **error);

/* The argument `scale` of UK_OP_SHARES that normalizes shares.  @scale: (out): (2, 3) */
void urb_conditions_get_scale (const UrbConditions *self, float scale[2 * UK_N_SHARES]);

/**
 * urb_conditions_draw:
 * @wish: what is asked
 * @shares: (out): (3), from 0 to 1
 *
 * The shares of city @index of @seed.  What is asked for is given.  The other shares are those of a
 * training tile, drawn with weights that fall with its distance from what is asked for: a Gaussian kernel
 * with the bandwidth of Scott's rule (Scott 1992, Multivariate Density Estimation, 6.3), so that they
 * follow their conditional distribution.
 */
void urb_conditions_draw (const UrbConditions *self, const UrbShareWish *wish, guint64 seed,
                          gint64 index, float shares[UK_N_SHARES]);

/* @shares, minus the mean and divided by the standard deviation: what the generator is given. */
void urb_conditions_normalize (const UrbConditions *self, const float shares[UK_N_SHARES],
                               float out[UK_N_SHARES]);

G_END_DECLS
