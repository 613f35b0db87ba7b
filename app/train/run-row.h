/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-row.h - a run in the list of all runs.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_RUN_ROW (urbarium_run_row_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRunRow, urbarium_run_row, URBARIUM, RUN_ROW, GtkListBoxRow)

/* @library: has the run; Alt+Up and Alt+Down let it begin earlier or later there */
GtkWidget   *urbarium_run_row_new     (UrbariumRun *run, UrbariumRunLibrary *library);
UrbariumRun *urbarium_run_row_get_run (UrbariumRunRow *self);

G_END_DECLS
