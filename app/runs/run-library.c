/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-library.c - finds the runs.
 *
 * Folders appear and disappear at any time.  A thread scans them, and the list is updated run by
 * run, so that existing objects and their observers stay.
 */
#include "app/runs/run-library-private.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>

#include "app/runs/run-private.h"
#include "run/store/folder.h"

enum
{
  SCAN_MS = 150,       /* after the last of many changes */
  SCAN_AGAIN_MS = 500, /* while a new folder has no run.ini */
  YOUNG_S = 10
};

struct _UrbariumRunLibrary
{
  GObject parent_instance;

  char         *folder;    /* owned */
  char         *chosen;    /* owned; the same, or empty */
  char        **extra;     /* owned; folders of runs elsewhere */
  GPtrArray    *runs;      /* owned; UrbariumRun, newest first */
  GFileMonitor *monitor;   /* owned, nullable */
  GCancellable *scanning;  /* owned, nullable */
  guint         scan_id;
  gboolean      loading;
};

enum { PROP_0, PROP_EXTRA_FOLDERS, PROP_CHOSEN_FOLDER, PROP_PLACES, PROP_LOADING, N_PROPS };

static GParamSpec *props[N_PROPS];

static void list_model_init (GListModelInterface *interface);

G_DEFINE_FINAL_TYPE_WITH_CODE (UrbariumRunLibrary, urbarium_run_library, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

/* ------------------------------------------------------------------------ */
/* The list                                                                  */

static GType
get_item_type (GListModel *model)
{
  return URBARIUM_TYPE_RUN;
}

static guint
get_n_items (GListModel *model)
{
  return URBARIUM_RUN_LIBRARY (model)->runs->len;
}

static gpointer
get_item (GListModel *model, guint i)
{
  UrbariumRunLibrary *self = URBARIUM_RUN_LIBRARY (model);
  return i < self->runs->len ? g_object_ref (g_ptr_array_index (self->runs, i)) : NULL;
}

static void
list_model_init (GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

static gint64
get_created (UrbariumRun *run)
{
  gint64 created;
  g_object_get (run, "created", &created, NULL);
  return created;
}

/* Newest first; runs of the same second by folder, to make the order unique. */
static gboolean
comes_before (UrbariumRun *a, UrbariumRun *b)
{
  gint64 x = get_created (a), y = get_created (b);
  return x != y ? x > y
                : strcmp (urbarium_run_get_folder (a), urbarium_run_get_folder (b)) < 0;
}

static guint
find_position (UrbariumRunLibrary *self, UrbariumRun *run)
{
  guint i = 0;
  while (i < self->runs->len && comes_before (g_ptr_array_index (self->runs, i), run))
    i++;
  return i;
}

static void
waiting_cb (UrbariumRun *run, GParamSpec *pspec, UrbariumRunLibrary *self)
{
  if (urbarium_run_get_state (run) == URB_RUN_QUEUED || run->queue_place > 0)
    urbarium_run_library_update_places (self);
}

static void
remove_at (UrbariumRunLibrary *self, guint i)
{
  g_autoptr(UrbariumRun) run = g_ptr_array_steal_index (self->runs, i);
  g_signal_handlers_disconnect_by_data (run, self);
  g_list_model_items_changed (G_LIST_MODEL (self), i, 1, 0);
  waiting_cb (run, NULL, self);
}

/* Moves the run to its new position.  Observers never see it leave the list. */
static void
created_cb (UrbariumRun *run, GParamSpec *pspec, UrbariumRunLibrary *self)
{
  guint from, to, first, n;
  if (!g_ptr_array_find (self->runs, run, &from))
    return;
  g_ptr_array_steal_index (self->runs, from);
  to = find_position (self, run);
  g_ptr_array_insert (self->runs, (int) to, run);
  first = MIN (from, to);
  n = MAX (from, to) - first + 1;
  if (from != to)
    g_list_model_items_changed (G_LIST_MODEL (self), first, n, n);
}

UrbariumRun *
urbarium_run_library_find (UrbariumRunLibrary *self, const char *folder)
{
  g_autofree char *path = NULL;
  g_return_val_if_fail (URBARIUM_IS_RUN_LIBRARY (self) && folder != NULL, NULL);
  path = g_canonicalize_filename (folder, NULL);
  for (guint i = 0; i < self->runs->len; i++)
    if (strcmp (urbarium_run_get_folder (g_ptr_array_index (self->runs, i)), path) == 0)
      return g_ptr_array_index (self->runs, i);
  return NULL;
}

static gboolean
is_taken (UrbariumRunLibrary *self, const char *name)
{
  for (guint i = 0; i < self->runs->len; i++)
    if (g_str_equal (urbarium_run_get_name (g_ptr_array_index (self->runs, i)), name))
      return TRUE;
  return FALSE;
}

char *
urbarium_run_library_dup_free_name (UrbariumRunLibrary *self, const char *name)
{
  char *unique = g_strdup (name);
  g_return_val_if_fail (URBARIUM_IS_RUN_LIBRARY (self), unique);
  for (int i = 2; is_taken (self, unique); i++)
    {
      g_free (unique);
      unique = g_strdup_printf ("%s %d", name, i);
    }
  return unique;
}

static void scan (UrbariumRunLibrary *self);

/* An unfinished scan may have missed a change of the list, and would revert it. */
static void
restart_scan (UrbariumRunLibrary *self)
{
  if (self->scanning != NULL)
    scan (self);
}

UrbariumRun *
urbarium_run_library_ensure (UrbariumRunLibrary *self, const char *path)
{
  UrbariumRun *run = urbarium_run_library_find (self, path);
  guint i;
  if (run != NULL)
    return run;
  run = urbarium_run_new (path);
  i = find_position (self, run);
  g_ptr_array_insert (self->runs, (int) i, run);
  g_signal_connect_object (run, "notify::created", G_CALLBACK (created_cb), self, 0);
  g_signal_connect_object (run, "notify::created", G_CALLBACK (waiting_cb), self, 0);
  g_signal_connect_object (run, "notify::state", G_CALLBACK (waiting_cb), self, 0);
  g_signal_connect_object (run, "notify::waits-for", G_CALLBACK (waiting_cb), self, 0);
  g_list_model_items_changed (G_LIST_MODEL (self), i, 0, 1);
  restart_scan (self);
  return run;
}

/* ------------------------------------------------------------------------ */
/* Scanning                                                                  */

typedef struct
{
  GHashTable *paths; /* owned; a set */
  gboolean    pending; /* a folder may be about to become a run */
} Found;

static void
found_free (gpointer data)
{
  Found *found = data;
  g_hash_table_unref (found->paths);
  g_free (found);
}

static gboolean
is_run (const char *path)
{
  g_autofree char *config = g_build_filename (path, "run.ini", NULL);
  return g_file_test (config, G_FILE_TEST_IS_REGULAR);
}

/* A network file system has its own clock, so times in the near future count too; but a folder from
 * next year must not be rescanned until then. */
gboolean
urbarium_run_library_is_young (gint64 changed_s, gint64 now_s)
{
  return ABS (now_s - changed_s) < YOUNG_S;
}

/* @data: the folder of runs, then those of runs elsewhere */
static void
scan_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  char **places = data;
  Found *found = g_new0 (Found, 1);
  g_autoptr(GDir) dir = NULL;
  const char *name;
  found->paths = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (g_mkdir_with_parents (places[0], 0700) != 0)
    g_debug ("Cannot create the folder '%s'", places[0]);
  dir = g_dir_open (places[0], 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (places[0], name, NULL);
      GStatBuf info;
      if (is_run (path))
        g_hash_table_add (found->paths, g_steal_pointer (&path));
      else if (g_stat (path, &info) == 0 && S_ISDIR (info.st_mode)
               && urbarium_run_library_is_young (info.st_mtime,
                                                 g_get_real_time () / G_USEC_PER_SEC))
        found->pending = TRUE;
    }
  for (int i = 1; places[i] != NULL; i++)
    if (is_run (places[i]))
      g_hash_table_add (found->paths, g_canonicalize_filename (places[i], NULL));
  g_task_return_pointer (task, found, found_free);
}

static void scan_later (UrbariumRunLibrary *self, guint ms);

static void
apply_scan (UrbariumRunLibrary *self, const Found *found)
{
  GHashTableIter iter;
  gpointer path;
  for (guint i = self->runs->len; i-- > 0;)
    {
      UrbariumRun *run = g_ptr_array_index (self->runs, i);
      /* A run whose folder disappears while it trains has something to say. */
      gboolean stays = urbarium_run_get_live (run) || urbarium_run_is_gone (run);
      if (!g_hash_table_contains (found->paths, urbarium_run_get_folder (run)) && !stays)
        remove_at (self, i);
    }
  g_hash_table_iter_init (&iter, found->paths);
  while (g_hash_table_iter_next (&iter, &path, NULL))
    urbarium_run_library_ensure (self, path);
  if (found->pending)
    scan_later (self, SCAN_AGAIN_MS);
}

static void start_watching (UrbariumRunLibrary *self);

static void
scanned_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr(UrbariumRunLibrary) self = user_data;
  Found *found = g_task_propagate_pointer (G_TASK (result), NULL);
  if (g_task_get_cancellable (G_TASK (result)) == self->scanning)
    {
      g_clear_object (&self->scanning);
      if (found != NULL)
        apply_scan (self, found);
      start_watching (self);
      if (self->loading)
        {
          self->loading = FALSE;
          g_object_notify_by_pspec (G_OBJECT (self), props[PROP_LOADING]);
        }
    }
  g_clear_pointer (&found, found_free);
}

static void
cancel_scan (UrbariumRunLibrary *self)
{
  g_clear_handle_id (&self->scan_id, g_source_remove);
  if (self->scanning != NULL)
    g_cancellable_cancel (self->scanning);
  g_clear_object (&self->scanning);
}

/* Returns: (transfer full): the folder of runs, then those of runs elsewhere */
static GStrv
dup_places (UrbariumRunLibrary *self)
{
  g_autoptr(GStrvBuilder) places = g_strv_builder_new ();
  g_strv_builder_add (places, self->folder);
  g_strv_builder_addv (places, (const char **) self->extra);
  return g_strv_builder_end (places);
}

static void
scan (UrbariumRunLibrary *self)
{
  g_autoptr(GTask) task = NULL;
  cancel_scan (self);
  self->scanning = g_cancellable_new ();
  /* Not the task's source object: the thread could drop its last reference. */
  task = g_task_new (NULL, self->scanning, scanned_cb, g_object_ref (self));
  g_task_set_task_data (task, dup_places (self), (GDestroyNotify) g_strfreev);
  g_task_run_in_thread (task, scan_thread);
}

static gboolean
scan_cb (gpointer user_data)
{
  UrbariumRunLibrary *self = user_data;
  self->scan_id = 0;
  scan (self);
  return G_SOURCE_REMOVE;
}

static void
scan_later (UrbariumRunLibrary *self, guint ms)
{
  if (self->scan_id == 0)
    self->scan_id = g_timeout_add (ms, scan_cb, self);
}

void
urbarium_run_library_scan_soon (UrbariumRunLibrary *self)
{
  scan_later (self, SCAN_MS);
}

/* Called after each scan, until the folder exists. */
static void
start_watching (UrbariumRunLibrary *self)
{
  g_autoptr(GFile) folder = NULL;
  if (self->monitor != NULL)
    return;
  folder = g_file_new_for_path (self->folder);
  self->monitor = g_file_monitor_directory (folder, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
  if (self->monitor == NULL)
    return;
  g_signal_connect_object (self->monitor, "changed", G_CALLBACK (urbarium_run_library_scan_soon),
                           self, G_CONNECT_SWAPPED);
  scan_later (self, SCAN_MS); /* for changes between the scan and the watch */
}

/* ------------------------------------------------------------------------ */
/* Runs elsewhere                                                            */

static void
set_extra (UrbariumRunLibrary *self, const char *const *folders)
{
  static const char *const none[] = { NULL };
  folders = folders != NULL ? folders : none;
  if (g_strv_equal ((const char *const *) self->extra, folders))
    return;
  g_strfreev (self->extra);
  self->extra = g_strdupv ((char **) folders);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_EXTRA_FOLDERS]);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_PLACES]);
  scan (self);
}

/* Runs of the folder before that still train stay until they end. */
static void
choose_folder (UrbariumRunLibrary *self, const char *chosen)
{
  chosen = chosen != NULL ? chosen : "";
  if (g_str_equal (chosen, self->chosen))
    return;
  g_free (self->chosen);
  self->chosen = g_strdup (chosen);
  g_free (self->folder);
  self->folder = *chosen != '\0' ? g_canonicalize_filename (chosen, NULL) : urb_run_dup_usual_place ();
  if (self->monitor != NULL)
    g_file_monitor_cancel (self->monitor);
  g_clear_object (&self->monitor);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_CHOSEN_FOLDER]);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_PLACES]);
  scan (self);
}

UrbariumRun *
urbarium_run_library_add (UrbariumRunLibrary *self, const char *folder, GError **error)
{
  g_autofree char *path = NULL, *parent = NULL;
  UrbariumRun *run;
  g_return_val_if_fail (URBARIUM_IS_RUN_LIBRARY (self) && folder != NULL, NULL);
  path = g_canonicalize_filename (folder, NULL);
  parent = g_path_get_dirname (path);
  run = urbarium_run_library_find (self, path);
  if (run != NULL)
    return run;
  if (!is_run (path))
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER,
                   _ ("The folder “%s” contains no run: it has no file run.ini. Choose the folder "
                      "of a run."),
                   path);
      return NULL;
    }
  run = urbarium_run_library_ensure (self, path);
  if (strcmp (parent, self->folder) != 0)
    {
      g_autoptr(GStrvBuilder) extra = g_strv_builder_new ();
      g_auto(GStrv) folders = NULL;
      g_strv_builder_addv (extra, (const char **) self->extra);
      g_strv_builder_add (extra, path);
      folders = g_strv_builder_end (extra);
      set_extra (self, (const char *const *) folders);
    }
  return run;
}

void
urbarium_run_library_drop (UrbariumRunLibrary *self, const char *path)
{
  g_autoptr(GStrvBuilder) extra = g_strv_builder_new ();
  g_auto(GStrv) folders = NULL;
  for (guint i = self->runs->len; i-- > 0;)
    if (strcmp (urbarium_run_get_folder (g_ptr_array_index (self->runs, i)), path) == 0)
      remove_at (self, i);
  for (int i = 0; self->extra[i] != NULL; i++)
    if (strcmp (self->extra[i], path) != 0)
      g_strv_builder_add (extra, self->extra[i]);
  folders = g_strv_builder_end (extra);
  set_extra (self, (const char *const *) folders);
  restart_scan (self);
}

/* ------------------------------------------------------------------------ */
/* The object                                                                */

static void
urbarium_run_library_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  UrbariumRunLibrary *self = URBARIUM_RUN_LIBRARY (object);
  if (id == PROP_EXTRA_FOLDERS)
    g_value_set_boxed (value, self->extra);
  else if (id == PROP_CHOSEN_FOLDER)
    g_value_set_string (value, self->chosen);
  else if (id == PROP_PLACES)
    g_value_take_boxed (value, dup_places (self));
  else if (id == PROP_LOADING)
    g_value_set_boolean (value, self->loading);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
urbarium_run_library_set_property (GObject *object, guint id, const GValue *value,
                                   GParamSpec *pspec)
{
  UrbariumRunLibrary *self = URBARIUM_RUN_LIBRARY (object);
  if (id == PROP_EXTRA_FOLDERS)
    set_extra (self, g_value_get_boxed (value));
  else if (id == PROP_CHOSEN_FOLDER)
    choose_folder (self, g_value_get_string (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
urbarium_run_library_dispose (GObject *object)
{
  UrbariumRunLibrary *self = URBARIUM_RUN_LIBRARY (object);
  cancel_scan (self);
  if (self->monitor != NULL)
    g_file_monitor_cancel (self->monitor);
  g_clear_object (&self->monitor);
  g_ptr_array_set_size (self->runs, 0);
  G_OBJECT_CLASS (urbarium_run_library_parent_class)->dispose (object);
}

static void
urbarium_run_library_finalize (GObject *object)
{
  UrbariumRunLibrary *self = URBARIUM_RUN_LIBRARY (object);
  g_ptr_array_unref (self->runs);
  g_strfreev (self->extra);
  g_free (self->folder);
  g_free (self->chosen);
  G_OBJECT_CLASS (urbarium_run_library_parent_class)->finalize (object);
}

static void
urbarium_run_library_class_init (UrbariumRunLibraryClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->get_property = urbarium_run_library_get_property;
  object_class->set_property = urbarium_run_library_set_property;
  object_class->dispose = urbarium_run_library_dispose;
  object_class->finalize = urbarium_run_library_finalize;
  props[PROP_EXTRA_FOLDERS] = g_param_spec_boxed (
    "extra-folders", NULL, NULL, G_TYPE_STRV,
    G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  props[PROP_CHOSEN_FOLDER] = g_param_spec_string ("chosen-folder", NULL, NULL, "",
                                                   G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY
                                                     | G_PARAM_STATIC_STRINGS);
  props[PROP_PLACES] = g_param_spec_boxed ("places", NULL, NULL, G_TYPE_STRV,
                                           G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  props[PROP_LOADING] = g_param_spec_boolean ("loading", NULL, NULL, TRUE,
                                              G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
urbarium_run_library_init (UrbariumRunLibrary *self)
{
  self->runs = g_ptr_array_new_with_free_func (g_object_unref);
  self->extra = g_new0 (char *, 1);
  self->chosen = g_strdup ("");
  self->loading = TRUE;
}

UrbariumRunLibrary *
urbarium_run_library_new (const char *folder)
{
  UrbariumRunLibrary *self = g_object_new (URBARIUM_TYPE_RUN_LIBRARY, NULL);
  self->folder = folder != NULL ? g_canonicalize_filename (folder, NULL) : urb_run_dup_usual_place ();
  scan (self);
  return self;
}

const char *
urbarium_run_library_get_folder (UrbariumRunLibrary *self)
{
  g_return_val_if_fail (URBARIUM_IS_RUN_LIBRARY (self), NULL);
  return self->folder;
}
