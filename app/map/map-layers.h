/* SPDX-License-Identifier: Apache-2.0 */
/* map-layers.h - how single layers are read: see UrbMapLayerOptions.  There are few, hence a list. */
#pragma once

#include "map/map.h"

G_BEGIN_DECLS

/* (element-type UrbMapLayerOptions), whose texts it owns. */
GArray  *urbarium_map_layers_new   (void);
GArray  *urbarium_map_layers_copy  (GArray *self);
gboolean urbarium_map_layers_equal (GArray *a, GArray *b);

/* Both texts are "" for a layer without choices. */
UrbMapLayerOptions urbarium_map_layers_get (GArray *self, const char *layer);
void               urbarium_map_layers_set (GArray *self, const char *layer, const char *profile,
                                            const char *crs);

G_END_DECLS
