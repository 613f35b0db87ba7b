/* SPDX-License-Identifier: Apache-2.0 */
/* map-choices.h - what the user chose for a map: how it is read. */
#pragma once

#include "app/map/map-classes.h"
#include "app/map/map-layers.h"

G_BEGIN_DECLS

typedef struct
{
  GArray *classes;      /* owned: see map-classes.h */
  double  road_width_m; /* of roads drawn as lines; 0: the profile's */
  char   *profile;      /* owned; name; "": recognized */
  char   *crs;          /* owned; of files that state none; "": guessed */
  char   *part;         /* owned; that is read alone, as in UrbMapOptions.clip; "": all */
  GArray *layers;       /* owned: see map-layers.h */
} UrbariumMapChoices;

UrbariumMapChoices *urbarium_map_choices_new      (void);
UrbariumMapChoices *urbarium_map_choices_copy     (const UrbariumMapChoices *self);
void                urbarium_map_choices_free     (UrbariumMapChoices *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumMapChoices, urbarium_map_choices_free)
/* Replaces all of them. */
void                urbarium_map_choices_set      (UrbariumMapChoices *self, const UrbariumMapChoices *to);
gboolean            urbarium_map_choices_equal    (const UrbariumMapChoices *a, const UrbariumMapChoices *b);
/* Whether the program decides everything. */
gboolean            urbarium_map_choices_is_empty (const UrbariumMapChoices *self);

G_END_DECLS
