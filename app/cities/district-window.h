/* SPDX-License-Identifier: Apache-2.0 */
/*
 * district-window.h - a window that draws several areas as one plan, to explore and to export.
 */
#pragma once

#include <adwaita.h>

#include "app/cities/ground.h"
#include "app/cities/shares.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_DISTRICT_WINDOW (urbarium_district_window_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumDistrictWindow, urbarium_district_window, URBARIUM, DISTRICT_WINDOW, AdwWindow)

/* Opens a window over that of @where, with a generator of its own.
 * @checkpoint: a .safetensors file
 * @shares: asked of all its areas
 * @ground: where it may be placed
 * Returns: (transfer none) */
UrbariumDistrictWindow *urbarium_district_window_open (GtkWidget *where, const char *checkpoint,
                                                       gint64 seed, const UrbariumShareWish *shares,
                                                       UrbariumGround *ground);

G_END_DECLS
