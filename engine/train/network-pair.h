/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network-pair.h - generator and discriminator as the recipe defines them, and the program that
 * trains them.
 */
#pragma once

#include "model/networks.h"
#include "parallel/rank.h"
#include "settings/run-config.h"
#include "step/build.h"
#include "train/loader.h"

G_BEGIN_DECLS

/* For benchmarks with random tiles. */
#define URB_DEFAULT_AREA_SIZE_M 250.0

typedef struct
{
  UrbNet *g, *d;   /* owned; g with the refiner's layers, if there is one */
  UrbNet *base;    /* owned; g without them */
  UrbNet *refiner; /* (nullable) owned; the refiner alone, for crops */
  int     shares_box; /* of the shares that g is given; 0: none */
} UrbNetworkPair;

/* @options: resolved. */
/* Leaves out the refiner if there is none in @preset, or no tiles of its resolution in @dataset
 * (nullable). */
void        urb_train_options_fit_dataset (UrbTrainOptions *options, const UrbPreset *preset,
                                           UrbDataset *dataset);
/* The tiles that @options, resolved, need from @dataset (nullable). */
UrbTileFormat urb_train_options_get_tiles (const UrbTrainOptions *options, const UrbPreset *preset,
                                           UrbDataset *dataset);
/* @area_size_m: the edge of a tile's area */
gboolean    urb_network_pair_build (UrbNetworkPair *self, const UrbPreset *preset,
                                    const UrbTrainOptions *options, double area_size_m, GError **error);
void        urb_network_pair_clear (UrbNetworkPair *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbNetworkPair, urb_network_pair_clear)
/* The program of @rank, for its strategy and tiles in the format @tiles.  NULL with an error if the
 * networks cannot be divided over that many ranks. */
UrbProgram *urb_network_pair_compile (const UrbNetworkPair *self, const UrbTrainOptions *options,
                                      const UrbRank *rank, const UrbTileFormat *tiles, GError **error);
/* The tiles that the rank's loader reads; count is 0 if it needs none. */
UrbShard    urb_train_options_get_shard (const UrbTrainOptions *options, const UrbRank *rank);
/* The number of devices of a machine over which the ranks are spread; at least 1. */
int         urb_train_options_count_devices (const UrbTrainOptions *options);
/* The threads of each of @n_local ranks, which share a machine; at least 1. */
int         urb_train_options_count_threads (const UrbTrainOptions *options, int n_local);
/* Opens the backend of @rank with its share of threads; NULL with a %URB_TRAIN_ERROR. */
UkBackend  *urb_train_options_open_backend (const UrbTrainOptions *options, const UrbRank *rank,
                                            GError **error);

G_END_DECLS
