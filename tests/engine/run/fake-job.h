/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake-job.h - a worker's job without tensors, which fails on command.
 *
 * The preset's name is its script, "ms=2,kill=7": what happens at which step.
 *   ms      milliseconds a step takes
 *   kill    dies by SIGKILL, once          kill-always   each time
 *   abort   dies by SIGABRT, once          exit          ends with code 3, once
 *   memory  complains and ends as a program without memory does, once
 *   kill-launcher  writes its maps to the file "maps" and kills its parent by SIGKILL, once
 *   hang    never ends the step, once      freeze        stops itself, once
 *   diverge reports a divergence           device        reports a device error, each time
 *   refuse  cannot be opened               full          cannot save that step, once
 *   wrong-count, skip  of ranks that talk: does a collective wrongly, or not at all, once
 *   explode from there on the logits are huge
 *   ahead   from there on a step begins before the one before it is returned, where that is allowed
 *   alike   from there on 10 steps draw the same city everywhere
 *   gpu     computes on the GPU of that PCI bus; several workers on those from there on
 *   rank    only that one of several workers does any of it
 * A file in the folder `dataset` records what was done "once".
 */
#pragma once

#include "run/worker/job.h"

G_BEGIN_DECLS

extern const UrbWorkerJob fake_job;

/* Main function of a program that is its own worker: if @argv says so, runs the worker and returns
 * its exit code, else -1. */
int     fake_job_main (int argc, char **argv, const UrbWorkerJob *job);

/* The state after @step steps, however often the job was interrupted. */
guint64 fake_job_state_at (gint64 step);
/* The same, read from a checkpoint. */
guint64 fake_job_read_state (const char *checkpoint);

G_END_DECLS
