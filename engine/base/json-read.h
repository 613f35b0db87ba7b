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

G_END_DECLS
