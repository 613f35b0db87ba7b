/* SPDX-License-Identifier: Apache-2.0 */
/*
 * realism-job.h - evaluates a checkpoint, in the thread of an UrbariumJob.
 *
 * Runs `urbarium-engine evaluate`, and kills it when the job is cancelled.
 */
#pragma once

#include "app/base/job.h"
#include "app/cities/realism-result.h"

G_BEGIN_DECLS

typedef struct
{
  char *checkpoint, *dataset; /* owned; dataset: (nullable): the checkpoint's own */
  int   count;                /* generated areas */
} UrbariumRealismQuestion;

UrbariumRealismQuestion *urbarium_realism_question_new  (const char *checkpoint,
                                                         const char *dataset, int count);
void                     urbarium_realism_question_free (gpointer self);

/* UrbariumJobFunc: a question in, an UrbariumRealismResult out, which is also cached. */
gpointer urbarium_realism_evaluate (gpointer question, UrbariumJob *job, GCancellable *cancellable,
                                    GError **error);
/* UrbariumJobFunc: a question in, the cached result out, or NULL without an error. */
gpointer urbarium_realism_recall   (gpointer question, UrbariumJob *job, GCancellable *cancellable,
                                    GError **error);

G_END_DECLS
