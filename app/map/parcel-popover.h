/* SPDX-License-Identifier: Apache-2.0 */
/* parcel-popover.h - class, area and attributes of each object at a point of the map. */
#pragma once

#include <gtk/gtk.h>

#include "app/map/parcel.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_PARCEL_POPOVER (urbarium_parcel_popover_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumParcelPopover, urbarium_parcel_popover, URBARIUM, PARCEL_POPOVER,
                      GtkPopover)

/* @parcel: (nullable): borrowed until the next call; %NULL while searching */
void urbarium_parcel_popover_set_parcel (UrbariumParcelPopover *self,
                                         const UrbariumParcel *parcel);

G_END_DECLS
