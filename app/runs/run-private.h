/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-private.h - shared by the files of UrbariumRun.  Each uses only those below it:
 *
 *   run-class.c     the class: properties, signal
 *   run-commands.c  pause, resume, stop ...
 *   run-link.c      finds the supervisor, listens to it, notices its end
 *   run-history.c   reads run.db in a thread
 *   run-apply.c     applies records
 *   run-status.c    requests to the supervisor
 *   run.c           setters, which notify, and getters
 *
 * (Only the completion of commands is called upwards.)
 *
 * Records come from run.db until it has been read, then from the subscription to the supervisor.
 * Both continue after last_seq, so that no record is missed, and known sequence numbers are dropped.
 */
#pragma once

#include "app/runs/run-items.h"
#include "app/runs/run-peek.h"
#include "run/store/client.h"

G_BEGIN_DECLS

/* A pending command. */
typedef enum
{
  URBARIUM_VERB_IDLE,
  URBARIUM_VERB_PAUSE,
  URBARIUM_VERB_RESUME,
  URBARIUM_VERB_STOP,
  URBARIUM_VERB_CHECKPOINT,
  URBARIUM_VERB_SAMPLE,
  URBARIUM_VERB_TRACE,
  URBARIUM_VERB_EXTEND,
  URBARIUM_VERB_ROLL_BACK,
  URBARIUM_VERB_RENAME,
  URBARIUM_VERB_ANNOTATE,
  URBARIUM_VERB_MOVE,
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
  UrbariumSeries *images_seen, *minutes;                    /* owned */
  UrbariumSeries *scores[URB_N_SCORES], *score_limit;       /* owned */

  /* Values of properties. */
  UrbRunState     state;
  gboolean        has_state;   /* the state is known */
  gboolean        interrupted; /* its supervisor died */
  GError         *trouble;     /* owned; nullable: why it failed, translated */
  gboolean        gone;        /* its folder is missing */
  gboolean        live, loading, silent;
  gboolean        has_checkpoint; /* as of the last peek */
  gint64          step, n_steps, images;
  double          images_per_s, last_images_per_s, seconds_left;
  double          score;
  UrbariumRunVerb busy;
  char          **waits_for;   /* owned, nullable; folders of runs */
  int             queue_place;
  gboolean        can_move[2]; /* by UrbQueueMove */

  /* run-history.c */
  int             n_followers;
  gint64          last_seq;    /* newest record applied */
  gint64          last_step, last_images; /* of the newest step applied */
  guint64         db_inode;    /* 0: not read yet */
  gboolean        knows_energy; /* of a GPU or of the processors */
  GCancellable   *reading;     /* owned, nullable; a page is being read */
  GArray         *page;        /* owned, nullable; UrbRunRecord; being applied */
  guint           page_next;
  gboolean        page_is_last, read_again;
  guint           apply_id;
  GPtrArray      *new_events;  /* owned; applied, not in the list yet */

  /* run-link.c */
  UrbRunClient   *client;      /* owned, nullable */
  GFileMonitor   *monitor;     /* owned */
  GCancellable   *peeking;     /* owned, nullable */
  guint           n_subscribing, n_stale; /* requested; and cancelled since */
  gboolean        subscribed, caught_up;
  gboolean        was_live;    /* since the last peek */
  gint64          last_word_us;
  guint           status_id, attach_id, n_tries;

  /* run-commands.c */
  GPtrArray      *commands;     /* owned; sent, not answered */
  gint64          roll_back_to; /* step to roll back to once it has stopped; -1: none */
};

/* run.c.  All setters notify. */
/* Returns: whether another run was started in this folder */
gboolean urbarium_run_set_config (UrbariumRun *self, const UrbRunConfig *config);
void urbarium_run_set_name    (UrbariumRun *self, const char *name);
/* @note: (nullable): NULL: not told; "": none */
void urbarium_run_set_note    (UrbariumRun *self, const char *note);
void urbarium_run_set_state   (UrbariumRun *self, UrbRunState state, gboolean interrupted);
/* @trouble: (transfer full) (nullable) */
void urbarium_run_set_trouble (UrbariumRun *self, GError *trouble, gboolean gone);
void urbarium_run_set_live    (UrbariumRun *self, gboolean live);
void urbarium_run_set_silent  (UrbariumRun *self, gboolean silent);
void urbarium_run_set_loading (UrbariumRun *self, gboolean loading);
void urbarium_run_set_has_checkpoint (UrbariumRun *self, gboolean has_checkpoint);
void urbarium_run_set_busy    (UrbariumRun *self, UrbariumRunVerb verb);
void urbarium_run_set_progress (UrbariumRun *self, gint64 step, gint64 n_steps, gint64 images,
                                double images_per_s);
/* @images_per_s: of its last steps; 0: unknown
 * @score: its best; NaN: none */
void urbarium_run_set_figures (UrbariumRun *self, double images_per_s, double score);
/* @waits_for: (transfer full) (nullable): folders of the runs for which it waits */
void urbarium_run_set_waits_for (UrbariumRun *self, GStrv waits_for);
/* By its library. */
void urbarium_run_set_queue_place (UrbariumRun *self, int place, gboolean can_be_earlier, gboolean can_be_later);
UrbariumRunWorker *urbarium_run_ensure_worker (UrbariumRun *self, int rank);
void urbarium_run_end_workers (UrbariumRun *self);
/* The step of a worker that ends now: its last heartbeat may be a second old.  -1 for asynchronous
 * strategies, whose ranks share the steps in a way that no record tells. */
gint64 urbarium_run_get_workers_step (UrbariumRun *self);
void urbarium_run_emit_failed (UrbariumRun *self, const char *what, const GError *error);

/* run-status.c */
/* @line: a heartbeat, or a worker of a status; @step: default where it names none */
void urbarium_run_apply_heartbeat (UrbariumRun *self, JsonObject *line, gint64 step);
void urbarium_run_apply_status (UrbariumRun *self, JsonObject *status);
void urbarium_run_ask_status  (UrbariumRun *self);
void urbarium_run_subscribe   (UrbariumRun *self);
void urbarium_run_unsubscribe (UrbariumRun *self);

/* run-apply.c.  Applies one record, newer than all before. */
void urbarium_run_apply       (UrbariumRun *self, const UrbRunRecord *record);
/* Around many calls. */
void urbarium_run_freeze      (UrbariumRun *self);
void urbarium_run_thaw        (UrbariumRun *self);
/* Drops the history: another run was started in this folder. */
void urbarium_run_reset       (UrbariumRun *self);

/* run-history.c: reads new records, then subscribes. */
void urbarium_run_catch_up    (UrbariumRun *self);
void urbarium_run_cancel_reading (UrbariumRun *self);

/* run-link.c */
void urbarium_run_link_start  (UrbariumRun *self);
void urbarium_run_link_stop   (UrbariumRun *self);
void urbarium_run_attach      (UrbariumRun *self); /* if there is a supervisor */
void urbarium_run_apply_peek  (UrbariumRun *self, const UrbariumRunPeek *peek);

/* run-commands.c.  Completes a pending command whose effect has shown: the state has changed, or a
 * checkpoint or sample has been written (@done). */
void urbarium_run_settle      (UrbariumRun *self, UrbariumRunVerb done);
void urbarium_run_forget_commands (UrbariumRun *self);
/* A command that is not sent to its supervisor has ended.  @error: (nullable) */
void urbarium_run_end_verb    (UrbariumRun *self, UrbariumRunVerb verb, const GError *error);
const char *urbarium_run_verb_text (UrbariumRunVerb verb); /* (nullable) */

G_END_DECLS
