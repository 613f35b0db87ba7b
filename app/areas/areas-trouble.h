/* SPDX-License-Identifier: Apache-2.0 */
/* areas-trouble.h - the message if there are no areas, and the change of an option that gives the most. */
#pragma once

#include "app/areas/search.h"

G_BEGIN_DECLS

typedef struct
{
  char            *title, *text; /* owned; translated */
  char            *fix_label;    /* owned; nullable: label of the button that helps */
  gboolean         retry;        /* the button searches again, with the same options */
  gboolean         choose_part;  /* the button asks for the part of the map that is read */
  UrbCurateOptions fix;          /* otherwise, see urbarium_areas_trouble_fix() */
} UrbariumAreasTrouble;

/**
 * urbarium_areas_trouble_new:
 * @options: with min_variance as shown
 * @error: (nullable): %NULL: candidates were found, but none reaches the threshold
 * @max_variance: of these candidates
 * @advice: (nullable) (element-type UrbAdvice): %NULL: other options are still being tried
 */
UrbariumAreasTrouble *urbarium_areas_trouble_new  (UrbMap *map, const UrbCurateOptions *options,
                                                   const GError *error, double max_variance,
                                                   const GArray *advice);
void                  urbarium_areas_trouble_free (UrbariumAreasTrouble *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumAreasTrouble, urbarium_areas_trouble_free)

/* Makes the change of the button; options that have no part in it stay as they are. */
void urbarium_areas_trouble_fix (const UrbariumAreasTrouble *self, UrbCurateOptions *options);

/* Whether a change of an option may help, which takes urbarium_advice_find_async() to know. */
gboolean urbarium_areas_trouble_needs_advice (const GError *error);

G_END_DECLS
