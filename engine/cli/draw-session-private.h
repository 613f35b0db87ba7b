/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draw-session-private.h - answers of a drawing session, in parts.
 */
#pragma once

#include "cli/draw-session.h"

G_BEGIN_DECLS

/* Whether each known member of a request, and of its objects, is of its kind: of another, it would count as missing. */
gboolean     urb_draw_check_members (JsonObject *object, GError **error);

/* A line of the answer to @request. */
JsonBuilder *urb_draw_begin_line  (const char *type, const UrbDrawRequest *request);
/* Takes @json.  Returns: FALSE if stdout was closed */
gboolean     urb_draw_send_line   (JsonBuilder *json);
/* @first: counted from 0.  @levels: (@n_bytes).  Returns: FALSE if stdout was closed */
gboolean     urb_draw_send_cities (const UrbDrawRequest *request, gint64 first, gint64 count,
                                   const guint8 *levels, gsize n_bytes);
/* What a request asks of all its cities. */
gboolean     urb_draw_read_shares (UrbDrawSession *self, JsonObject *object, GError **error);

/* Draws proposals for a site.
 * Returns: FALSE if stdout was closed; other errors are in @error, and not sent yet */
gboolean     urb_draw_answer_propose (UrbDrawSession *self, UrbDrawRequest *request, GError **error);

G_END_DECLS
