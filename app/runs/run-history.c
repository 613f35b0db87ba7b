/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-history.c - reads run.db.
 *
 * What is hard: a history may have a million records, and the main loop eight
 * milliseconds.  A thread reads a page; an idle source takes bites of
 * it for as long as a bite may last; only then the next page is read.
 */
#include <sys/stat.h>

#include "app/runs/run-private.h"
#include "run/run-db.h"

enum { PAGE_RECORDS = 4096, BITE_US = 3000, BITE_RECORDS = 32 };

typedef struct
{
  char   *folder; /* owned */
  gint64  since;
  guint64 inode;  /* of the file that was read last; 0: none */
} Question;

typedef struct
{
  GArray  *records; /* owned; UrbariumRecord */
  gboolean last;    /* there are no more for now */
  gboolean anew;    /* of another file than last time: from its beginning */
  guint64  inode;
} Page;

static void
question_free (gpointer data)
{
  Question *question = data;
  g_free (question->folder);
  g_free (question);
}

static void
clear_record (gpointer data)
{
  urbarium_record_clear (data);
}

static Page *
page_new (void)
{
  Page *page = g_new0 (Page, 1);
  page->records = g_array_new (FALSE, FALSE, sizeof (UrbariumRecord));
  g_array_set_clear_func (page->records, clear_record);
  return page;
}

static void
page_free (gpointer data)
{
  Page *page = data;
  g_clear_pointer (&page->records, g_array_unref);
  g_free (page);
}

/* ------------------------------------------------------------------------ */
/* In the thread                                                             */

static void
read_record (const UrbRunRecord *from, gpointer user_data)
{
  Page *page = user_data;
  UrbariumRecord record;
  urbarium_record_copy (&record, from);
  g_array_append_val (page->records, record);
}

static gboolean
read_page (const Question *question, Page *page, GError **error)
{
  g_autofree char *path = g_build_filename (question->folder, "run.db", NULL);
  g_autoptr(UrbRunDb) db = NULL;
  struct stat info;
  gint64 since = question->since;
  int n;
  if (stat (path, &info) != 0)
    {
      page->last = TRUE; /* it has not begun */
      page->inode = question->inode;
      return TRUE;
    }
  db = urb_run_db_open_reader (path, error);
  if (db == NULL)
    return FALSE;
  page->inode = info.st_ino;
  page->anew = question->inode != 0
               && (page->inode != question->inode || urb_run_db_get_last_seq (db) < since);
  if (page->anew)
    since = 0;
  n = urb_run_db_read (db, since, PAGE_RECORDS, read_record, page, error);
  page->last = n < PAGE_RECORDS;
  return n >= 0;
}

static void
read_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Page *page = page_new ();
  GError *error = NULL;
  if (read_page (data, page, &error))
    g_task_return_pointer (task, page, page_free);
  else
    {
      page_free (page);
      g_task_return_error (task, error);
    }
}

/* ------------------------------------------------------------------------ */
/* On the main loop                                                          */

static void read_next (UrbariumRun *self);

static void
finish_page (UrbariumRun *self)
{
  gboolean last = self->page_is_last;
  g_clear_pointer (&self->page, g_array_unref);
  if (!last || self->read_again)
    {
      read_next (self);
      return;
    }
  urbarium_run_set_loading (self, FALSE);
  urbarium_run_subscribe (self);
}

static gboolean
take_cb (gpointer user_data)
{
  UrbariumRun *self = user_data;
  gint64 until = g_get_monotonic_time () + BITE_US;
  urbarium_run_freeze (self);
  do
    for (int i = 0; i < BITE_RECORDS && self->page_next < self->page->len; i++)
      urbarium_run_take (self, &g_array_index (self->page, UrbariumRecord, self->page_next++));
  while (self->page_next < self->page->len && g_get_monotonic_time () < until);
  urbarium_run_thaw (self);
  if (self->page_next < self->page->len)
    return G_SOURCE_CONTINUE;
  self->take_id = 0;
  finish_page (self);
  return G_SOURCE_REMOVE;
}

static void
page_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr(UrbariumRun) self = user_data;
  g_autoptr(GError) error = NULL;
  Page *page = g_task_propagate_pointer (G_TASK (result), &error);
  if (g_task_get_cancellable (G_TASK (result)) != self->reading)
    {
      g_clear_pointer (&page, page_free); /* the answer to an old question */
      return;
    }
  g_clear_object (&self->reading);
  if (page == NULL)
    {
      /* What the supervisor tells is still worth having. */
      g_message ("the history of '%s' cannot be read: %s", self->folder, error->message);
      urbarium_run_set_loading (self, FALSE);
      urbarium_run_subscribe (self);
      return;
    }
  if (page->anew)
    urbarium_run_forget (self);
  self->db_inode = page->inode;
  self->page = g_steal_pointer (&page->records);
  self->page_next = 0;
  self->page_is_last = page->last;
  self->take_id = g_idle_add (take_cb, self);
  page_free (page);
}

static void
read_next (UrbariumRun *self)
{
  Question *question = g_new (Question, 1);
  g_autoptr(GTask) task = NULL;
  *question = (Question){ g_strdup (self->folder), self->last_seq, self->db_inode };
  self->read_again = FALSE;
  self->reading = g_cancellable_new ();
  /* Not as the task's source: its thread may drop the last reference to that. */
  task = g_task_new (NULL, self->reading, page_cb, g_object_ref (self));
  g_task_set_task_data (task, question, question_free);
  g_task_run_in_thread (task, read_thread);
}

void
urbarium_run_catch_up (UrbariumRun *self)
{
  if (self->n_followers == 0 || self->subscribed)
    return;
  if (self->reading != NULL || self->page != NULL)
    {
      self->read_again = TRUE;
      return;
    }
  if (self->last_seq == 0)
    urbarium_run_set_loading (self, TRUE);
  read_next (self);
}

void
urbarium_run_cancel_reading (UrbariumRun *self)
{
  if (self->reading != NULL)
    g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
  g_clear_handle_id (&self->take_id, g_source_remove);
  g_clear_pointer (&self->page, g_array_unref);
  self->read_again = FALSE;
  urbarium_run_set_loading (self, FALSE);
}

void
urbarium_run_follow (UrbariumRun *self)
{
  g_return_if_fail (URBARIUM_IS_RUN (self));
  if (self->n_followers++ == 0)
    urbarium_run_catch_up (self);
}

void
urbarium_run_unfollow (UrbariumRun *self)
{
  g_return_if_fail (URBARIUM_IS_RUN (self) && self->n_followers > 0);
  if (--self->n_followers > 0)
    return;
  urbarium_run_cancel_reading (self);
  urbarium_run_unsubscribe (self);
}
