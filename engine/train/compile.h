/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile.h - the program of one rank, outside a trainer: to plan, to forecast, to calibrate.
 */
#pragma once

#include "train/network-pair.h"

G_BEGIN_DECLS

typedef struct
{
  UrbTrainOptions options; /* owned; resolved, as the dataset allows */
  UrbPreset      *preset;  /* owned */
  UrbNetworkPair  nets;    /* owned */
  UrbTileFormat   tiles;
  UkBackend      *backend; /* owned */
  UrbProgram     *program; /* owned; not planned */
} UrbCompiled;

void     urb_compiled_clear (UrbCompiled *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbCompiled, urb_compiled_clear)

/* @dataset: (nullable): NULL for random tiles.  @out: (out caller-allocates).  FALSE: the options
 * describe no run. */
gboolean urb_compile (const UrbTrainOptions *options, const UrbRank *context, UrbDataset *dataset,
                      UrbCompiled *out, GError **error);

/* As if its device were a GPU, on a machine without one: the program can be planned, but not run. */
gboolean urb_compile_on_paper (const UrbTrainOptions *options, const UrbRank *context, UrbCompiled *out,
                               GError **error);

G_END_DECLS
