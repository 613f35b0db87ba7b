/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json-build.h - a JSON document for people and programs, member by member.
 *
 * A thin layer over a JsonBuilder: each call adds one member of the open
 * object, or, with %NULL for its name, one element of the open array.  The
 * outermost object or array has no name either.  Lines of the protocol between
 * processes are another matter; see run/store/json-line.h.
 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* %NULL becomes null; what is not UTF-8, as in the names of files, is replaced. */
void  urb_json_build_string (JsonBuilder *self, const char *name, const char *value);
void  urb_json_build_int    (JsonBuilder *self, const char *name, gint64 value);
/* JSON knows neither NaN nor infinity: they become null. */
void  urb_json_build_double (JsonBuilder *self, const char *name, double value);
void  urb_json_build_bool   (JsonBuilder *self, const char *name, gboolean value);

/* {  …  } and [  …  ]: what is added between the two belongs to it. */
void  urb_json_build_begin_object (JsonBuilder *self, const char *name);
void  urb_json_build_end_object   (JsonBuilder *self);
void  urb_json_build_begin_array  (JsonBuilder *self, const char *name);
void  urb_json_build_end_array    (JsonBuilder *self);

/**
 * urb_json_build_dup_text:
 * @self: with its outermost object or array ended
 *
 * Returns: (transfer full): the document, indented, without a newline at its
 *   end.  A double has as few digits as read back as the same double, and a
 *   point or an exponent, so that 0.99 is "0.99" and 3 is "3.0".
 */
char *urb_json_build_dup_text (JsonBuilder *self);
/* The same in one line. */
char *urb_json_build_dup_line (JsonBuilder *self);

G_END_DECLS
