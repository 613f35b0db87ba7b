/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layer-info.h - the layers as the side panel lists them.
 *
 * Layers of the same name from several files are one: a class chosen by hand is
 * the layer's, whatever file it came from.
 */
#pragma once

#include "map/map.h"

G_BEGIN_DECLS

typedef struct
{
  char    *value; /* owned; "" where the class is the layer's */
  UrbClass class_;
  gboolean known; /* to the profile */
  gint64   n_features;
  double   area_m2;
} UrbariumValueInfo;

typedef struct
{
  char      *name;      /* owned */
  char      *attribute; /* (nullable) owned */
  GPtrArray *values;    /* owned; of UrbariumValueInfo, by class, the largest first */
  guint      n_sources;
  gint64     n_features, n_points_ignored, n_lines;
  gint64     n_repaired, n_dropped, n_superseded;
  double     area_m2; /* of what is not ignored */
} UrbariumLayerInfo;

/* Returns: (transfer full): of UrbariumLayerInfo; those with objects only, the largest first */
GPtrArray *urbarium_layer_info_list (UrbMap *map);

/* Whether there are lines that are drawn as roads. */
gboolean urbarium_layer_info_has_road_lines (GPtrArray *layers);

G_END_DECLS
