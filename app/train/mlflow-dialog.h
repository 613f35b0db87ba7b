/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mlflow-dialog.h - asks for an MLflow server, and sends a run there.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/runs/run.h"

G_BEGIN_DECLS

/* It also has the switch of the setting “mlflow-at-end”.
 * @where: a widget in the window of the dialog */
void urbarium_mlflow_dialog_show (GtkWidget *where, UrbariumRun *run);

G_END_DECLS
