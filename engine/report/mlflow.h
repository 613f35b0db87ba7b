/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mlflow.h - sends a run to an MLflow server, and what is new of it each time it is called again.
 *
 * mlflow.ini in the run's folder has the id that the server gave to the run, and what it has already.  It names the
 * server without the password of its address.
 */
#pragma once

#include "report/mlflow-http.h"

G_BEGIN_DECLS

typedef struct
{
  const char *run;        /* the folder */
  const char *server;     /* "http://localhost:5000", maybe with name and password */
  const char *experiment; /* its name; made if the server has none */
  gint64      every;      /* metrics of steps that are multiples of it */
} UrbMlflowOptions;

typedef struct
{
  char  *run_id;    /* owned */
  gint64 n_metrics, n_images; /* sent now */
} UrbMlflowSummary;

void urb_mlflow_summary_clear (UrbMlflowSummary *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbMlflowSummary, urb_mlflow_summary_clear)

/**
 * urb_mlflow_send:
 * @call: asks the server; urb_mlflow_http_call() does
 *
 * Sends the settings as parameters (once), metrics and scores of steps with the digits of run.db, sample grids as
 * artifacts if the server takes artifacts, and how the run ended.  What cannot be sent now is sent by the next call.
 * Blocks.
 *
 * Returns: %FALSE with the error of run.db, of the server's address, of the state's file or of @call
 */
gboolean urb_mlflow_send (const UrbMlflowOptions *options, UrbMlflowCall call, gpointer user_data,
                          UrbMlflowSummary *out, GError **error);

G_END_DECLS
