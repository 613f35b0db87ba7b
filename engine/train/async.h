/* SPDX-License-Identifier: Apache-2.0 */
/*
 * async.h - the part of an asynchronous rank (hogwild, streams) in the shared parameters.
 *
 * From urb_async_may_fill() on, every function accepts %NULL, a synchronous rank: it succeeds, and
 * does nothing.
 */
#pragma once

#include "parallel/hogwild.h"
#include "parallel/rank.h"
#include "settings/run-config.h"

G_BEGIN_DECLS

typedef struct _UrbAsync UrbAsync;

struct _UrbAsync
{
  UrbSharedParams *shared;       /* borrowed */
  gboolean         fills;        /* it initializes the shared parameters */
  gboolean         begun, held;
  int              n_ranks, staleness;
  UrbHogwildWorker worker;
  UrbSharedLayout  layout;
  guint64          seed;         /* of its data order and random numbers */
  double           rate;         /* factor on learning rates */
  gint64           position;     /* in its own data: batches read */
};

/* NULL for synchronous strategies, and for a rank without shared parameters (a benchmark of its
 * program). */
UrbAsync *urb_async_new  (const UrbTrainOptions *options, const UrbRank *rank);
void      urb_async_free (UrbAsync *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbAsync, urb_async_free)

/* Maps what @program (planned) shares.  @options: resolved.
 * @lent: (out) (transfer container): memory for urb_interpreter_new() */
gboolean  urb_async_attach  (UrbAsync *self, const UrbProgram *program, UkBackend *backend,
                             const UrbTrainOptions *options, void ***lent, GError **error);
/* Bytes of @program that rank 0 allocates for all ranks. */
gint64    urb_async_count_shared (const UrbProgram *program, const UrbTrainOptions *options);
/* After the last use of the shared memory, before the backend is closed. */
void      urb_async_detach  (UrbAsync *self);
/* Whether the shared memory still exists; if not, that replaces any other error. */
gboolean  urb_async_check   (UrbAsync *self, GError **error);
/* @interpreter: made with that memory. */
void      urb_async_connect (UrbAsync *self, const UrbProgram *program, UrbInterpreter *interpreter);

/* Whether this rank initializes @buffer: always if it is not shared. */
gboolean  urb_async_may_fill (const UrbAsync *self, const UrbProgram *program, int buffer);

/* Takes part from now on.  @step: the steps done, if this rank initializes the parameters; the
 * others wait for that. */
gboolean  urb_async_begin   (UrbAsync *self, gint64 step, gint64 n_steps, GError **error);
/* No rank waits for this one from now on. */
void      urb_async_leave   (UrbAsync *self);

/* The parameters were restored while the others were held: they continue from @step. */
void      urb_async_restart (UrbAsync *self, gint64 step, gint64 n_steps);

/* Lets the others finish their steps, and holds them until urb_async_release().  Does nothing before
 * begin().  FALSE with %URB_TRAIN_ERROR_CHECKPOINT if a rank hangs. */
gboolean  urb_async_hold    (UrbAsync *self, GError **error);
void      urb_async_release (UrbAsync *self);

G_END_DECLS
