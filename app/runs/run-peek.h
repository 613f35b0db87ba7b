/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-peek.h - reads the configuration of a run folder, and the end of its history.
 */
#pragma once

#include "run/store/run-db.h"

G_BEGIN_DECLS

typedef struct
{
  UrbRunConfig    config;
  gboolean        exists; /* the folder has a run.ini */
  gboolean        has_config, has_summary, has_checkpoint;
  UrbRunDbSummary summary;
  GError         *failure; /* owned; nullable: as urb_run_find_failure() */
} UrbariumRunPeek;

/* Blocks: call it in a thread.  A run that has not started has no summary. */
UrbariumRunPeek *urbarium_run_peek_new  (const char *folder);
void             urbarium_run_peek_free (UrbariumRunPeek *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumRunPeek, urbarium_run_peek_free)

G_END_DECLS
