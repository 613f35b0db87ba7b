/* SPDX-License-Identifier: Apache-2.0 */
/*
 * real-areas.h - the training areas of a generator, to compare its cities with.
 *
 * Read once per dataset in a thread, then immutable, with an atomic reference count, for use in any
 * thread.
 */
#pragma once

#include "app/base/job.h"
#include "app/cities/city-source.h"
#include "city/measures.h"
#include "city/neighbors.h"

G_BEGIN_DECLS

typedef struct _UrbariumRealAreas UrbariumRealAreas;

UrbariumRealAreas *urbarium_real_areas_ref   (UrbariumRealAreas *self);
void               urbarium_real_areas_unref (UrbariumRealAreas *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumRealAreas, urbarium_real_areas_unref)

/* The dataset of a model.  Blocks.
 * @path, @id: (nullable): as its checkpoint records them
 *
 * Returns: (transfer full): or %NULL with an error if there is none, it is missing or another by now */
UrbDataset        *urbarium_real_areas_open_dataset (const char *path, const char *id, GError **error);

/* Reads the dataset of @model: thumbnails of its training areas, and measures of some of them.
 * Fails if the model names no dataset or a missing one.  urbarium_job_finish() gives the
 * UrbariumRealAreas. */
void               urbarium_real_areas_load_async  (const UrbariumCityModel *model,
                                                    UrbariumJob *job,
                                                    GAsyncReadyCallback callback,
                                                    gpointer user_data);

/* Median of the real areas' values; NaN if there are none. */
double             urbarium_real_areas_get_median  (UrbariumRealAreas *self, UrbMeasure measure);
/* (URBARIUM_ROSE_SECTORS): meters of wall by direction, over all measured areas. */
const double      *urbarium_real_areas_get_rose    (UrbariumRealAreas *self);

/* A city compared with the real areas. */
typedef struct
{
  double        values[URB_N_MEASURES]; /* the median of each; NaN if there are none */
  double        rose[URBARIUM_ROSE_SECTORS];
  UrbNearest    nearest;      /* index: -1 if no area repeats any of it */
  UrbariumTile *nearest_tile; /* (nullable) owned */
} UrbariumComparison;

void               urbarium_comparison_free (UrbariumComparison *self);

/* Call it in a thread. @areas: (nullable): NULL: only measures the city */
UrbariumComparison *urbarium_comparison_new (UrbariumTile *tile, UrbariumRealAreas *areas);

G_END_DECLS
