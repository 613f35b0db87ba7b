/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draw-session.h - a loaded generator and the requests it answers; the protocol is
 * documented in urbarium-engine-draw(1).
 */
#pragma once

#include <json-glib/json-glib.h>

#include "train/sampler.h"

G_BEGIN_DECLS

/* Of a request, which may hold the polygons of a plan. */
enum { URB_DRAW_LINE_MAX_BYTES = 4 * 1024 * 1024 };

/* A request.  One thread reads it and may cancel it, another answers it. */
typedef struct
{
  gboolean    has_id;
  gint64      id;
  JsonObject *object;    /* (nullable) owned; NULL if @error is set */
  GError     *error;     /* (nullable) owned; why the line is invalid */
  gint        cancelled; /* atomic */
} UrbDrawRequest;

/* @line: untrusted; %NULL for an overlong line.  Never fails: an invalid line gives a request with an
 * error. */
UrbDrawRequest *urb_draw_request_new     (const char *line, gsize length);
void            urb_draw_request_free    (UrbDrawRequest *self);
const char     *urb_draw_request_get_cmd (const UrbDrawRequest *self); /* "" if none */

typedef struct
{
  UrbSampler *sampler;    /* (nullable) owned */
  char       *checkpoint; /* (nullable) owned */
  UrbSamplerPlace place;  /* default for requests; device borrowed */
} UrbDrawSession;

void     urb_draw_session_clear  (UrbDrawSession *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbDrawSession, urb_draw_session_clear)

gboolean urb_draw_session_open   (UrbDrawSession *self, const char *checkpoint,
                                  const UrbSamplerPlace *place, GError **error);
/* Writes the entire answer to stdout.  Returns: FALSE if stdout was closed */
gboolean urb_draw_session_answer (UrbDrawSession *self, UrbDrawRequest *request);

G_END_DECLS
