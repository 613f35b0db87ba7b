/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json-build.h - builds a JSON document member by member.
 *
 * A thin layer over a JsonBuilder: each call adds one member of the open object, or,
 * with %NULL for its name, one element of the open array.  The outermost object or
 * array has no name either.
 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* A builder whose outermost object is open; and the end of that object. */
JsonBuilder *urb_json_new (void);
/* Takes @self.  Returns: (transfer full): the object in one line */
char        *urb_json_end (JsonBuilder *self);

/* %NULL becomes null; bytes that are not UTF-8, as in file names, are replaced. */
void  urb_json_add_string (JsonBuilder *self, const char *name, const char *value);
void  urb_json_add_int    (JsonBuilder *self, const char *name, gint64 value);
/* NaN and infinity become null, as JSON has neither. */
void  urb_json_add_double (JsonBuilder *self, const char *name, double value);
void  urb_json_add_bool   (JsonBuilder *self, const char *name, gboolean value);
/* @json: the text of a value; null if it is not JSON. */
void  urb_json_add_raw    (JsonBuilder *self, const char *name, const char *json);

/* Members added between begin and end belong to the object or array. */
void  urb_json_begin_object (JsonBuilder *self, const char *name);
void  urb_json_end_object   (JsonBuilder *self);
void  urb_json_begin_array  (JsonBuilder *self, const char *name);
void  urb_json_end_array    (JsonBuilder *self);
/* An array of texts, as of urb_json_add_string(). */
void  urb_json_add_strings  (JsonBuilder *self, const char *name, const char *const *values);

/**
 * urb_json_dup_text:
 * @self: with its outermost object or array ended
 *
 * Returns: (transfer full): the document, indented, without a final newline.  Doubles
 *   have as few digits as needed to read them back exactly, and a decimal point or an
 *   exponent: "0.99", "3.0".
 */
char *urb_json_dup_text (JsonBuilder *self);
/* The same in one line. */
char *urb_json_dup_line (JsonBuilder *self);

/* A value alone: the text in quotes; bytes that are not UTF-8 are replaced.  (transfer full) */
char *urb_json_quote (const char *text);

G_END_DECLS
