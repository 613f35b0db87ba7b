/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-roofline.h - what `plan` says of a step on a GPU: what it costs there at least.
 */
#pragma once

#include <json-glib/json-glib.h>

#include "train/roofline.h"

G_BEGIN_DECLS

typedef struct
{
  UrbGpu      gpu;
  UkPrecision precision;
  int         n_ranks;
  UrbRoofline step; /* of the first rank */
} UrbCliRoofline;

/* @gpu: see urb_gpu_parse(); it need not be here. */
gboolean urb_cli_roofline_make       (const UrbTrainOptions *options, const char *gpu, UrbCliRoofline *out,
                                      GError **error);
void     urb_cli_roofline_print      (const UrbCliRoofline *self);
/* Adds its members. */
void     urb_cli_roofline_build_json (const UrbCliRoofline *self, JsonBuilder *json);

G_END_DECLS
