/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder.c - the run folder on disk.
 *
 * Two supervisors must never share a folder, and a lock must not outlive its holder.  flock() on a
 * file that is never deleted does both: the kernel releases it with the last descriptor.
 */
#include "run/store/folder-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "base/atomic-file.h"
#include "base/durable.h"
#include "base/permission.h"
#include "run/store/config-file.h"
#include "run/store/control-socket.h"
#include "run/store/launch-session.h"
#include "settings/note.h"
#include "settings/preset.h"

#define PRESET_SUFFIX ".preset" /* a preset of the run's own */

/* All files and folders of a run. */
static const char *const own_names[] = {
  URB_RUN_CONFIG, URB_RUN_PENDING_CONFIG, URB_RUN_LOCK_NAME, URB_CHECKPOINT_FOLDER, URB_SAMPLE_FOLDER,
  "run.db", "run.db-wal", "run.db-shm", URB_CONTROL_SOCKET_NAME, URB_WORKER_SOCKET_NAME,
  URB_BOARD_SOCKET_NAME, "log", URB_RUN_HOOK_LOG_NAME, URB_RUN_MLFLOW_NAME, URB_RUN_TENSORBOARD_FOLDER,
  URB_RUN_TRACE_NAME, URB_RUN_BEST, URB_RUN_GOOD, URB_LAUNCH_SESSION_LINK, NULL,
};

static const char *const folder_names[] = { URB_CHECKPOINT_FOLDER, URB_SAMPLE_FOLDER };

char *
urb_run_dup_usual_place (void)
{
  return g_build_filename (g_get_user_data_dir (), "urbarium", "runs", NULL);
}

gboolean
urb_run_folder_fail (GError **error, UrbRunError code, const char *path, const char *what)
{
  int saved = errno;
  g_set_error (error, URB_RUN_ERROR, code, "Cannot %s '%s': %s", what, path, g_strerror (saved));
  return FALSE;
}

void
urb_run_folder_free (UrbRunFolder *self)
{
  if (self == NULL)
    return;
  /* Not LOCK_UN: after a fork both processes hold the lock, and the last one releases it. */
  if (self->lock_fd >= 0)
    close (self->lock_fd);
  if (self->fd >= 0)
    close (self->fd);
  g_free (self->path);
  g_free (self);
}

const char *
urb_run_folder_get_path (UrbRunFolder *self)
{
  return self->path;
}

int
urb_run_folder_get_fd (UrbRunFolder *self)
{
  return self->fd;
}

char *
urb_run_folder_dup_file (UrbRunFolder *self, const char *name)
{
  return g_build_filename (self->path, name, NULL);
}

/* ------------------------------------------------------------------------ */
/* Lock                                                                      */

gboolean
urb_run_folder_check_is_run (const char *path, GError **error)
{
  g_autofree char *config = g_build_filename (path, URB_RUN_CONFIG, NULL);
  g_autofree char *forbidden = urb_permission_dup_read_problem (config);
  if (forbidden != NULL)
    {
      g_set_error_literal (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER, forbidden);
      return FALSE;
    }
  if (g_file_test (config, G_FILE_TEST_IS_REGULAR))
    return TRUE;
  g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER,
               N_ ("'%s' is not a run folder: it has no %s"), path, URB_RUN_CONFIG);
  return FALSE;
}

static gboolean
fail_busy (UrbRunFolder *self, GError **error)
{
  char holder[32] = { 0 };
  gssize n = pread (self->lock_fd, holder, sizeof holder - 1, 0);
  gint64 pid = n > 0 ? g_ascii_strtoll (holder, NULL, 10) : 0;
  if (pid > 0)
    g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_BUSY,
                 N_ ("The run '%s' is already running in process %lld"), self->path, (long long) pid);
  else
    g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_BUSY, N_ ("The run '%s' is already running"),
                 self->path);
  return FALSE;
}

static gboolean
lock (UrbRunFolder *self, GError **error)
{
  enum { N_TRIES = 5, N_TRIES_ENDING = 200, TRY_AGAIN_US = 5000 };
  int n_tries;
  self->lock_fd = openat (self->fd, URB_RUN_LOCK_NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (self->lock_fd < 0)
    return urb_run_folder_fail (error, URB_RUN_ERROR_FOLDER, self->path, "lock");
  /* urb_run_folder_is_held() takes the lock for a moment, so try again.  A supervisor that ends
   * removes its socket first, and releases its lock after the last write. */
  n_tries = faccessat (self->fd, URB_CONTROL_SOCKET_NAME, F_OK, 0) == 0 ? N_TRIES : N_TRIES_ENDING;
  for (int i = 0; i < n_tries; i++)
    {
      if (flock (self->lock_fd, LOCK_EX | LOCK_NB) == 0)
        return TRUE;
      if (errno != EWOULDBLOCK)
        break;
      g_usleep (TRY_AGAIN_US);
      errno = EWOULDBLOCK;
    }
  if (errno == EWOULDBLOCK)
    return fail_busy (self, error);
  return urb_run_folder_fail (error, URB_RUN_ERROR_FOLDER, self->path, "lock");
}

int
urb_run_folder_open_lock (const char *path, GError **error)
{
  g_autofree char *name = g_build_filename (path, URB_RUN_LOCK_NAME, NULL);
  int fd;
  g_return_val_if_fail (path != NULL, -1);
  if (!urb_run_folder_check_is_run (path, error))
    return -1;
  fd = open (name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0)
    urb_run_folder_fail (error, URB_RUN_ERROR_FOLDER, name, "open");
  return fd;
}

gboolean
urb_run_folder_is_held (int lock_fd)
{
  /* Shared, so that two callers do not see each other's lock. */
  if (flock (lock_fd, LOCK_SH | LOCK_NB) != 0)
    return errno == EWOULDBLOCK;
  flock (lock_fd, LOCK_UN);
  return FALSE;
}

gboolean
urb_run_is_held (const char *folder)
{
  int lock = urb_run_folder_open_lock (folder, NULL);
  gboolean held = lock >= 0 && urb_run_folder_is_held (lock);
  if (lock >= 0)
    close (lock);
  return held;
}

void
urb_run_folder_claim (UrbRunFolder *self)
{
  char text[32];
  int n = g_snprintf (text, sizeof text, "%d\n", (int) getpid ());
  /* Only used in messages, so a full disk does not matter. */
  if (ftruncate (self->lock_fd, 0) != 0 || pwrite (self->lock_fd, text, (gsize) n, 0) != n)
    g_debug ("cannot note the process id in the lock of '%s'", self->path);
}

/* ------------------------------------------------------------------------ */
/* Create and open                                                           */

/* A link would lead to the checkpoints of another run, which this one deletes when they are old. */
static gboolean
check_own_folders (UrbRunFolder *self, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (folder_names); i++)
    if (!urb_run_folder_has_own (self, folder_names[i]))
      {
        g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER,
                     "'%s/%s' is a link or a file, and a run follows no links to what may belong to another "
                     "run. Delete it, or move the real folder there", self->path, folder_names[i]);
        return FALSE;
      }
  return TRUE;
}

/* Returns: locked, but not checked yet */
static UrbRunFolder *
open_and_lock (const char *path, GError **error)
{
  g_autoptr(UrbRunFolder) self = g_new0 (UrbRunFolder, 1);
  self->lock_fd = -1;
  self->path = g_canonicalize_filename (path, NULL);
  self->fd = open (self->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (self->fd < 0)
    {
      urb_run_folder_fail (error, URB_RUN_ERROR_FOLDER, self->path, "open the run folder");
      return NULL;
    }
  if (!lock (self, error) || !check_own_folders (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

static gboolean
make_folders (UrbRunFolder *self, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (folder_names); i++)
    if (mkdirat (self->fd, folder_names[i], 0700) != 0 && errno != EEXIST)
      return urb_run_folder_fail (error, URB_RUN_ERROR_FOLDER, self->path, "make the folders of");
  return TRUE;
}

const char *const *
urb_run_folder_get_own_names (void)
{
  return own_names;
}

/* A preset next to a run is the user's; the run keeps a copy in its folder. */
static gboolean
is_other (const char *name)
{
  return !g_strv_contains (own_names, name) && !g_str_has_suffix (name, PRESET_SUFFIX);
}

gboolean
urb_run_folder_has_others (const char *path)
{
  g_autoptr(GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (is_other (name))
      return TRUE;
  return FALSE;
}

gboolean
urb_run_folder_check_unused (const char *path, GError **error)
{
  g_autoptr(GDir) dir = NULL;
  g_autoptr(GArray) checkpoints = NULL;
  g_autoptr(GError) cause = NULL;
  const char *name;
  g_return_val_if_fail (path != NULL, FALSE);
  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    return TRUE;
  dir = g_dir_open (path, 0, error);
  if (dir == NULL)
    return FALSE;
  while ((name = g_dir_read_name (dir)) != NULL)
    if (is_other (name))
      {
        g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_EXISTS,
                     "The folder '%s' is not empty: it has '%s'. Choose another, or use --force",
                     path, name);
        return FALSE;
      }
  checkpoints = urb_run_folder_look_for_checkpoints (path, &cause);
  if (cause != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  if (checkpoints->len == 0)
    return TRUE;
  g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_EXISTS,
               "There is a run in '%s' already, at step %" G_GINT64_FORMAT
               ". Go on with it with 'resume', choose another folder, or delete it with --force",
               path, g_array_index (checkpoints, gint64, checkpoints->len - 1));
  return FALSE;
}

static void
delete_matching (const char *folder, const char *prefix, const char *suffix)
{
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      if (g_str_has_prefix (name, prefix) && strstr (name, suffix) != NULL)
        g_unlink (path);
    }
}

static void
delete_old_run (UrbRunFolder *self)
{
  g_autofree char *checkpoints = urb_run_folder_dup_file (self, URB_CHECKPOINT_FOLDER);
  g_autofree char *samples = urb_run_folder_dup_file (self, URB_SAMPLE_FOLDER);
  g_autofree char *events = urb_run_folder_dup_file (self, URB_RUN_TENSORBOARD_FOLDER);
  urb_launch_session_sweep (self->fd);
  for (int i = 0; own_names[i] != NULL; i++)
    if (strcmp (own_names[i], URB_RUN_LOCK_NAME) != 0)
      unlinkat (self->fd, own_names[i], 0);
  delete_matching (checkpoints, "step-", ".safetensors");
  delete_matching (samples, "step-", ".png");
  delete_matching (events, URB_RUN_EVENTS_PREFIX, URB_RUN_EVENTS_SUFFIX);
  unlinkat (self->fd, URB_RUN_TENSORBOARD_FOLDER, AT_REMOVEDIR); /* unless it has files of others */
}

void
urb_run_folder_undo (UrbRunFolder *self, gboolean was_there)
{
  delete_old_run (self);
  if (was_there)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (folder_names); i++)
    unlinkat (self->fd, folder_names[i], AT_REMOVEDIR);
  unlinkat (self->fd, URB_RUN_LOCK_NAME, 0);
  rmdir (self->path);
}

/* Makes sure that the folder's name survives a power cut, and that no file of an old run comes
 * back: a database without its journal, or a journal without its database, would be taken for the
 * new one's. */
static gboolean
sync_folders (UrbRunFolder *self, GError **error)
{
  errno = urb_durable_sync_parent (self->path);
  if (errno == 0)
    errno = urb_durable_sync_folder_fd (self->fd);
  return errno == 0 || urb_run_folder_fail (error, URB_RUN_ERROR_FOLDER, self->path, "sync");
}

/* With what mkdir() left in errno. */
static void
fail_make (const char *path, GError **error)
{
  int saved = errno;
  g_autofree char *forbidden = saved == EACCES ? urb_permission_dup_create_problem (path) : NULL;
  errno = saved;
  if (forbidden != NULL)
    g_set_error_literal (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER, forbidden);
  else
    urb_run_folder_fail (error, URB_RUN_ERROR_FOLDER, path, "make the run folder");
}

UrbRunFolder *
urb_run_folder_create (const char *path, UrbRunFolderCreate how, GError **error)
{
  g_autoptr(UrbRunFolder) self = NULL;
  g_return_val_if_fail (path != NULL, NULL);
  if (mkdir (path, 0700) != 0 && errno != EEXIST)
    {
      fail_make (path, error);
      return NULL;
    }
  self = open_and_lock (path, error);
  if (self == NULL
      || (how == URB_RUN_FOLDER_NEW && !urb_run_folder_check_unused (self->path, error)))
    return NULL;
  delete_old_run (self);
  if (fchmod (self->fd, 0700) != 0)
    {
      urb_run_folder_fail (error, URB_RUN_ERROR_FOLDER, self->path, "make private");
      return NULL;
    }
  if (!make_folders (self, error) || !sync_folders (self, error))
    return NULL;
  urb_run_folder_sweep (self);
  return g_steal_pointer (&self);
}

/* Whoever has the lock is the only one: sockets are of a killed supervisor. */
static void
remove_sockets (UrbRunFolder *self)
{
  static const char *const names[] = { URB_CONTROL_SOCKET_NAME, URB_WORKER_SOCKET_NAME, URB_BOARD_SOCKET_NAME };
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    unlinkat (self->fd, names[i], 0);
}

UrbRunFolder *
urb_run_folder_open (const char *path, GError **error)
{
  g_autoptr(UrbRunFolder) self = NULL;
  g_return_val_if_fail (path != NULL, NULL);
  if (!urb_run_folder_check_is_run (path, error))
    return NULL;
  self = open_and_lock (path, error);
  if (self == NULL || !make_folders (self, error))
    return NULL;
  remove_sockets (self);
  urb_launch_session_sweep (self->fd);
  urb_run_folder_sweep (self);
  return g_steal_pointer (&self);
}

void
urb_run_folder_sweep (UrbRunFolder *self)
{
  g_autofree char *checkpoints = urb_run_folder_dup_file (self, URB_CHECKPOINT_FOLDER);
  g_autofree char *samples = urb_run_folder_dup_file (self, URB_SAMPLE_FOLDER);
  urb_atomic_file_sweep (self->path);
  urb_atomic_file_sweep (checkpoints);
  urb_atomic_file_sweep (samples);
}

/* ------------------------------------------------------------------------ */
/* Configuration                                                             */

gboolean
urb_run_folder_save_config (UrbRunFolder *self, const UrbRunConfig *config, GError **error)
{
  g_autofree char *path = urb_run_folder_dup_file (self, URB_RUN_CONFIG);
  return urb_run_config_write_file (path, config, error);
}

static gboolean
keep_preset (UrbRunFolder *self, UrbTrainOptions *options, GError **error)
{
  g_autoptr(UrbPreset) preset = NULL;
  g_autofree char *base = NULL;
  g_autofree char *name = NULL;
  g_autofree char *path = NULL;
  if (urb_preset_is_built_in (options->preset))
    return TRUE;
  base = g_path_get_basename (options->preset);
  name = g_str_has_suffix (base, PRESET_SUFFIX) ? g_strdup (base) : g_strconcat (base, PRESET_SUFFIX, NULL);
  path = urb_run_folder_dup_file (self, name);
  preset = urb_preset_load (options->preset, error);
  if (preset == NULL || !urb_atomic_file_set_contents (path, preset->text, strlen (preset->text), error))
    return FALSE;
  g_free (options->preset);
  options->preset = g_steal_pointer (&name);
  return TRUE;
}

UrbRunFolder *
urb_run_folder_begin (const char *path, UrbRunFolderCreate how, UrbRunConfig *config,
                      GError **error)
{
  g_autoptr(UrbRunFolder) self = urb_run_folder_create (path, how, error);
  if (self == NULL || !keep_preset (self, &config->train, error))
    return NULL;
  if (config->name == NULL || *config->name == '\0')
    {
      g_free (config->name);
      config->name = g_path_get_basename (self->path);
    }
  g_free (config->engine);
  config->engine = g_strdup (URBARIUM_VERSION);
  config->created = g_get_real_time () / G_USEC_PER_SEC;
  return urb_run_folder_save_config (self, config, error) ? g_steal_pointer (&self) : NULL;
}

/* @offset: of a text in UrbRunConfig
 * @text: (nullable): its new value */
static gboolean
change_text (const char *path, gsize offset, const char *text, GError **error)
{
  g_autoptr(UrbRunFolder) self = urb_run_folder_open (path, error);
  g_auto(UrbRunConfig) config = { 0 };
  char **field = G_STRUCT_MEMBER_P (&config, offset);
  urb_run_config_init (&config);
  if (self == NULL || !urb_run_folder_load_config (path, &config, error))
    return FALSE;
  g_free (*field);
  *field = g_strdup (text);
  return urb_run_folder_save_config (self, &config, error);
}

gboolean
urb_run_folder_rename (const char *path, const char *name, GError **error)
{
  g_return_val_if_fail (path != NULL && name != NULL, FALSE);
  return urb_run_check_name (name, error)
         && change_text (path, G_STRUCT_OFFSET (UrbRunConfig, name), name, error);
}

gboolean
urb_run_folder_note (const char *path, const char *note, GError **error)
{
  g_return_val_if_fail (path != NULL && note != NULL, FALSE);
  return urb_note_check (note, error)
         && change_text (path, G_STRUCT_OFFSET (UrbRunConfig, note), *note != '\0' ? note : NULL, error);
}

gboolean
urb_run_folder_load_config (const char *path, UrbRunConfig *config, GError **error)
{
  g_autofree char *file = g_build_filename (path, URB_RUN_CONFIG, NULL);
  return urb_run_config_read_file (file, config, error);
}
