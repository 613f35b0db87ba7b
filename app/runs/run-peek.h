/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-peek.h - a light look at a run folder: its configuration, and where its
 * history ends.
 */
#pragma once

#include "run/run-db.h"

G_BEGIN_DECLS

typedef struct
{
  UrbRunConfig    config;
  gboolean        has_config, has_summary, has_checkpoint;
  UrbRunDbSummary summary;
} UrbariumRunPeek;

/* Blocks: in a thread.  A run that has not got anywhere has no summary. */
UrbariumRunPeek *urbarium_run_peek_new  (const char *folder);
void             urbarium_run_peek_free (UrbariumRunPeek *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumRunPeek, urbarium_run_peek_free)

G_END_DECLS
