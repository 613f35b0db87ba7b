/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-source.h - where cities come from: one checkpoint, opened by a child
 * process that draws what is looked at.
 *
 * Cities are drawn in the order they are wanted; one that is not wanted any more
 * is not drawn.  If the child dies it is started again and goes on.
 */
#pragma once

#include "app/cities/city.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CITY_SOURCE (urbarium_city_source_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCitySource, urbarium_city_source, URBARIUM, CITY_SOURCE, GObject)

/* What an open checkpoint says of itself; strings are owned by the source. */
typedef struct
{
  char  *checkpoint;
  char  *preset;
  char  *dataset, *dataset_id; /* (nullable) */
  gint64 step;
  int    size_px, n_channels;
  double area_size_m;
} UrbariumCityModel;

/**
 * UrbariumCitySource:
 *
 * Properties, read-only, with notify: ready (boolean: a checkpoint is open), opening (boolean).
 *
 * Signals:
 *  "opened": another checkpoint is open; cities of the one before should be forgotten
 *  "failed" (GError): the checkpoint cannot be opened, or the child cannot be kept alive
 *  "restarted" (GError): the child died and was started again
 */
UrbariumCitySource *urbarium_city_source_new (void);

/* @checkpoint: a .safetensors file, or a run folder.  NULL closes.  Cities of the one before that
 * were still to be drawn fail. */
void                     urbarium_city_source_open      (UrbariumCitySource *self,
                                                         const char *checkpoint);
/* Returns: (nullable): NULL unless ready; until the next "opened" */
const UrbariumCityModel *urbarium_city_source_get_model (UrbariumCitySource *self);
/* Returns: (nullable): that of the last "opened", also while the child is started again or another
 * checkpoint is being opened: the cities that are shown are its own */
const UrbariumCityModel *urbarium_city_source_get_last_model (UrbariumCitySource *self);

/* In pairs: each city may be wanted by several.  A drawn city that nobody wants is
 * forgotten after some hundred others. */
void urbarium_city_source_want   (UrbariumCitySource *self, UrbariumCity *city);
void urbarium_city_source_unwant (UrbariumCitySource *self, UrbariumCity *city);

/**
 * urbarium_city_source_walk:
 * @cities: (element-type UrbariumCity): those on the way, with both ends: at least 2
 *
 * Draws them all; replaces a walk that is under way.
 */
void urbarium_city_source_walk (UrbariumCitySource *self, UrbariumCity *from, UrbariumCity *to,
                                GPtrArray *cities);

/* Process id of the child, as text; NULL while there is none. */
const char *urbarium_city_source_get_pid (UrbariumCitySource *self);

G_END_DECLS
