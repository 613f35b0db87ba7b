/* SPDX-License-Identifier: Apache-2.0 */
/*
 * realism-panel.h - are the generated cities like real ones?  Evaluates a checkpoint
 * against the held-out areas of a dataset and shows what was found.
 */
#pragma once

#include <adwaita.h>

#include "app/cities/city-source.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_REALISM_PANEL (urbarium_realism_panel_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRealismPanel, urbarium_realism_panel, URBARIUM, REALISM_PANEL, AdwBin)

GtkWidget *urbarium_realism_panel_new            (void);

/* @checkpoint: (nullable): a .safetensors file; @dataset: (nullable): that of the checkpoint.
 * Ends an evaluation of another one; shows what was found before, if anything was. */
void       urbarium_realism_panel_set_checkpoint (UrbariumRealismPanel *self,
                                                  const char *checkpoint, const char *dataset);
/* Instead, until a checkpoint of another run is set: what the button of the dataset does. */
void       urbarium_realism_panel_choose_dataset (UrbariumRealismPanel *self, const char *dataset);
/* @source: (nullable): has the same checkpoint open, and draws the cities that are shown beside
 * real areas; they are not shown without it. */
void       urbarium_realism_panel_set_source     (UrbariumRealismPanel *self,
                                                  UrbariumCitySource *source);

G_END_DECLS
