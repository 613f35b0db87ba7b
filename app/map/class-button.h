/* SPDX-License-Identifier: Apache-2.0 */
/*
 * class-button.h - a drop-down of the classes.
 *
 * A map may have hundreds of values and thus of these buttons, so the menu is created when it is
 * opened, which a GtkDropDown does not do.
 */
#pragma once

#include <adwaita.h>

#include "map/map.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CLASS_BUTTON (urbarium_class_button_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumClassButton, urbarium_class_button, URBARIUM, CLASS_BUTTON, AdwBin)

/* Signal "chosen" (UrbClass as int): the user has chosen a class.
 * @what: what the class is of, for screen readers */
void urbarium_class_button_set (UrbariumClassButton *self, const char *what, UrbClass class_);

G_END_DECLS
