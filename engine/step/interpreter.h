/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interpreter.h - runs a planned step program.
 *
 * It owns the memory of the program's stores, except for borrowed blocks (a sampler's
 * generator reads the trainer's EMA), and resolves every argument to a pointer once.
 * Running a step allocates nothing.
 */
#pragma once

#include "step/program.h"

G_BEGIN_DECLS

typedef struct _UrbInterpreter UrbInterpreter;

/* @program: planned on @backend; both borrowed; must outlive the interpreter.
 * @borrowed: (nullable): (n_buffers) pointers to use instead of own memory; NULL
 * entries are allocated.
 * @transport: (nullable): copied; what it points to must outlive the interpreter.
 * NULL only for a program without collectives.
 * Fails with %URB_STEP_ERROR_MEMORY. */
UrbInterpreter *urb_interpreter_new  (UrbProgram *program, UkBackend *backend, void *const *borrowed,
                                      const UrbTransport *transport, GError **error);
/* The same, without collectives, with arena, scratch and packed weights in @workspace: borrowed
 * device memory of urb_program_get_workspace_bytes ().  It may be used otherwise between runs, after
 * which the prologue must run again. */
UrbInterpreter *urb_interpreter_new_in (UrbProgram *program, UkBackend *backend, void *const *borrowed,
                                        void *workspace, GError **error);
void            urb_interpreter_free (UrbInterpreter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbInterpreter, urb_interpreter_free)

/* @storage: (nullable): copied; what it points to must outlive the interpreter (train/storage.h).  For a
 * program with transfers, before its first run. */
void urb_interpreter_set_storage (UrbInterpreter *self, const UrbTransport *storage);

/* Device memory that has no contents between runs.  @n_bytes: (out) */
void *urb_interpreter_get_arena  (UrbInterpreter *self, gint64 *n_bytes);
/* Device memory of a buffer that is in it. */
void *urb_interpreter_get_memory (UrbInterpreter *self, int buffer);

/* Packs the weights whose packing persists from step to step.  Call it after parameters
 * were written from outside. */
gboolean urb_interpreter_run_prologue (UrbInterpreter *self, GError **error);

/* Runs one step; returns when all of it is done.  Collectives run on a thread of their own,
 * concurrent with the computation.  If an instruction fails, the other ranks are notified and
 * nothing stays pending; if a collective fails, this and every later step fail with its error. */
gboolean urb_interpreter_run (UrbInterpreter *self, GError **error);

/* The same in two parts: submits the step to the backend …
 * _may_overlap: whether it would do so by one call, without waiting for anything, and so also while the step
 * before is not finished */
gboolean urb_interpreter_may_overlap (const UrbInterpreter *self);
gboolean urb_interpreter_start       (UrbInterpreter *self, GError **error);
/* … and waits for it.  @mark: of the backend, set after the step was submitted; -1: waits for everything */
gboolean urb_interpreter_finish      (UrbInterpreter *self, int mark, GError **error);

/* Called after an instruction has run; FALSE: stop. */
typedef gboolean (*UrbCheckFunc) (gpointer data, const UrbInstruction *instruction);

/* Repeats the last step to inspect its results: without updates and notes, until @check returns
 * FALSE.  Only for a program without collectives. */
gboolean urb_interpreter_retrace (UrbInterpreter *self, UrbCheckFunc check, gpointer data,
                                  GError **error);

/* Called by URB_DO_NOTE in the running thread. */
typedef void (*UrbNoteFunc) (gpointer data, int note);
void urb_interpreter_set_listener (UrbInterpreter *self, UrbNoteFunc func, gpointer data);

/* Called before every instruction of a step in the running thread; where the backend replays a
 * recording, before its first instruction. */
typedef void (*UrbInstructionFunc) (gpointer data, int instruction);
void urb_interpreter_set_progress (UrbInterpreter *self, UrbInstructionFunc func, gpointer data);

/* Runs every instruction individually on any backend, so that callbacks come between any two. */
void urb_interpreter_forbid_recording (UrbInterpreter *self);

/* Microseconds of the monotonic clock. */
typedef struct
{
  gint64 begin_us, end_us;
} UrbSpan;

/* With tracing on, the time span of every instruction is recorded (and waited for, on a device).
 * _get_span: in the last step; for a collective that of its start, for a wait the time it blocked.
 * _get_request_span: the span of the collective itself. */
void    urb_interpreter_set_tracing      (UrbInterpreter *self, gboolean on);
UrbSpan urb_interpreter_get_span         (UrbInterpreter *self, guint instruction);
UrbSpan urb_interpreter_get_request_span (UrbInterpreter *self, int request);
/* Of its transport; 1 without collectives. */
guint   urb_interpreter_get_n_lanes      (UrbInterpreter *self);

/* With profiling on, every instruction is timed (and waited for). */
void urb_interpreter_set_profiling (UrbInterpreter *self, gboolean on);

/* Time of an instruction since profiling was switched on. */
typedef struct
{
  double seconds; /* sum */
  gint64 n_runs;
} UrbTiming;

const UrbTiming *urb_interpreter_get_timing (UrbInterpreter *self, guint instruction);

typedef struct
{
  const char *net;     /* (static) "g", "d": the name of its network */
  int         layer;
  double      seconds; /* of a step, forward and backward */
} UrbLayerTiming;

/* What was timed, by layer.  @total: (out): seconds of a step, that of no layer included
 * Returns: (transfer full) (element-type UrbLayerTiming) */
GArray *urb_interpreter_list_layers (UrbInterpreter *self, double *total);

/* A table for people: every instruction with its share of the step, and its FLOP/s and bytes/s
 * relative to the machine's peaks (FLOP/s, bytes/s). */
char *urb_interpreter_dup_profile (UrbInterpreter *self, double peak_flops, double peak_copy);

G_END_DECLS
