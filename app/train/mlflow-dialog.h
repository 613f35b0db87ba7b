/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mlflow-dialog.h - asks for an MLflow server, and sends a run there.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/runs/run.h"

G_BEGIN_DECLS

/* The server, the experiment and the name are kept for the next run; the password is not.
 * @where: a widget in the window of the dialog */
void urbarium_mlflow_dialog_show (GtkWidget *where, UrbariumRun *run);

G_END_DECLS
