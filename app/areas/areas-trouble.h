/* SPDX-License-Identifier: Apache-2.0 */
/* areas-trouble.h - the message if no areas can be found, and a proposed fix. */
#pragma once

#include "app/areas/curation.h"

G_BEGIN_DECLS

typedef struct
{
  char            *title, *text; /* owned; translated */
  char            *fix_label;    /* owned; nullable: label of the button that applies the fix */
  UrbCurateOptions fix;          /* proposed options; unchanged: search again */
} UrbariumAreasTrouble;

UrbariumAreasTrouble *urbarium_areas_trouble_new  (UrbMap *map, const UrbCurateOptions *options,
                                                   const GError *error);
void                  urbarium_areas_trouble_free (UrbariumAreasTrouble *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumAreasTrouble, urbarium_areas_trouble_free)

G_END_DECLS
