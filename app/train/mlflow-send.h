/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mlflow-send.h - sends a run to the MLflow server that was entered last.
 *
 * The server, the experiment and the name are kept in the settings; a password lives as long as its window.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/runs/run.h"

G_BEGIN_DECLS

/* Returns: (transfer none) (nullable): what is wrong with the address @server, as a sentence; %NULL: nothing */
const char *urbarium_mlflow_find_problem (const char *server);

/* What was kept, else that of the environment, as of MLflow's own clients, else the usual.  An address that has a
 * problem, which an earlier version has kept, is forgotten.  (transfer full) */
char    *urbarium_mlflow_dup_server     (void);
char    *urbarium_mlflow_dup_experiment (void);
char    *urbarium_mlflow_dup_name       (void);

/* (nullable) borrowed until the next is kept */
const char *urbarium_mlflow_get_password (GtkWidget *where);

/* Keeps what was entered.  @server: without a problem
 * @password: not kept beyond the window of @where; empty: none */
void     urbarium_mlflow_keep (GtkWidget *where, const char *server, const char *experiment, const char *name,
                               const char *password);

/* Sends what is new of the run, and tells how that ends in the window of @where. */
void     urbarium_mlflow_send       (GtkWidget *where, UrbariumRun *run);
/* Whether it is under way. */
gboolean urbarium_mlflow_is_sending (UrbariumRun *run);

/* Of a run that has ended: the same, if the setting “mlflow-at-end” is on.  A failure does not interrupt the user. */
void     urbarium_mlflow_run_ended  (GtkWidget *where, UrbariumRun *run);

G_END_DECLS
