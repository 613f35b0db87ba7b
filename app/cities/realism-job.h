/* SPDX-License-Identifier: Apache-2.0 */
/*
 * realism-job.h - evaluating a checkpoint: what an UrbariumJob runs in its thread.
 *
 * The work is done by `urbarium-engine evaluate`, a process of its own, which is
 * ended at once when the job is cancelled.
 */
#pragma once

#include "app/base/job.h"
#include "app/cities/realism-result.h"

G_BEGIN_DECLS

typedef struct
{
  char *checkpoint, *dataset; /* owned; dataset: (nullable): that of the checkpoint */
  int   count;                /* of generated areas */
} UrbariumRealismQuestion;

UrbariumRealismQuestion *urbarium_realism_question_new  (const char *checkpoint,
                                                         const char *dataset, int count);
void                     urbarium_realism_question_free (gpointer self);

/* UrbariumJobFunc, of a question: an UrbariumRealismResult, which is kept in the cache too. */
gpointer urbarium_realism_evaluate (gpointer question, UrbariumJob *job, GCancellable *cancellable,
                                    GError **error);
/* UrbariumJobFunc, of a question: the result of the cache, or NULL without an error. */
gpointer urbarium_realism_recall   (gpointer question, UrbariumJob *job, GCancellable *cancellable,
                                    GError **error);

G_END_DECLS
