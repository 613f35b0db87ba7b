/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child-run.h - a run as a child process with its own supervisor, for `train --several` and
 * `bench --ab`.
 *
 * Its folder has its configuration already (urb_run_folder_begin()), so the child is
 * `urbarium-engine resume FOLDER … --json`; its state is read from the records that it prints.  It
 * has its own process group, so that Ctrl+C reaches it only through its parent, and stops cleanly if
 * its parent is killed.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* A point of a run's history. */
typedef struct
{
  gint64 step, images;
  double loss_d, loss_g;
  double seconds; /* since its worker was ready */
} UrbChildPoint;

/* What is known of it. */
typedef struct
{
  gint64        n_steps;      /* in all; 0: not known yet */
  UrbChildPoint last;         /* zeros before the first step */
  double        images_per_s; /* since the first step; 0: not known */
  GArray       *checkpoints;  /* (element-type UrbChildPoint): where they were written */
  char         *complaint;    /* (nullable): its last line on stderr, without the prefix */
  gboolean      has_ended;
  int           code;         /* exit code; 1 if a signal ended it */
} UrbChildState;

typedef struct _UrbChildRun UrbChildRun;

typedef enum
{
  URB_CHILD_READY, /* its worker is there: training begins */
  URB_CHILD_STEP,
  URB_CHILD_ENDED
} UrbChildEvent;

/* Called in the thread-default main context of urb_child_run_new(). */
typedef void (*UrbChildRunFunc) (UrbChildRun *self, UrbChildEvent event, gpointer user_data);

/**
 * urb_child_run_new:
 * @name: prefix of its lines on stderr
 * @arguments: (array zero-terminated=1): after the program's name: "resume", …;
 *   --json is added
 * @changed: (nullable)
 */
UrbChildRun *urb_child_run_new  (const char *name, const char *const *arguments,
                                 UrbChildRunFunc changed, gpointer user_data, GError **error);
void         urb_child_run_free (UrbChildRun *self); /* kills it if it is running */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbChildRun, urb_child_run_free)

/* The first SIGINT stops it cleanly, the second at once. */
void         urb_child_run_send_signal (UrbChildRun *self, int number);

/* Iterates the thread-default main context until it has ended; @cancellable stops it cleanly. */
void         urb_child_run_wait (UrbChildRun *self, GCancellable *cancellable);

const UrbChildState *urb_child_run_get_state (UrbChildRun *self); /* (transfer none) */

G_END_DECLS
