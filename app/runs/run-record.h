/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-record.h - reads records from the control protocol.
 */
#pragma once

#include "run/store/json-line.h"
#include "run/store/run-db.h"

G_BEGIN_DECLS

/* @self: (out): its texts are borrowed from @line
 * Metrics that are null become NaN.  A record of unknown type has its sequence number only. */
void urbarium_record_read (UrbRunRecord *self, JsonObject *line);

G_END_DECLS
