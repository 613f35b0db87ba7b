/* SPDX-License-Identifier: Apache-2.0 */
/*
 * realism-panel.h - evaluates a checkpoint against the held-out areas of a dataset and shows how
 * realistic its cities are.
 */
#pragma once

#include <adwaita.h>

#include "app/cities/city-source.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_REALISM_PANEL (urbarium_realism_panel_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRealismPanel, urbarium_realism_panel, URBARIUM, REALISM_PANEL, AdwBin)

/* @checkpoint: (nullable): a .safetensors file; @dataset: (nullable): NULL: the checkpoint's own.
 * Cancels the evaluation of another checkpoint, and shows an earlier result if there is one. */
void       urbarium_realism_panel_set_checkpoint (UrbariumRealismPanel *self,
                                                  const char *checkpoint, const char *dataset);
/* Replaces the dataset until a checkpoint of another run is set, as the button does. */
void       urbarium_realism_panel_choose_dataset (UrbariumRealismPanel *self, const char *dataset);
/* @source: (nullable): draws the cities of the closest pairs, with the same checkpoint open; NULL
 * hides the pairs. */
void       urbarium_realism_panel_set_source     (UrbariumRealismPanel *self,
                                                  UrbariumCitySource *source);

G_END_DECLS
