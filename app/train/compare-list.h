/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare-list.h - the other runs, to tick those whose curves are laid over.
 *
 * A run that is ticked is followed, and keeps its colour until it is not.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_COMPARE_LIST (urbarium_compare_list_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCompareList, urbarium_compare_list, URBARIUM, COMPARE_LIST, AdwBin)

/* Signal "changed": others are ticked. */

/* @run: (nullable): the one in view: not in the list */
void urbarium_compare_list_set_run (UrbariumCompareList *self, UrbariumRun *run,
                                    UrbariumRunLibrary *library);

typedef void (*UrbariumCompareFunc) (UrbariumRun *run, guint color_index, gpointer data);
/* In the order they were ticked.  The colour of the run in view is 0. */
void  urbarium_compare_list_foreach (UrbariumCompareList *self, UrbariumCompareFunc func,
                                     gpointer data);
guint urbarium_compare_list_get_n   (UrbariumCompareList *self);

G_END_DECLS
