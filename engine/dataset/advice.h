/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advice.h - which option to change when a map yields no areas, found by trying.
 */
#pragma once

#include "dataset/curate.h"

G_BEGIN_DECLS

typedef struct
{
  const char      *option;  /* as on the command line, with its value: "--min-coverage 0.75" */
  UrbCurateOptions options; /* with the change */
  gint64           n_areas; /* that they give; at least one */
} UrbAdvice;

/**
 * urb_advice_find:
 * @options: that give no areas
 *
 * Tries one change at a time: to count uncovered ground as other, to lower a limit, to look at more
 * places, or at smaller areas.  Takes a search for each.
 *
 * Returns: (transfer full) (element-type UrbAdvice): the changes that give areas, most areas first
 */
GArray *urb_advice_find (UrbMap *map, const UrbCurateOptions *options, GCancellable *cancellable);

G_END_DECLS
