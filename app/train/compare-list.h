/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare-list.h - check buttons for the other runs whose curves are shown.
 *
 * A checked run is followed, and keeps its color while it is checked.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_COMPARE_LIST (urbarium_compare_list_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCompareList, urbarium_compare_list, URBARIUM, COMPARE_LIST, AdwBin)

/* The runs whose curves are shown together: as many as there are colors. */
enum { URBARIUM_COMPARE_MAX = 7 };

/* Signal "changed": the selection has changed. */

/* @run: (nullable): the run in view, which is not listed */
void urbarium_compare_list_set_run (UrbariumCompareList *self, UrbariumRun *run,
                                    UrbariumRunLibrary *library);

typedef void (*UrbariumCompareFunc) (UrbariumRun *run, guint color_index, gpointer data);
/* In the order of checking.  Color 0 is that of the run in view. */
void  urbarium_compare_list_foreach (UrbariumCompareList *self, UrbariumCompareFunc func,
                                     gpointer data);
guint urbarium_compare_list_get_n   (UrbariumCompareList *self);

G_END_DECLS
