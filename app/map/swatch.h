/* SPDX-License-Identifier: Apache-2.0 */
/*
 * swatch.h - a class's name and a small square of the colour it has on the map.
 */
#pragma once

#include <gtk/gtk.h>

#include "map/map.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_SWATCH (urbarium_swatch_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumSwatch, urbarium_swatch, URBARIUM, SWATCH, GtkWidget)

/* Follows light, dark and high contrast. The ignored have none: an empty square. */
void urbarium_swatch_set_class (UrbariumSwatch *self, UrbClass class_);

/* Translated: "Building"; also for URB_CLASS_IGNORE. */
const char *urbarium_class_get_title (UrbClass class_);

G_END_DECLS
