/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.c - the file is one serialised dictionary, checked by GVariant when it
 * is read: whatever the bytes are, what comes out is of the type that was asked for.
 */
#include "app/shell/session.h"

#include <glib/gstdio.h>

enum { DELAY_MS = 1000 };

typedef struct
{
  char               *key; /* owned */
  UrbariumSessionFunc func;
  gpointer            user_data;
} Keeper;

struct _UrbariumSession
{
  GObject    parent_instance;
  char      *path;    /* owned */
  GVariant  *kept;    /* owned; a{sv}: what was read */
  GPtrArray *keepers; /* of Keeper; owned */
  guint      timer;   /* source */
  gboolean   writing; /* in a thread */
  guint      n_asked;
  GMutex     lock;    /* of the file, and of: */
  guint      newest;  /* the n_asked of what was written last */
};

typedef struct
{
  guint   number; /* n_asked */
  GBytes *bytes;  /* owned */
} Answer;

G_DEFINE_FINAL_TYPE (UrbariumSession, urbarium_session, G_TYPE_OBJECT)

static void
keeper_free (gpointer data)
{
  Keeper *self = data;
  g_free (self->key);
  g_free (self);
}

static void
answer_free (gpointer data)
{
  Answer *self = data;
  g_bytes_unref (self->bytes);
  g_free (self);
}

static void
dispose (GObject *object)
{
  UrbariumSession *self = URBARIUM_SESSION (object);
  g_clear_handle_id (&self->timer, g_source_remove);
  g_ptr_array_set_size (self->keepers, 0);
  G_OBJECT_CLASS (urbarium_session_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumSession *self = URBARIUM_SESSION (object);
  g_free (self->path);
  g_variant_unref (self->kept);
  g_ptr_array_unref (self->keepers);
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
  self->keepers = g_ptr_array_new_with_free_func (keeper_free);
  g_mutex_init (&self->lock);
}

static GVariant *
read_file (const char *path)
{
  char *text = NULL;
  gsize n = 0;
  g_autoptr(GBytes) bytes = NULL;
  if (g_file_get_contents (path, &text, &n, NULL))
    bytes = g_bytes_new_take (text, n);
  else
    bytes = g_bytes_new_static ("", 0);
  return g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE_VARDICT, bytes, FALSE));
}

UrbariumSession *
urbarium_session_new (const char *path)
{
  UrbariumSession *self = g_object_new (URBARIUM_TYPE_SESSION, NULL);
  self->path = path != NULL
                 ? g_strdup (path)
                 : g_build_filename (g_get_user_state_dir (), "urbarium", "session", NULL);
  self->kept = read_file (self->path);
  return self;
}

GVariant *
urbarium_session_get (UrbariumSession *self, const char *key, const GVariantType *type)
{
  return g_variant_lookup_value (self->kept, key, type);
}

void
urbarium_session_add (UrbariumSession *self, const char *key, UrbariumSessionFunc func,
                      gpointer user_data)
{
  Keeper *keeper = g_new (Keeper, 1);
  *keeper = (Keeper) { g_strdup (key), func, user_data };
  g_ptr_array_add (self->keepers, keeper);
}

/* (transfer full) */
static Answer *
ask_all (UrbariumSession *self)
{
  Answer *answer = g_new (Answer, 1);
  g_auto(GVariantDict) dict = G_VARIANT_DICT_INIT (NULL);
  g_autoptr(GVariant) all = NULL;
  for (guint i = 0; i < self->keepers->len; i++)
    {
      Keeper *keeper = self->keepers->pdata[i];
      g_autoptr(GVariant) value = keeper->func (keeper->user_data);
      if (value == NULL)
        value = g_variant_lookup_value (self->kept, keeper->key, NULL);
      if (value != NULL)
        g_variant_dict_insert_value (&dict, keeper->key, value);
    }
  all = g_variant_ref_sink (g_variant_dict_end (&dict));
  *answer = (Answer) { ++self->n_asked, g_variant_get_data_as_bytes (all) };
  return answer;
}

/* Waits for a write that is under way; an answer that comes after a newer one is dropped. */
static void
write_file (UrbariumSession *self, const Answer *answer)
{
  g_autofree char *folder = g_path_get_dirname (self->path);
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  g_autoptr(GError) error = NULL;
  if (answer->number < self->newest)
    return;
  self->newest = answer->number;
  if (g_mkdir_with_parents (folder, 0700) != 0
      || !g_file_set_contents_full (self->path, g_bytes_get_data (answer->bytes, NULL),
                                    (gssize) g_bytes_get_size (answer->bytes),
                                    G_FILE_SET_CONTENTS_CONSISTENT, 0600, &error))
    g_info ("the session is not kept: %s", error == NULL ? g_strerror (errno) : error->message);
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
  g_task_set_task_data (task, ask_all (self), answer_free);
  g_task_run_in_thread (task, thread_func);
  return G_SOURCE_REMOVE;
}

void
urbarium_session_touch (UrbariumSession *self)
{
  if (self->timer == 0 && self->keepers->len > 0)
    self->timer = g_timeout_add (DELAY_MS, timer_cb, self);
}

void
urbarium_session_close (UrbariumSession *self)
{
  Answer *answer;
  g_clear_handle_id (&self->timer, g_source_remove);
  if (self->keepers->len == 0)
    return;
  answer = ask_all (self);
  g_ptr_array_set_size (self->keepers, 0);
  write_file (self, answer);
  answer_free (answer);
}
