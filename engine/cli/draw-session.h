/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draw-session.h - one generator in memory, and the requests it answers; the
 * lines are those of urbarium-engine-draw(1).
 */
#pragma once

#include <json-glib/json-glib.h>

#include "train/sampler.h"

G_BEGIN_DECLS

/* A request as it came.  One thread reads and may cancel it, another answers it. */
typedef struct
{
  gboolean    has_id;
  gint64      id;
  JsonObject *object;    /* (nullable) owned; NULL: @error */
  GError     *error;     /* (nullable) owned; why the line was no request */
  gint        cancelled; /* atomic */
} UrbDrawRequest;

/* @line: hostile.  Never fails: what is no request is one to be refused. */
UrbDrawRequest *urb_draw_request_new      (const char *line, gsize length);
UrbDrawRequest *urb_draw_request_new_long (void); /* a line that was too long */
void            urb_draw_request_free     (UrbDrawRequest *self);
const char     *urb_draw_request_get_cmd  (const UrbDrawRequest *self); /* "" if there is none */

typedef struct
{
  UrbSampler *sampler;    /* (nullable) owned */
  char       *checkpoint; /* (nullable) owned */
  UrbSamplerPlace place;  /* where a request does not say another; device borrowed */
} UrbDrawSession;

void     urb_draw_session_clear  (UrbDrawSession *self);
gboolean urb_draw_session_open   (UrbDrawSession *self, const char *checkpoint,
                                  const UrbSamplerPlace *place, GError **error);
/* Writes all of the answer to stdout.  Returns: FALSE if nobody reads it any more */
gboolean urb_draw_session_answer (UrbDrawSession *self, UrbDrawRequest *request);

G_END_DECLS
