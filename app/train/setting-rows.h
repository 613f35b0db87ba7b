/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setting-rows.h - rows for settings of a run, and the configuration that they show and change.
 *
 * The rows are made from the table of settings.  An entry that is empty means "not set"; its
 * placeholder shows the value that is then used, as the recipe, the preset or the machine provide it.
 * An entry that cannot be used keeps its text, and its row says why.
 */
#pragma once

#include <adwaita.h>

#include "settings/run-config.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_SETTING_ROWS (urbarium_setting_rows_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumSettingRows, urbarium_setting_rows, URBARIUM, SETTING_ROWS, GObject)

/* Signals: "changed" (const UrbSetting *): the user changed that setting to a valid value; "problem": an entry
 * cannot be used, and its setting is as before. */

/* @in_window: rows for a window of their own: wide, with the setting's key and the strategies that know it */
UrbariumSettingRows *urbarium_setting_rows_new         (gboolean in_window);
/* An AdwActionRow for @setting, which the object keeps up to date and which must live as long.  A setting
 * may have several.  (transfer floating) */
GtkWidget           *urbarium_setting_rows_add         (UrbariumSettingRows *self,
                                                        const UrbSetting *setting);
/* Shows another configuration, also in entries that could not be used, without emitting "changed".
 * @config: copied
 * @dataset_channels: channels of the chosen dataset; 0: none is chosen */
void                 urbarium_setting_rows_set_config  (UrbariumSettingRows *self,
                                                        const UrbRunConfig *config,
                                                        int dataset_channels);
/* @devices: (nullable): names of the devices that can be used: "cpu", "cuda:0"; NULL: not known */
void                 urbarium_setting_rows_set_devices (UrbariumSettingRows *self,
                                                        const char *const *devices);
/* (nullable) (transfer none): why the first entry that cannot be used cannot */
const char          *urbarium_setting_rows_get_problem (UrbariumSettingRows *self);
/* With every valid change.  (transfer none) */
const UrbRunConfig  *urbarium_setting_rows_get_config  (UrbariumSettingRows *self);

G_END_DECLS
