/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dataset-watch.c - see dataset-watch.h.
 */
#include "dataset/dataset-watch.h"

#include <glib/gstdio.h>

enum { LOOK_US = 5 * G_USEC_PER_SEC };

struct _UrbDatasetWatch
{
  char         *path; /* owned */
  char         *id;   /* owned */
  GStatBuf      seen; /* of the file when it was last verified, or begun to be */
  gint64        looked_us;
  GCancellable *cancellable; /* owned */
  GThread      *thread;      /* (nullable) owned; verifies */
  int           is_done;     /* atomic: the thread has a result */
  GError       *problem;     /* (nullable) owned; once is_done */
};

static gboolean
verify (UrbDatasetWatch *self, GError **error)
{
  g_autoptr(UrbDataset) dataset = urb_dataset_open_unverified (self->path, error);

  if (dataset == NULL)
    return FALSE;
  if (g_strcmp0 (urb_dataset_get_info (dataset)->id, self->id) != 0)
    {
      g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED,
                   "The file '%s' now has another dataset", self->path);
      return FALSE;
    }
  return urb_dataset_verify (dataset, self->cancellable, error);
}

static gpointer
verify_thread (gpointer data)
{
  UrbDatasetWatch *self = data;

  verify (self, &self->problem);
  g_atomic_int_set (&self->is_done, TRUE);
  return NULL;
}

static void
start (UrbDatasetWatch *self)
{
  g_clear_pointer (&self->thread, g_thread_join);
  self->is_done = FALSE;
  self->thread = g_thread_new ("verify-dataset", verify_thread, self);
}

/* Whether somebody has written into the file that is being read. */
static gboolean
has_changed (const GStatBuf *seen, const GStatBuf *now)
{
  return seen->st_dev == now->st_dev && seen->st_ino == now->st_ino
         && (seen->st_size != now->st_size || seen->st_mtim.tv_sec != now->st_mtim.tv_sec
             || seen->st_mtim.tv_nsec != now->st_mtim.tv_nsec
             || seen->st_ctim.tv_sec != now->st_ctim.tv_sec
             || seen->st_ctim.tv_nsec != now->st_ctim.tv_nsec);
}

static void
look (UrbDatasetWatch *self)
{
  GStatBuf now;

  self->looked_us = g_get_monotonic_time ();
  if (g_stat (self->path, &now) != 0 || !has_changed (&self->seen, &now))
    return;
  self->seen = now;
  start (self);
}

UrbDatasetWatch *
urb_dataset_watch_new (UrbDataset *dataset, const char *path)
{
  UrbDatasetWatch *self = g_new0 (UrbDatasetWatch, 1);

  self->path = g_strdup (path);
  self->id = g_strdup (urb_dataset_get_info (dataset)->id);
  self->cancellable = g_cancellable_new ();
  self->looked_us = g_get_monotonic_time ();
  g_stat (path, &self->seen);
  self->is_done = urb_dataset_is_verified (dataset);
  if (!self->is_done)
    start (self);
  return self;
}

void
urb_dataset_watch_free (UrbDatasetWatch *self)
{
  if (self == NULL)
    return;
  g_cancellable_cancel (self->cancellable);
  g_clear_pointer (&self->thread, g_thread_join);
  g_object_unref (self->cancellable);
  g_clear_error (&self->problem);
  g_free (self->path);
  g_free (self->id);
  g_free (self);
}

static gboolean
tell (UrbDatasetWatch *self, GError **error)
{
  if (self->problem == NULL)
    return TRUE;
  g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED,
               "The dataset was changed while the run trained on it. %s. Bring the old file back, and resume",
               self->problem->message);
  return FALSE;
}

gboolean
urb_dataset_watch_poll (UrbDatasetWatch *self, GError **error)
{
  if (g_atomic_int_get (&self->is_done) && self->problem == NULL
      && g_get_monotonic_time () - self->looked_us >= LOOK_US)
    look (self);
  return !g_atomic_int_get (&self->is_done) || tell (self, error);
}

gboolean
urb_dataset_watch_settle (UrbDatasetWatch *self, GError **error)
{
  g_clear_pointer (&self->thread, g_thread_join);
  if (self->problem == NULL)
    look (self);
  g_clear_pointer (&self->thread, g_thread_join);
  return tell (self, error);
}
