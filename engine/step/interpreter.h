/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interpreter.h - runs a planned step program.
 *
 * It owns the memory of the program's stores, except blocks that were lent to
 * it (a sampler's generator reads the trainer's EMA), and resolves every
 * argument to a pointer once.  Running a step allocates nothing.
 */
#pragma once

#include "step/program.h"

G_BEGIN_DECLS

typedef struct _UrbInterpreter UrbInterpreter;

/* @program: planned on @backend; both borrowed, must outlive the interpreter.
 * @lent: (nullable): (n_buffers) pointers to use instead of own memory, NULL
 * entries are allocated.
 * @transport: (nullable): copied; what it points to must outlive the interpreter.
 * NULL only for a program without collectives.
 * Fails with %URB_STEP_ERROR_MEMORY. */
UrbInterpreter *urb_interpreter_new  (UrbProgram *program, UkBackend *backend, void *const *lent,
                                      const UrbTransport *transport, GError **error);
/* The same, without collectives, with arena, scratch and packed weights in @workspace: device
 * memory, urb_program_get_workspace_bytes () long, borrowed.  Others may use it between runs;
 * the prologue has to be run again then. */
UrbInterpreter *urb_interpreter_new_in (UrbProgram *program, UkBackend *backend, void *const *lent,
                                        void *workspace, GError **error);
void            urb_interpreter_free (UrbInterpreter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbInterpreter, urb_interpreter_free)

/* Device memory of a buffer. */
void *urb_interpreter_get_memory (UrbInterpreter *self, int buffer);

/* Makes the packings that live from step to step.  Call it after parameters
 * were written from outside. */
gboolean urb_interpreter_run_prologue (UrbInterpreter *self, GError **error);

/* One step.  Returns when all is done.  Collectives run on a thread of their own,
 * beside the computation.  When an instruction fails, the other ranks are told,
 * and nothing is under way any more; when a collective fails, so does this, with
 * its error, and every later step. */
gboolean urb_interpreter_run (UrbInterpreter *self, GError **error);

/* Sees an instruction after it has run; FALSE: enough. */
typedef gboolean (*UrbCheckFunc) (gpointer data, const UrbInstruction *instruction);

/* Computes the last step once more, to look at what it computed: without updates and notes, and up to
 * where @check has seen enough.  Only for a program without collectives. */
gboolean urb_interpreter_retrace (UrbInterpreter *self, UrbCheckFunc check, gpointer data,
                                  GError **error);

/* Called by URB_DO_NOTE, in the thread that runs. */
typedef void (*UrbNoteFunc) (gpointer data, int note);
void urb_interpreter_set_listener (UrbInterpreter *self, UrbNoteFunc func, gpointer data);

/* Called before every instruction of a step, in the thread that runs; where the backend replays a
 * recording, before the first instruction of that. */
typedef void (*UrbInstructionFunc) (gpointer data, int instruction);
void urb_interpreter_set_progress (UrbInterpreter *self, UrbInstructionFunc func, gpointer data);

/* Called once in a step, in the thread that runs, when everything was asked of the backend and before
 * that is waited for: time in which the host has nothing to do. */
typedef void (*UrbMeanwhileFunc) (gpointer data);
void urb_interpreter_set_meanwhile (UrbInterpreter *self, UrbMeanwhileFunc func, gpointer data);

/* Every instruction is run by itself, on any backend: for who must come between any two. */
void urb_interpreter_forbid_recording (UrbInterpreter *self);

/* Microseconds of the monotonic clock. */
typedef struct
{
  gint64 begin_us, end_us;
} UrbSpan;

/* With tracing on, it is written down when every instruction ran (and was waited
 * for, on a device).  _get_span: in the last step; of a collective that is its start, and of
 * a wait what it blocked.  _get_request_span: when the collective itself ran. */
void    urb_interpreter_set_tracing      (UrbInterpreter *self, gboolean on);
UrbSpan urb_interpreter_get_span         (UrbInterpreter *self, guint instruction);
UrbSpan urb_interpreter_get_request_span (UrbInterpreter *self, int request);

/* With profiling on, every instruction is timed (and waited for). */
void urb_interpreter_set_profiling (UrbInterpreter *self, gboolean on);

/* What an instruction took since profiling was switched on. */
typedef struct
{
  double seconds; /* sum */
  gint64 n_runs;
} UrbTiming;

const UrbTiming *urb_interpreter_get_timing (UrbInterpreter *self, guint instruction);

/* A table for people: every instruction with its share of the step, FLOP/s and
 * bytes/s against the machine's peaks (FLOP/s, bytes/s). */
char *urb_interpreter_dup_profile (UrbInterpreter *self, double peak_flops, double peak_copy);

G_END_DECLS
