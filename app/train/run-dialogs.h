/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-dialogs.h - asks before a run is restarted, resumed on other hardware, extended, rolled back
 * or deleted, or branches.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

/* Each shows a dialog over the window of @where, and acts if the user agrees. */

/* Resumes a run without supervisor and checkpoint, that is, from step 0. */
void urbarium_run_dialogs_restart (GtkWidget *where, UrbariumRun *run);
/* Resumes a run on the CPU after resuming on its GPU failed with @what and @error. */
void urbarium_run_dialogs_resume_on_processor (GtkWidget *where, UrbariumRun *run,
                                               const char *what, const GError *error);
void urbarium_run_dialogs_extend    (GtkWidget *where, UrbariumRun *run);
void urbarium_run_dialogs_roll_back (GtkWidget *where, UrbariumRun *run, gint64 step);
/* From the checkpoint of @step. */
void urbarium_run_dialogs_branch    (GtkWidget *where, UrbariumRunLibrary *library,
                                     UrbariumRun *run, gint64 step);
void urbarium_run_dialogs_delete    (GtkWidget *where, UrbariumRunLibrary *library,
                                     UrbariumRun *run);

G_END_DECLS
