/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spoil.h - makes real tiles as uncertain as generated ones.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * urb_spoil:
 * @levels: (inout): (@size_px, @size_px, @n_channels) bytes: shares of three classes, or grey
 * @seed, @image: the same numbers spoil a tile in the same way
 *
 * Blurs the tile, moves edges about, fades buildings and streets in places towards open land, and
 * adds noise; how much of each is drawn at random, down to nothing.  A refiner that learns to restore
 * such tiles also repairs what generators get wrong: round buildings, and streets that fade away.
 */
void urb_spoil (guint8 *levels, int size_px, int n_channels, guint64 seed, guint64 image);

G_END_DECLS
