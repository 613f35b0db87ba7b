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

typedef struct _UrbariumInspector UrbariumInspector;

/* @around: parent of @canvas, which positions the popover.  The inspector must be freed before its
 * three arguments. */
UrbariumInspector *urbarium_inspector_new  (UrbariumMapDocument *document, UrbariumCanvas *canvas,
                                            GtkWidget *around);
void               urbarium_inspector_free (UrbariumInspector *self);

G_END_DECLS
