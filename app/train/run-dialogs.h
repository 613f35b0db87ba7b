/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-dialogs.h - the questions before a run begins anew, goes on on other hardware, is extended,
 * rolled back or deleted.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

/* Each shows a dialog over the window of @where, and does it if the user agrees. */

/* Resumes a run that has no supervisor and no checkpoint. */
void urbarium_run_dialogs_begin_anew (GtkWidget *where, UrbariumRun *run);
/* Resumes on the processor a run of a GPU, which has just failed to go on: @what, @error. */
void urbarium_run_dialogs_resume_on_processor (GtkWidget *where, UrbariumRun *run,
                                               const char *what, const GError *error);
void urbarium_run_dialogs_extend    (GtkWidget *where, UrbariumRun *run);
void urbarium_run_dialogs_roll_back (GtkWidget *where, UrbariumRun *run, gint64 step);
void urbarium_run_dialogs_delete    (GtkWidget *where, UrbariumRunLibrary *library,
                                     UrbariumRun *run);

G_END_DECLS
