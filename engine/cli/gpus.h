/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpus.h - the GPUs of this machine, as NVIDIA's driver lists them.
 */
#pragma once

#include <glib.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef struct _UrbCliGpus UrbCliGpus;

UrbCliGpus *urb_cli_gpus_new  (void); /* none without a driver */
void        urb_cli_gpus_free (UrbCliGpus *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbCliGpus, urb_cli_gpus_free)

/* @why_not: (nullable): why none of them can be trained on; %NULL: they can */
void        urb_cli_gpus_print    (UrbCliGpus *self, const char *why_not);
void        urb_cli_gpus_add_json (UrbCliGpus *self, JsonBuilder *json, const char *why_not);

G_END_DECLS
