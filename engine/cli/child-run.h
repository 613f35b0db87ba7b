/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child-run.h - a run with a supervisor of its own, as a child of this process:
 * what `train --several` and `bench --ab` are made of.
 *
 * It is started as a user would, `urbarium-engine train … --json`, and watched
 * through the records that this prints.  It belongs to a process group of its own,
 * so that Ctrl+C reaches it through its parent only; should the parent be
 * killed, it stops cleanly by itself.
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

typedef struct _UrbChildRun UrbChildRun;

typedef enum
{
  URB_CHILD_READY, /* its worker is there: training begins */
  URB_CHILD_STEP,
  URB_CHILD_CHECKPOINT,
  URB_CHILD_ENDED
} UrbChildEvent;

/* Called in the thread-default main context of urb_child_run_new(). */
typedef void (*UrbChildRunFunc) (UrbChildRun *self, UrbChildEvent event, gpointer user_data);

/**
 * urb_child_run_new:
 * @name: what its messages begin with on the standard error
 * @arguments: (array zero-terminated=1): behind the program's name: "train", …;
 *   --json is added
 */
UrbChildRun *urb_child_run_new  (const char *name, const char *const *arguments,
                                 UrbChildRunFunc changed, gpointer user_data, GError **error);
void         urb_child_run_free (UrbChildRun *self); /* kills it if it is there */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbChildRun, urb_child_run_free)

/* As Ctrl+C: the first time it stops cleanly, the second time at once. */
void         urb_child_run_interrupt (UrbChildRun *self);

gboolean     urb_child_run_has_ended   (UrbChildRun *self);
int          urb_child_run_get_code    (UrbChildRun *self); /* exit code; 1 if a signal ended it */
gint64       urb_child_run_get_n_steps (UrbChildRun *self); /* in all; 0: not known yet */
const UrbChildPoint *urb_child_run_get_last (UrbChildRun *self); /* zeros before the first step */
double       urb_child_run_get_images_per_s (UrbChildRun *self); /* since the first step; 0: not known */
/* (element-type UrbChildPoint) (transfer none): where checkpoints were written */
GArray      *urb_child_run_get_checkpoints (UrbChildRun *self);
/* The last line that it printed on the standard error, without its prefix. (nullable) */
const char  *urb_child_run_get_complaint (UrbChildRun *self);

G_END_DECLS
