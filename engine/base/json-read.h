/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json-read.h - reads JSON that anybody may have written.
 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/**
 * urb_json_read_object:
 * @text: (n_bytes); untrusted
 * @why: (out) (optional): why not, as the end of a sentence
 *
 * Returns: (transfer full) (nullable): %NULL if it is not a JSON object, nested in more than 16 brackets, or not UTF-8
 */
JsonObject *urb_json_read_object (const char *text, gsize n_bytes, const char **why);

/* A member of that type; the default if it is missing or of another type.  @object: (nullable) */
const char *urb_json_get_string (JsonObject *object, const char *key, const char *otherwise);
gint64      urb_json_get_int    (JsonObject *object, const char *key, gint64 otherwise);
double      urb_json_get_double (JsonObject *object, const char *key, double otherwise);
gboolean    urb_json_get_bool   (JsonObject *object, const char *key, gboolean otherwise);
/* (nullable) */
JsonObject *urb_json_get_object (JsonObject *object, const char *key);
JsonArray  *urb_json_get_array  (JsonObject *object, const char *key);
/* The texts of an array.  (transfer full) (nullable): NULL if it is missing or has other elements */
GStrv       urb_json_dup_strings (JsonObject *object, const char *key);

G_END_DECLS
