/* SPDX-License-Identifier: Apache-2.0 */
/* run-export.h - asks for a file, and lets the engine write about a run into it. */
#pragma once

#include <gtk/gtk.h>

#include "app/runs/run.h"

G_BEGIN_DECLS

typedef enum
{
  URBARIUM_RUN_EXPORT_REPORT, /* a page, which is then shown in the browser */
  URBARIUM_RUN_EXPORT_FIGURES, /* a table */
  URBARIUM_RUN_EXPORT_PROBLEM /* an archive for who looks into a problem */
} UrbariumRunExport;

/* First asks for the price of energy, if a report can tell what that of the run cost.
 * @where: a widget in the parent window
 * @run: (nullable): %NULL: a problem that has to do with no run */
void urbarium_run_export_ask  (GtkWidget *where, UrbariumRun *run, UrbariumRunExport what);
/* The same without a dialog.  @path: without the ending, or with it; an existing file is replaced if the user
 * agrees, or if the path has the ending, since the dialog then has asked */
void urbarium_run_export_save (GtkWidget *where, UrbariumRun *run, UrbariumRunExport what, const char *path);

G_END_DECLS
