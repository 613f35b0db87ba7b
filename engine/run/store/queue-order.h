/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue-order.h - the order of runs that wait for each other.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const char        *folder; /* borrowed */
  const char *const *after;  /* borrowed, nullable: folders of the runs that it waits for; those that are not given, too */
  double             since;  /* when it was created or began to wait, seconds since 1970 */
  gpointer           data;   /* of the caller */
  guint              turn;   /* (out) 0: it waits for none of those given; else one more than the last of these;
                              * at least the number of places: in a circle, or behind one */
} UrbQueuePlace;

/* Replaces an absolute path by the one without symbolic links, so that paths can be compared as texts; leaves it if it does
 * not exist.  @path: (inout) */
void  urb_queue_make_real     (char **path);
/* A copy of @path, made real. (transfer full) */
char *urb_queue_dup_real_path (const char *path);

/* Sorts them: by their turns, then the oldest first. */
void  urb_queue_sort          (UrbQueuePlace *places, guint n);

G_END_DECLS
