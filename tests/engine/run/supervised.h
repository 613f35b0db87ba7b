/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervised.h - supervises a run with a fake worker in this process, and checks
 * what it leaves.
 *
 * The worker is a process: this program again (fake-job.h).
 */
#pragma once

#include "fake-job.h"
#include "run-test.h"
#include "run/supervisor/supervisor.h"

G_BEGIN_DECLS

typedef struct _Supervised Supervised;

struct _Supervised
{
  RunTest       *test;
  UrbSupervisor *supervisor; /* owned */
  UrbRunEnd      end;
  GError        *error;      /* owned */
  GString       *events;     /* owned; one a line */
  GString       *profile;    /* owned */
  gint64         interrupt_step; /* interrupt after this step; 0: never */
  int            n_interrupts;   /* of supervised_interrupt_hung() */
  void         (*gpu) (Supervised *f, const UrbGpu *gpu); /* nullable; called for each GPU read */
  int            n_gpus;           /* number of GPUs read */
  gint64         looked_us;        /* time of the last step or event; 0: none yet */
  gint64         longest_pause_us; /* longest time between two of them, from the first step until the first warning */
};

Supervised *supervised_new  (RunTest *t);
void        supervised_free (Supervised *f);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Supervised, supervised_free)

/* A checkpoint every 10 steps, a sample every 5. */
void supervised_fill_config (RunTest *t, UrbRunConfig *config, const char *script, gint64 n_steps);
UrbSupervisorOptions supervised_make_options (Supervised *f);

/* Creates the supervisor, and the folder if needed. */
void
supervised_prepare (Supervised *f, const UrbRunConfig *config, const UrbSupervisorOptions *options);
/* Interrupts twice when a worker hangs by the script; one interrupt does not suffice then. */
void     supervised_interrupt_hung (Supervised *f);

/* Runs it to its end and frees it.  Returns whether it succeeded; prints the error otherwise. */
gboolean supervised_end     (Supervised *f);
/* It has to be. */
void     supervised_finish  (Supervised *f);
/* All of the above; returns whether it succeeded. */
gboolean supervised_run     (Supervised *f, const char *script, gint64 n_steps);

typedef struct
{
  gint64  seq;
  GArray *steps; /* owned; gint64 */
  int     n_samples, n_checkpoints, n_sessions;
} History;

void history_clear (History *h);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (History, history_clear)
/* All of run.db. */
void supervised_read_history (RunTest *t, History *h);

/* Asserts each step once, the right weights, and no socket. */
void supervised_assert_complete (RunTest *t, gint64 n_steps);
/* Among the events. */
void supervised_assert_said (Supervised *f, const char *text);

G_END_DECLS
