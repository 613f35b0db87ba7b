/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpus.h - the GPUs of this machine: those that one can compute on, and those that only the driver
 * knows of.
 */
#pragma once

#include <glib.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef struct _UrbCliGpus UrbCliGpus;

UrbCliGpus *urb_cli_gpus_new  (void);
void        urb_cli_gpus_free (UrbCliGpus *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbCliGpus, urb_cli_gpus_free)

void        urb_cli_gpus_print    (UrbCliGpus *self);
void        urb_cli_gpus_add_json (UrbCliGpus *self, JsonBuilder *json);

G_END_DECLS
