/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-classes.h - classes changed by hand: a map from layer and value to class.
 *
 * There are few, hence a list.  Each job that reads the map gets its own copy, so that no thread
 * reads what the window changes.
 */
#pragma once

#include "map/map.h"

G_BEGIN_DECLS

/* (element-type UrbMapOverride), whose texts it owns. */
GArray  *urbarium_map_classes_new   (void);
GArray  *urbarium_map_classes_copy  (GArray *self);
gboolean urbarium_map_classes_equal (GArray *a, GArray *b);

/* @class_: (out) (optional).  Returns: %FALSE if the class was not changed by hand */
gboolean urbarium_map_classes_get   (GArray *self, const char *layer, const char *value,
                                     UrbClass *class_);
void     urbarium_map_classes_set   (GArray *self, const char *layer, const char *value,
                                     UrbClass class_);
void     urbarium_map_classes_reset (GArray *self, const char *layer, const char *value);

G_END_DECLS
