/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layer-info.h - the layers listed in the side panel.
 *
 * Layers with the same name in several files are merged: a class chosen by hand applies to the
 * layer in all files.
 */
#pragma once

#include "map/map.h"

G_BEGIN_DECLS

typedef struct
{
  char    *value; /* owned; "" if the whole layer has one class */
  UrbClass class_;
  gboolean known; /* to the profile */
  gint64   n_features;
  double   area_m2;
} UrbariumValueInfo;

typedef struct
{
  char      *name;      /* owned */
  char      *attribute; /* (nullable) owned */
  GPtrArray *values;    /* owned; of UrbariumValueInfo, by class, then largest first */
  guint      n_sources;
  gint64     n_features, n_points_ignored, n_lines;
  gint64     n_unreadable, n_repaired, n_dropped, n_superseded;
  double     area_m2; /* of objects that are not ignored */
} UrbariumLayerInfo;

/* Returns: (transfer full): of UrbariumLayerInfo: the layers with objects, largest first */
GPtrArray *urbarium_layer_info_list (UrbMap *map);

/* Whether any lines are classified as roads. */
gboolean urbarium_layer_info_has_road_lines (GPtrArray *layers);

G_END_DECLS
