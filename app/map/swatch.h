/* SPDX-License-Identifier: Apache-2.0 */
/* swatch.h - a small square in a class's color on the map; and the class's name. */
#pragma once

#include <gtk/gtk.h>

#include "map/map.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_SWATCH (urbarium_swatch_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumSwatch, urbarium_swatch, URBARIUM, SWATCH, GtkWidget)

/* Follows the light, dark and high-contrast styles.  For URB_CLASS_IGNORE, the square is empty. */
void urbarium_swatch_set_class (UrbariumSwatch *self, UrbClass class_);

/* Translated: "Building"; also for URB_CLASS_IGNORE. */
const char *urbarium_class_get_title (UrbClass class_);

G_END_DECLS
