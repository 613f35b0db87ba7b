/* SPDX-License-Identifier: Apache-2.0 */
/*
 * async.h - what one rank of an asynchronous run (hogwild, streams) has beside
 * its trainer: its part in the shared parameters.
 */
#pragma once

#include "parallel/hogwild.h"
#include "train/trainer.h"

G_BEGIN_DECLS

typedef struct
{
  UrbSharedParams *shared;       /* borrowed */
  gboolean         fills;        /* its parameters are those that all begin with */
  gboolean         begun, held;
  int              n_ranks, staleness;
  UrbHogwildWorker worker;
  UrbSharedLayout  layout;
  guint64          seed;         /* of its own data and random numbers */
  double           rate;         /* on learning rates */
  gint64           position;     /* in its own data: batches seen */
} UrbAsync;

/* NULL for a strategy whose ranks go in step, and for an asynchronous one of
 * a rank that is alone (a bench of its program). */
UrbAsync *urb_async_new  (const UrbTrainOptions *options, const UrbRank *rank);
void      urb_async_free (UrbAsync *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbAsync, urb_async_free)

/* Maps what @program (planned) shares.  @options: resolved.
 * @lent: (out) (transfer container): for urb_interpreter_new() */
gboolean  urb_async_attach  (UrbAsync *self, const UrbProgram *program, UkBackend *backend,
                             const UrbTrainOptions *options, void ***lent, GError **error);
/* Bytes of @program that another rank has allocated for this one. */
gint64    urb_async_count_lent (const UrbAsync *self, const UrbProgram *program,
                                const UrbTrainOptions *options);
/* Before the backend is closed, and after the last use of what was lent. */
void      urb_async_detach  (UrbAsync *self);
/* Whether what it was lent is still there; if not, that is the error, whatever error it led to. */
gboolean  urb_async_check   (UrbAsync *self, GError **error);
/* @interpreter: made with that. */
void      urb_async_connect (UrbAsync *self, const UrbProgram *program, UrbInterpreter *interpreter);

/* Whether @buffer is this rank's to fill: all that it does not share, and what it
 * shares if it is the one that fills it. */
gboolean  urb_async_may_fill (const UrbAsync *self, const UrbProgram *program, int buffer);

/* Takes part from now on.  @step: done when it begins, where it fills; the others wait until that one
 * has begun. */
gboolean  urb_async_begin   (UrbAsync *self, gint64 step, gint64 n_steps, GError **error);
void      urb_async_leave   (UrbAsync *self);

/* The parameters were filled again while the others were held: they go on from @step. */
void      urb_async_restart (UrbAsync *self, gint64 step, gint64 n_steps);

/* Holds the others between two steps, until urb_async_release().  Nothing before it has begun. */
gboolean  urb_async_hold    (UrbAsync *self, GError **error);
void      urb_async_release (UrbAsync *self);

G_END_DECLS
