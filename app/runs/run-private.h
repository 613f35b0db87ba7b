/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-private.h - what the files of UrbariumRun share.
 *
 *   run.c           the object: properties, lists
 *   run-take.c      what a record changes
 *   run-history.c   run.db: read in a thread, taken in small bites
 *   run-link.c      the supervisor: found, watched, lost
 *   run-commands.c  the verbs
 *
 * Records come from run.db until that is read, and then from the supervisor's
 * subscription.  Both ask for what follows last_seq, so that none is missed, and
 * a number that was seen already is dropped.
 */
#pragma once

#include "app/runs/run-items.h"
#include "app/runs/run-peek.h"
#include "run/client.h"

G_BEGIN_DECLS

/* A command under way. */
typedef enum
{
  URBARIUM_VERB_IDLE,
  URBARIUM_VERB_PAUSE,
  URBARIUM_VERB_RESUME,
  URBARIUM_VERB_STOP,
  URBARIUM_VERB_CHECKPOINT,
  URBARIUM_VERB_SAMPLE,
  URBARIUM_VERB_EXTEND,
  URBARIUM_VERB_ROLL_BACK,
  URBARIUM_VERB_RENAME,
  URBARIUM_N_VERBS
} UrbariumRunVerb;

struct _UrbariumRun
{
  GObject parent_instance;

  char           *folder; /* owned */
  UrbRunConfig    config;
  gboolean        has_config;
  GListStore     *samples, *checkpoints, *events, *workers, *gpus; /* owned */
  UrbariumSeries *metrics[URB_N_METRICS];                   /* owned */
  UrbariumSeries *speed;                                    /* owned */

  /* What properties show. */
  UrbRunState     state;
  gboolean        has_state;   /* known at all */
  gboolean        interrupted; /* its supervisor is gone without a last word */
  gboolean        live, loading, silent;
  gboolean        has_checkpoint; /* as of the last peek */
  gint64          step, n_steps, images;
  double          images_per_s, seconds_left;
  UrbariumRunVerb busy;

  /* run-history.c */
  int             n_followers;
  gint64          last_seq;    /* newest record taken */
  gint64          last_step, last_images; /* of the newest step taken */
  guint64         db_inode;    /* 0: not read yet */
  GCancellable   *reading;     /* owned, nullable; a page is on its way */
  GArray         *page;        /* owned, nullable; UrbariumRecord; being taken */
  guint           page_next;
  gboolean        page_is_last, read_again;
  guint           take_id;
  GPtrArray      *new_events;  /* owned; taken, not in the list yet */

  /* run-link.c */
  UrbRunClient   *client;      /* owned, nullable */
  GFileMonitor   *monitor;     /* owned */
  GCancellable   *peeking;     /* owned, nullable */
  guint           n_subscribing, n_stale; /* asked for; and taken back meanwhile */
  gboolean        subscribed, caught_up;
  gboolean        was_live;    /* since the last peek */
  gint64          last_word_us;
  guint           status_id, attach_id, n_tries;

  /* run-commands.c */
  GPtrArray      *commands;     /* owned; sent, not answered */
  gint64          roll_back_to; /* as soon as it has stopped; -1: no */
};

/* run.c: what changes a property tells so. */
void urbarium_run_set_config  (UrbariumRun *self, const UrbRunConfig *config);
void urbarium_run_set_name    (UrbariumRun *self, const char *name);
void urbarium_run_set_state   (UrbariumRun *self, UrbRunState state, gboolean interrupted);
void urbarium_run_set_live    (UrbariumRun *self, gboolean live);
void urbarium_run_set_silent  (UrbariumRun *self, gboolean silent);
void urbarium_run_set_loading (UrbariumRun *self, gboolean loading);
void urbarium_run_set_has_checkpoint (UrbariumRun *self, gboolean has_checkpoint);
void urbarium_run_set_busy    (UrbariumRun *self, UrbariumRunVerb verb);
void urbarium_run_set_progress (UrbariumRun *self, gint64 step, gint64 n_steps, gint64 images,
                                double images_per_s);
UrbariumRunWorker *urbarium_run_ensure_worker (UrbariumRun *self, int rank);
void urbarium_run_end_workers (UrbariumRun *self);
gint64 urbarium_run_get_workers_step (UrbariumRun *self);
void urbarium_run_emit_failed (UrbariumRun *self, const char *what, const GError *error);

/* run-take.c.  Takes one record that is newer than all before. */
void urbarium_run_take        (UrbariumRun *self, const UrbariumRecord *record);
/* Around many of them. */
void urbarium_run_freeze      (UrbariumRun *self);
void urbarium_run_thaw        (UrbariumRun *self);
/* Forgets what was read: another run began in this folder. */
void urbarium_run_forget      (UrbariumRun *self);

/* run-history.c: reads what is new, then subscribes. */
void urbarium_run_catch_up    (UrbariumRun *self);
void urbarium_run_cancel_reading (UrbariumRun *self);

/* run-link.c */
void urbarium_run_link_start  (UrbariumRun *self);
void urbarium_run_link_stop   (UrbariumRun *self);
void urbarium_run_attach      (UrbariumRun *self); /* if there is a supervisor */
void urbarium_run_peek        (UrbariumRun *self);
void urbarium_run_apply_peek  (UrbariumRun *self, const UrbariumRunPeek *peek);
void urbarium_run_subscribe   (UrbariumRun *self);
void urbarium_run_unsubscribe (UrbariumRun *self);
void urbarium_run_ask_status  (UrbariumRun *self);

/* run-commands.c: the state has changed, or there is a new checkpoint or sample. */
void urbarium_run_settle      (UrbariumRun *self, UrbariumRunVerb done);
void urbarium_run_forget_commands (UrbariumRun *self);
const char *urbarium_run_verb_text (UrbariumRunVerb verb); /* (nullable) */

G_END_DECLS
