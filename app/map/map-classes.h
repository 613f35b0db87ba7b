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

typedef struct
{
  char    *layer, *value; /* owned */
  UrbClass class_;
} UrbariumMapClass;

typedef struct
{
  GPtrArray *changes; /* of UrbariumMapClass, owned */
} UrbariumMapClasses;

UrbariumMapClasses *urbarium_map_classes_new   (void);
UrbariumMapClasses *urbarium_map_classes_copy  (const UrbariumMapClasses *self);
void                urbarium_map_classes_free  (UrbariumMapClasses *self);
gboolean            urbarium_map_classes_equal (const UrbariumMapClasses *a,
                                                const UrbariumMapClasses *b);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumMapClasses, urbarium_map_classes_free)

/* @class_: (out) (optional).  Returns: %FALSE if the class was not changed by hand */
gboolean urbarium_map_classes_get   (const UrbariumMapClasses *self, const char *layer,
                                     const char *value, UrbClass *class_);
void     urbarium_map_classes_set   (UrbariumMapClasses *self, const char *layer,
                                     const char *value, UrbClass class_);
void     urbarium_map_classes_reset (UrbariumMapClasses *self, const char *layer,
                                     const char *value);

G_END_DECLS
