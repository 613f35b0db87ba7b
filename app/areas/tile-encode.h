/* SPDX-License-Identifier: Apache-2.0 */
/* tile-encode.h - draws an area of the map as a tile, for the threads of the tile source. */
#pragma once

#include "app/areas/tile-source.h"

G_BEGIN_DECLS

/* The encoding of tiles; immutable, reference-counted, shared by the threads. */
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
