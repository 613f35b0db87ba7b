/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.h - the supervisor's side of the control protocol (docs/protocol.md).
 */
#pragma once

#include "run/store/folder.h"
#include "run/store/json-line.h"

G_BEGIN_DECLS

enum { URB_CONTROL_PROTOCOL = 1 };

typedef struct _UrbControl UrbControl;

typedef struct
{
  /* Does what @request asks; may add members to the @reply. */
  gboolean (*command) (const char *cmd, JsonObject *request, JsonBuilder *reply, gpointer user_data,
                       GError **error);
  /* Adds what the run is doing now: for hello and status. */
  void     (*status)  (JsonBuilder *json, gpointer user_data);
} UrbControlOps;

/* @folder: borrowed, locked by this process; its run.db exists */
UrbControl *urb_control_new    (UrbRunFolder *folder, const UrbControlOps *ops, gpointer user_data,
                                GError **error);
/* Removes the socket. */
void        urb_control_free   (UrbControl *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbControl, urb_control_free)

/* How long a client may neither subscribe nor ask anything; 60 s by default. */
void        urb_control_set_max_idle (UrbControl *self, double idle_s);

/* Sends newly committed records to subscribers. */
void        urb_control_notify (UrbControl *self);
/* Sends a line without a sequence number to subscribers that have all records. */
void        urb_control_broadcast (UrbControl *self, const char *line);
/* Sends subscribers what they lack; blocks for at most @timeout_ms. */
void        urb_control_flush  (UrbControl *self, int timeout_ms);

G_END_DECLS
