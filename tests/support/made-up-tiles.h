/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made-up-tiles.h - datasets whose tiles are given as levels, as a network sees them.
 */
#pragma once

#include "dataset/dataset-writer.h"
#include "dataset/tile-codec.h"

/* The codes nearest to arbitrary levels; in a sharp tile, the largest channel wins. */
void made_up_codes (const guint8 *levels, UrbEncoding encoding, gboolean soft, int size_px,
                    guint8 *codes);

/* Adds an area with a tile of (size, size, channels) levels to a writer of @info's datasets. */
gboolean made_up_tile_add (UrbDatasetWriter *writer, const UrbDatasetInfo *info, const UrbArea *area,
                           const char *source, const guint8 *levels, GError **error);

/* Whether all tiles of the dataset @path can be read and match the checksum stored with them. */
gboolean made_up_tiles_are_intact (const char *path);

/* Stores the checksum of the tiles that are there now. */
void made_up_tiles_sign (const char *path);
