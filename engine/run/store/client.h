/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.h - the client of the control protocol: the window and the terminal watch and steer a run
 * with it.
 *
 * Works on the thread's default main context; only the calls block.
 */
#pragma once

#include "run/store/json-line.h"

G_BEGIN_DECLS

typedef struct _UrbRunClient UrbRunClient;

typedef struct
{
  /* (optional) hello, a record, "live" or a heartbeat: see docs/protocol.md */
  void (*message) (UrbRunClient *client, JsonObject *message, gpointer user_data);
  /* (optional) The supervisor is gone.  Called once. */
  void (*closed)  (UrbRunClient *client, gpointer user_data);
} UrbRunClientOps;

/* @reply: (nullable): NULL with @error if the request was refused or the run is gone */
typedef void (*UrbRunClientReplyFunc) (JsonObject *reply, const GError *error, gpointer user_data);

/* @folder: of the run.  %URB_RUN_ERROR_OFFLINE if nobody supervises it. */
UrbRunClient *urb_run_client_new (const char *folder, const UrbRunClientOps *ops,
                                  gpointer user_data, GError **error);
void          urb_run_client_free (UrbRunClient *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbRunClient, urb_run_client_free)

/**
 * urb_run_client_request:
 * @cmd: "pause", "resume", "stop", "checkpoint", "extend", "sample", "status", "subscribe"
 * @key: (nullable): the key of an integer to send: "since" or "steps"
 * @func: (nullable): called once, with the reply
 */
void urb_run_client_request (UrbRunClient *self, const char *cmd, const char *key, gint64 value,
                             UrbRunClientReplyFunc func, gpointer user_data);

/* The same with a text: "rename" and its "name". */
void urb_run_client_request_text (UrbRunClient *self, const char *cmd, const char *key,
                                  const char *value, UrbRunClientReplyFunc func,
                                  gpointer user_data);

/* The same requests, but these iterate the main context until the reply; %URB_RUN_ERROR_OFFLINE if
 * none comes in time.   Returns: (transfer full) */
JsonObject *urb_run_client_call      (UrbRunClient *self, const char *cmd, const char *key, gint64 value,
                                      int timeout_ms, GError **error);
JsonObject *urb_run_client_call_text (UrbRunClient *self, const char *cmd, const char *key, const char *value,
                                      int timeout_ms, GError **error);
/* With several texts: "queue" and its "after". */
JsonObject *urb_run_client_call_texts (UrbRunClient *self, const char *cmd, const char *key, const char *const *values,
                                       int timeout_ms, GError **error);

G_END_DECLS
