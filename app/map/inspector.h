/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspector.h - a click on the map tells what is there.
 *
 * Asks in a thread, points a popover at the place, and outlines what is on top
 * for as long as it is open.
 */
#pragma once

#include "app/canvas/canvas.h"
#include "app/map/map-document.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_INSPECTOR (urbarium_inspector_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumInspector, urbarium_inspector, URBARIUM, INSPECTOR, GObject)

/* @around: what @canvas fills, which places the popover.  All three must outlive it: dispose of
 * it before them. */
UrbariumInspector *urbarium_inspector_new (UrbariumMapDocument *document, UrbariumCanvas *canvas,
                                           GtkWidget *around);

void urbarium_inspector_ask   (UrbariumInspector *self, double x, double y); /* metres */
void urbarium_inspector_close (UrbariumInspector *self);

G_END_DECLS
