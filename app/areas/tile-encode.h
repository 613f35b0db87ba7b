/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-encode.h - one area, from the map to a picture: what a thread of the tile source does.
 */
#pragma once

#include "app/areas/tile-source.h"

G_BEGIN_DECLS

/* How tiles are made; immutable, counted, shared by the threads. */
typedef struct _UrbariumTileKind UrbariumTileKind;

UrbariumTileKind *urbarium_tile_kind_new   (UrbariumRanked *ranked);
UrbariumTileKind *urbarium_tile_kind_ref   (UrbariumTileKind *self);
void              urbarium_tile_kind_unref (UrbariumTileKind *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumTileKind, urbarium_tile_kind_unref)

const UrbariumSearch *urbarium_tile_kind_get_search (UrbariumTileKind *self);
gboolean urbarium_tile_kind_fits (UrbariumTileKind *self, UrbariumRanked *ranked);

UrbariumTile *urbarium_tile_encode (UrbariumTileKind *kind, const UrbSquare *square);
void          urbarium_tile_free   (UrbariumTile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumTile, urbarium_tile_free)

G_END_DECLS
