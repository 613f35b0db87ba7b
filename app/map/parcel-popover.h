/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parcel-popover.h - what is at a place of the map: each object's class, area and attributes.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/map/parcel.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_PARCEL_POPOVER (urbarium_parcel_popover_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumParcelPopover, urbarium_parcel_popover, URBARIUM, PARCEL_POPOVER,
                      GtkPopover)

/* @parcel: (nullable): borrowed until the next call; NULL: still looking */
void urbarium_parcel_popover_set_parcel (UrbariumParcelPopover *self,
                                         const UrbariumParcel *parcel);

G_END_DECLS
