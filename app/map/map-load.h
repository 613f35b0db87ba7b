/* SPDX-License-Identifier: Apache-2.0 */
/* map-load.h - reads a map in a job's thread. */
#pragma once

#include "app/base/job.h"
#include "app/map/map-choices.h"

G_BEGIN_DECLS

typedef struct
{
  char              **paths;   /* owned */
  char               *address; /* (nullable) owned: of a server, whole; the paths are then the address as shown */
  UrbariumMapChoices *choices; /* owned */
  char              **path_crs; /* (nullable) owned: as in UrbMapOptions, where @choices have no coordinate system */
} UrbariumMapLoad;

/* @path_crs: (nullable) (transfer full) */
UrbariumMapLoad *urbarium_map_load_new  (const char *const *paths, const char *address,
                                         const UrbariumMapChoices *choices, char **path_crs);
void             urbarium_map_load_free (UrbariumMapLoad *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumMapLoad, urbarium_map_load_free)

/* UrbariumJobFunc; @load: UrbariumMapLoad.  Draws the sample town first if it is requested and
 * does not exist.  Returns: (transfer full): an UrbMap */
gpointer urbarium_map_load_func (gpointer load, UrbariumJob *job, GCancellable *cancellable,
                                 GError **error);

/* Path of the sample town, which may not exist yet. (transfer full) */
char *urbarium_map_load_get_sample_path (void);

G_END_DECLS
