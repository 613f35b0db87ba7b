/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mlflow-http.h - calls of an MLflow server's REST interface, by curl, which knows proxies and certificates of the
 * machine.
 */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* The name that was asked for does not exist on the server; other errors are of %G_IO_ERROR, too. */
#define URB_MLFLOW_MISSING G_IO_ERROR_NOT_FOUND

typedef struct
{
  const char   *method; /* "GET", "POST", "PUT" */
  const char   *path;   /* after the server's address, with a query: "api/2.0/mlflow/runs/create" */
  const void   *bytes;  /* (nullable): (n_bytes): what is sent */
  gsize         n_bytes;
  const char   *type;   /* (nullable): of @bytes: "application/json" */
} UrbMlflowRequest;

/* Returns: (transfer full): the answer, maybe without members; %NULL with a %G_IO_ERROR */
typedef JsonObject *(*UrbMlflowCall) (const UrbMlflowRequest *request, gpointer user_data, GError **error);

/* @user_data: the server's address, a string.  The variables MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or
 * MLFLOW_TRACKING_TOKEN, have what the server asks for, as for MLflow's own clients.  Blocks, at most half a minute. */
JsonObject *urb_mlflow_http_call (const UrbMlflowRequest *request, gpointer user_data, GError **error);

G_END_DECLS
