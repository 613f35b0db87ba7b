/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json-line.h - writes and parses JSON objects, one per line.
 */
#pragma once

#include "base/json-build.h"
#include "base/json-read.h"
#include "run/store/run.h"

G_BEGIN_DECLS

enum
{
  URB_LINE_MAX_BYTES = 64 * 1024, /* from a client */
  URB_LINE_MAX_WORKER_BYTES = 4 * 1024 * 1024 /* between supervisor and worker: profiles */
};

/* A member {"domain":…,"code":…,"text":…}, and back: (transfer full) (nullable): NULL without such a
 * member */
void     urb_json_add_error  (JsonBuilder *self, const char *key, const GError *error);
GError  *urb_json_get_error  (JsonObject *object, const char *key);

/**
 * urb_json_parse_line:
 * @line: @length bytes; untrusted
 *
 * Returns: (transfer full): the object; %NULL with a %URB_RUN_ERROR_PROTOCOL if it is not a JSON
 *   object, nested too deeply, or not UTF-8
 */
JsonObject *urb_json_parse_line (const char *line, gsize length, GError **error);

G_END_DECLS
