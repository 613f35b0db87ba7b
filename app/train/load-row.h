/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load-row.h - what a device does: in words, and as a curve of the last minutes.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_LOAD_ROW (urbarium_load_row_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumLoadRow, urbarium_load_row, URBARIUM, LOAD_ROW, GtkBox)

void urbarium_load_row_set_text (UrbariumLoadRow *self, const char *text);
/* Adds to the curve.  @load, @memory: shares of the device, from 0 to 1; NaN: unknown */
void urbarium_load_row_add      (UrbariumLoadRow *self, double load, double memory);
/* Forgets the curve. */
void urbarium_load_row_clear    (UrbariumLoadRow *self);

G_END_DECLS
