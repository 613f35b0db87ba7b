/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proposals-window.h - proposals for an area of which some streets and buildings stay.
 */
#pragma once

#include "app/cities/city.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_PROPOSALS_WINDOW (urbarium_proposals_window_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumProposalsWindow, urbarium_proposals_window, URBARIUM, PROPOSALS_WINDOW,
                      AdwWindow)

/**
 * urbarium_proposals_window_open:
 * @where: the window opens over that of this widget
 * @checkpoint: a .safetensors file, which a generator of its own opens
 * @city: drawn; one area
 * @outline: (element-type double): (x, y) in meters from the lower left corner of the city
 *
 * Plans the ground within the outline anew, or all but that.
 *
 * Returns: (transfer none)
 */
UrbariumProposalsWindow *urbarium_proposals_window_open (GtkWidget *where, const char *checkpoint,
                                                         UrbariumCity *city, const GArray *outline);

/**
 * urbarium_proposals_window_open_file:
 * @keep: a map or an image of what stays
 *
 * Asks where the area is in the coordinates of a map.
 */
UrbariumProposalsWindow *urbarium_proposals_window_open_file (GtkWidget *where, const char *checkpoint,
                                                              const char *keep);

G_END_DECLS
