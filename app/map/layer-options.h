/* SPDX-License-Identifier: Apache-2.0 */
/* layer-options.h - a button for how one layer is read: as which kind of map, in which coordinate system. */
#pragma once

#include <adwaita.h>

#include "app/map/map-document.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_LAYER_OPTIONS (urbarium_layer_options_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumLayerOptions, urbarium_layer_options, URBARIUM, LAYER_OPTIONS, AdwBin)

GtkWidget *urbarium_layer_options_new    (UrbariumMapDocument *document, const char *layer);
/* Call it after choices were made elsewhere. */
void       urbarium_layer_options_update (UrbariumLayerOptions *self);

G_END_DECLS
