/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-source.h - draws cities of one checkpoint, in a child process.
 *
 * Cities are drawn in the order in which they were requested, unless the request is withdrawn.  A
 * child that dies is restarted and continues.
 */
#pragma once

#include "app/cities/city.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CITY_SOURCE (urbarium_city_source_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCitySource, urbarium_city_source, URBARIUM, CITY_SOURCE, GObject)

/* Metadata of the open checkpoint; the source owns the strings. */
typedef struct
{
  char  *checkpoint;
  char  *preset;
  char  *dataset, *dataset_id; /* (nullable) */
  gint64 step, images; /* of its training */
  int    size_px, base_px, n_channels; /* base_px: before the refiner */
  double area_size_m;
  gboolean           has_shares;
  UrbariumShareRange shares[URBARIUM_N_SHARES]; /* if it has them */
} UrbariumCityModel;

/* Properties, read-only, with notify: ready (boolean: a checkpoint is open), opening (boolean).
 *
 * Signals:
 *  "opened": another checkpoint is open; drop the cities of the previous one
 *  "failed" (GError): the checkpoint cannot be opened, or the child keeps dying
 *  "progress" (double): of proposals, from 0 to 1
 *  "restarted" (GError): the child died and was restarted
 */
UrbariumCitySource *urbarium_city_source_new (void);

/* @checkpoint: a .safetensors file or a run folder; NULL closes.  Pending cities of the previous
 * checkpoint fail. */
void                     urbarium_city_source_open      (UrbariumCitySource *self,
                                                         const char *checkpoint);
/* Returns: (nullable): NULL unless ready; until the next "opened" */
const UrbariumCityModel *urbarium_city_source_get_model (UrbariumCitySource *self);
/* Returns: (nullable): the model of the last "opened", which drew the cities on screen, even while
 * the child restarts or opens another checkpoint */
const UrbariumCityModel *urbarium_city_source_get_last_model (UrbariumCitySource *self);

/* Counted, so call them in pairs.  The last 96 drawn cities that are no longer wanted keep their
 * tiles. */
void urbarium_city_source_want   (UrbariumCitySource *self, UrbariumCity *city);
void urbarium_city_source_unwant (UrbariumCitySource *self, UrbariumCity *city);

/**
 * urbarium_city_source_walk:
 * @cities: (element-type UrbariumCity): the interpolated cities, including both ends: at least 2
 *
 * Draws them all and replaces an unfinished walk.
 */
void urbarium_city_source_walk (UrbariumCitySource *self, UrbariumCity *from, UrbariumCity *to,
                                GPtrArray *cities);

/* What stays of an area. */
typedef struct
{
  UrbGiven    *given; /* (nullable) */
  const char  *keep;  /* (nullable) without it: a file, as `generate --keep` reads it */
  UrbPlace place; /* of the area in the file */
  gint64       seed;
} UrbariumSiteTask;

/**
 * urbarium_city_source_propose:
 * @cities: (element-type UrbariumCity): from urbarium_city_new_proposal(); at least one
 *
 * Draws them all, all with the shares of the first; replaces an unfinished walk or proposals.  They
 * fail together.
 */
void urbarium_city_source_propose (UrbariumCitySource *self, const UrbariumSiteTask *task,
                                   GPtrArray *cities);
/* Gives up an unfinished walk or proposals; their cities stay as they are. */
void urbarium_city_source_stop    (UrbariumCitySource *self);

/* Process id of the child as text; NULL without a child. */
const char *urbarium_city_source_get_pid (UrbariumCitySource *self);

G_END_DECLS
