/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-history.c - reads run.db.
 *
 * A history may have a million records, and the main loop has eight milliseconds per frame.  A
 * thread reads a page; an idle source applies it in slices of limited duration; then the next page
 * is read.
 */
#include <sys/stat.h>

#include "app/runs/run-private.h"
#include "run/store/run-db.h"

enum { PAGE_RECORDS = 4096, SLICE_US = 3000, SLICE_RECORDS = 32 };

/* Task data: the request, then the result. */
typedef struct
{
  char    *folder;  /* owned */
  gint64   since;
  guint64  inode;   /* of the file read last; 0: none */
  GArray  *records; /* owned; UrbRunRecord with its own texts */
  gboolean last;    /* no more records for now */
  gboolean restart; /* the file was replaced: this page is its first */
} Page;

static void
clear_record (gpointer data)
{
  UrbRunRecord *record = data;
  for (guint i = 0; i < G_N_ELEMENTS (record->texts); i++)
    g_free ((char *) record->texts[i]);
}

static void
page_free (gpointer data)
{
  Page *page = data;
  g_clear_pointer (&page->records, g_array_unref);
  g_free (page->folder);
  g_free (page);
}

/* ------------------------------------------------------------------------ */
/* In the thread                                                             */

static void
read_record (const UrbRunRecord *from, gpointer user_data)
{
  Page *page = user_data;
  UrbRunRecord record = *from;
  for (guint i = 0; i < G_N_ELEMENTS (record.texts); i++)
    record.texts[i] = g_strdup (from->texts[i]);
  g_array_append_val (page->records, record);
}

static gboolean
read_page (Page *page, GError **error)
{
  g_autofree char *path = g_build_filename (page->folder, "run.db", NULL);
  g_autoptr(UrbRunDb) db = NULL;
  guint64 old_inode = page->inode;
  struct stat info;
  int n;
  if (stat (path, &info) != 0)
    {
      page->last = TRUE; /* the run has not started */
      return TRUE;
    }
  db = urb_run_db_open_reader (path, error);
  if (db == NULL)
    return FALSE;
  page->inode = info.st_ino;
  page->restart = old_inode != 0
                  && (page->inode != old_inode || urb_run_db_get_last_seq (db) < page->since);
  n = urb_run_db_read (db, page->restart ? 0 : page->since, PAGE_RECORDS, read_record, page, error);
  page->last = n < PAGE_RECORDS;
  return n >= 0;
}

static void
read_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  if (read_page (data, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

/* ------------------------------------------------------------------------ */
/* On the main loop                                                          */

static void read_next (UrbariumRun *self);

static gboolean
apply_cb (gpointer user_data)
{
  UrbariumRun *self = user_data;
  gint64 until = g_get_monotonic_time () + SLICE_US;
  urbarium_run_freeze (self);
  do
    for (int i = 0; i < SLICE_RECORDS && self->page_next < self->page->len; i++)
      urbarium_run_apply (self, &g_array_index (self->page, UrbRunRecord, self->page_next++));
  while (self->page_next < self->page->len && g_get_monotonic_time () < until);
  urbarium_run_thaw (self);
  if (self->page_next < self->page->len)
    return G_SOURCE_CONTINUE;
  self->apply_id = 0;
  g_clear_pointer (&self->page, g_array_unref);
  if (!self->page_is_last || self->read_again)
    {
      read_next (self);
      return G_SOURCE_REMOVE;
    }
  urbarium_run_set_loading (self, FALSE);
  urbarium_run_subscribe (self);
  return G_SOURCE_REMOVE;
}

static void
page_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr(UrbariumRun) self = user_data;
  g_autoptr(GError) error = NULL;
  Page *page = g_task_get_task_data (G_TASK (result));
  if (g_task_get_cancellable (G_TASK (result)) != self->reading)
    return; /* outdated */
  g_clear_object (&self->reading);
  if (!g_task_propagate_boolean (G_TASK (result), &error))
    {
      /* Still follow the supervisor. */
      g_message ("Cannot read the history of '%s': %s", self->folder, error->message);
      urbarium_run_set_loading (self, FALSE);
      urbarium_run_subscribe (self);
      return;
    }
  if (page->restart)
    urbarium_run_reset (self);
  self->db_inode = page->inode;
  self->page = g_steal_pointer (&page->records);
  self->page_next = 0;
  self->page_is_last = page->last;
  self->apply_id = g_idle_add (apply_cb, self);
}

static void
read_next (UrbariumRun *self)
{
  Page *page = g_new0 (Page, 1);
  g_autoptr(GTask) task = NULL;
  page->folder = g_strdup (self->folder);
  page->since = self->last_seq;
  page->inode = self->db_inode;
  page->records = g_array_new (FALSE, FALSE, sizeof (UrbRunRecord));
  g_array_set_clear_func (page->records, clear_record);
  self->read_again = FALSE;
  self->reading = g_cancellable_new ();
  /* Not the task's source object: the thread could drop its last reference. */
  task = g_task_new (NULL, self->reading, page_cb, g_object_ref (self));
  g_task_set_task_data (task, page, page_free);
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
  g_clear_handle_id (&self->apply_id, g_source_remove);
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
