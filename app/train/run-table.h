/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-table.h - all runs as a table: their state and figures, and the settings in which they differ.
 *
 * Each column sorts; several rows can be selected.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_RUN_TABLE (urbarium_run_table_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRunTable, urbarium_run_table, URBARIUM, RUN_TABLE, AdwBin)

/* Signals: "selection-changed"; "activated" (UrbariumRun): a double click or Enter. */

/* @runs: (element-type UrbariumRun) */
void       urbarium_run_table_set_runs     (UrbariumRunTable *self, GListModel *runs);
/* Shows the runs that match @words (app/train/run-filter.h); "": all. */
void       urbarium_run_table_set_filter   (UrbariumRunTable *self, const char *words);
/* Selects the first @n rows, and no other. */
void       urbarium_run_table_select_first (UrbariumRunTable *self, guint n);
/* Selects these, and no other. @runs: (element-type UrbariumRun) */
void       urbarium_run_table_select       (UrbariumRunTable *self, GPtrArray *runs);
/* Returns: (transfer full) (element-type UrbariumRun): the selected runs, in the order of the table */
GPtrArray *urbarium_run_table_dup_selected (UrbariumRunTable *self);

G_END_DECLS
