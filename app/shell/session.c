/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.c - the file is one serialized a{sv}.  It is read as untrusted, so GVariant returns
 * values of the requested type whatever the bytes are.
 */
#include "app/shell/session.h"

#include <glib/gstdio.h>

enum { DELAY_MS = 1000 };

typedef struct
{
  const char         *key; /* static */
  UrbariumSessionFunc func;
  gpointer            user_data;
} Entry;

struct _UrbariumSession
{
  GObject    parent_instance;
  char      *path;    /* owned */
  GVariant  *loaded;  /* owned; a{sv}: the last session */
  GPtrArray *entries; /* of Entry; owned */
  guint      timer;   /* source */
  gboolean   writing; /* in a thread */
  guint      n_snapshots;
  GMutex     lock;    /* protects the file and: */
  guint      written; /* number of the last snapshot written */
};

typedef struct
{
  guint   number;
  GBytes *bytes;  /* owned */
} Snapshot;

G_DEFINE_FINAL_TYPE (UrbariumSession, urbarium_session, G_TYPE_OBJECT)

static void
snapshot_free (gpointer data)
{
  Snapshot *self = data;
  g_bytes_unref (self->bytes);
  g_free (self);
}

static void
dispose (GObject *object)
{
  UrbariumSession *self = URBARIUM_SESSION (object);
  g_clear_handle_id (&self->timer, g_source_remove);
  g_ptr_array_set_size (self->entries, 0);
  G_OBJECT_CLASS (urbarium_session_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumSession *self = URBARIUM_SESSION (object);
  g_free (self->path);
  g_variant_unref (self->loaded);
  g_ptr_array_unref (self->entries);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (urbarium_session_parent_class)->finalize (object);
}

static void
urbarium_session_class_init (UrbariumSessionClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
urbarium_session_init (UrbariumSession *self)
{
  self->entries = g_ptr_array_new_with_free_func (g_free);
  g_mutex_init (&self->lock);
}

UrbariumSession *
urbarium_session_new (const char *path)
{
  UrbariumSession *self = g_object_new (URBARIUM_TYPE_SESSION, NULL);
  char *text = NULL;
  gsize n = 0;
  g_autoptr(GBytes) bytes = NULL;
  self->path = path != NULL
                 ? g_strdup (path)
                 : g_build_filename (g_get_user_state_dir (), "urbarium", "session", NULL);
  g_file_get_contents (self->path, &text, &n, NULL);
  bytes = g_bytes_new_take (text, n);
  self->loaded
    = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE_VARDICT, bytes, FALSE));
  return self;
}

GVariant *
urbarium_session_get (UrbariumSession *self, const char *key, const GVariantType *type)
{
  return g_variant_lookup_value (self->loaded, key, type);
}

void
urbarium_session_add (UrbariumSession *self, const char *key, UrbariumSessionFunc func,
                      gpointer user_data)
{
  Entry *entry = g_new (Entry, 1);
  *entry = (Entry) { key, func, user_data };
  g_ptr_array_add (self->entries, entry);
}

static Snapshot *
take_snapshot (UrbariumSession *self)
{
  Snapshot *snapshot = g_new (Snapshot, 1);
  g_auto(GVariantDict) dict = G_VARIANT_DICT_INIT (NULL);
  g_autoptr(GVariant) all = NULL;
  for (guint i = 0; i < self->entries->len; i++)
    {
      Entry *entry = self->entries->pdata[i];
      g_autoptr(GVariant) value = entry->func (entry->user_data);
      if (value == NULL)
        value = g_variant_lookup_value (self->loaded, entry->key, NULL);
      if (value != NULL)
        g_variant_dict_insert_value (&dict, entry->key, value);
    }
  all = g_variant_ref_sink (g_variant_dict_end (&dict));
  *snapshot = (Snapshot) { ++self->n_snapshots, g_variant_get_data_as_bytes (all) };
  return snapshot;
}

/* Waits for a write in progress.  A snapshot older than the last one written is dropped. */
static void
write_file (UrbariumSession *self, const Snapshot *snapshot)
{
  g_autofree char *folder = g_path_get_dirname (self->path);
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  g_autoptr(GError) error = NULL;
  if (snapshot->number < self->written)
    return;
  self->written = snapshot->number;
  if (g_mkdir_with_parents (folder, 0700) != 0
      || !g_file_set_contents_full (self->path, g_bytes_get_data (snapshot->bytes, NULL),
                                    (gssize) g_bytes_get_size (snapshot->bytes),
                                    G_FILE_SET_CONTENTS_CONSISTENT, 0600, &error))
    g_info ("Cannot save the session: %s", error == NULL ? g_strerror (errno) : error->message);
}

static void
thread_func (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  write_file (URBARIUM_SESSION (source), data);
  g_task_return_boolean (task, TRUE);
}

static void
written_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  URBARIUM_SESSION (source)->writing = FALSE;
}

static gboolean
timer_cb (gpointer data)
{
  UrbariumSession *self = data;
  g_autoptr(GTask) task = NULL;
  if (self->writing)
    return G_SOURCE_CONTINUE;
  self->timer = 0;
  self->writing = TRUE;
  task = g_task_new (self, NULL, written_cb, NULL);
  g_task_set_task_data (task, take_snapshot (self), snapshot_free);
  g_task_run_in_thread (task, thread_func);
  return G_SOURCE_REMOVE;
}

void
urbarium_session_touch (UrbariumSession *self)
{
  if (self->timer == 0 && self->entries->len > 0)
    self->timer = g_timeout_add (DELAY_MS, timer_cb, self);
}

void
urbarium_session_close (UrbariumSession *self)
{
  Snapshot *snapshot;
  g_clear_handle_id (&self->timer, g_source_remove);
  if (self->entries->len == 0)
    return;
  snapshot = take_snapshot (self);
  g_ptr_array_set_size (self->entries, 0);
  write_file (self, snapshot);
  snapshot_free (snapshot);
}
