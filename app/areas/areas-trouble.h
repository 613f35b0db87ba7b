/* SPDX-License-Identifier: Apache-2.0 */
/*
 * areas-trouble.h - what is said where there can be no areas, and the way out.
 */
#pragma once

#include "app/areas/curation.h"

G_BEGIN_DECLS

typedef struct
{
  char            *title, *text; /* owned; translated */
  char            *fix_label;    /* owned; nullable: what would help, for a button */
  UrbCurateOptions fix;          /* the options then; those of now: to try once more */
} UrbariumAreasTrouble;

UrbariumAreasTrouble *urbarium_areas_trouble_new  (UrbMap *map, const UrbCurateOptions *options,
                                                   const GError *error);
void                  urbarium_areas_trouble_free (UrbariumAreasTrouble *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumAreasTrouble, urbarium_areas_trouble_free)

G_END_DECLS
