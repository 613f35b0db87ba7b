/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake-scorer.h - stands in for the process that scores checkpoints: the score of a checkpoint is its step, so the first
 * is the best, and from step 30 on each has a flaw.  Such a score costs nothing.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* This program, as a scorer. */
extern const char *const fake_scorer_argv[];

gboolean fake_scorer_is_meant (int argc, char **argv);
/* Returns: the exit code */
int      fake_scorer_main     (void);

G_END_DECLS
