/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspector.h - shows the objects at a clicked point of the map.
 *
 * Searches in a thread, points a popover at the point, and outlines the topmost object while the
 * popover is open.
 */
#pragma once

#include "app/canvas/canvas.h"
#include "app/map/map-document.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_INSPECTOR (urbarium_inspector_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumInspector, urbarium_inspector, URBARIUM, INSPECTOR, GObject)

/* @around: parent of @canvas, which positions the popover.  The inspector must be disposed before
 * its three arguments. */
UrbariumInspector *urbarium_inspector_new (UrbariumMapDocument *document, UrbariumCanvas *canvas,
                                           GtkWidget *around);

G_END_DECLS
