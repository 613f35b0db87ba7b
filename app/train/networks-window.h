/* SPDX-License-Identifier: Apache-2.0 */
/*
 * networks-window.h - both networks, layer by layer: shapes, parameters, share of the arithmetic, and of a
 * checkpoint the values of each layer's weights and of their gradients.
 */
#pragma once

#include <adwaita.h>

#include "settings/run-config.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_NETWORKS_WINDOW (urbarium_networks_window_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumNetworksWindow, urbarium_networks_window, URBARIUM, NETWORKS_WINDOW, AdwWindow)

/* @options: with preset and recipe; n_channels 0: three
 * @checkpoint: (nullable): its file
 * Returns: (nullable): NULL with an error if these options have no networks */
UrbariumNetworksWindow *urbarium_networks_window_new (const UrbTrainOptions *options, const char *checkpoint,
                                                      GError **error);

/* Shows such a window over that of @where, or why there is none.
 * @title: (nullable): of the window, translated; NULL: the usual one */
void urbarium_networks_window_show (GtkWidget *where, const UrbTrainOptions *options, const char *checkpoint,
                                    const char *title);

G_END_DECLS
