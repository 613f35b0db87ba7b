/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug-report.c - see debug-report.h.
 *
 * All that enters the archive passes one door, add(), which hides what nobody else may see.
 */
#include "report/debug-report.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/free-space.h"
#include "base/sandbox.h"
#include "report/hide.h"
#include "report/tar.h"
#include "run/store/failure.h"
#include "run/store/folder.h"

#define FOLDER "urbarium-debug-report/"

enum { LOG_BYTES = 256 * 1024, MAX_EVENTS = 2000, PAGE = 1000 };

typedef struct
{
  GByteArray *tar;   /* owned until the end */
  UrbHider   *hider; /* owned */
} Archive;

static void
add (Archive *self, const char *name, const char *text)
{
  g_autofree char *path = g_strconcat (FOLDER, name, NULL), *hidden = urb_hider_hide (self->hider, text);

  urb_tar_add (self->tar, path, hidden);
}

/* ------------------------------------------------------------------------ */
/* The machine                                                               */

static void
add_variables (GString *text)
{
  static const char *const names[] = { "CUDA_VISIBLE_DEVICES", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "OMP_NUM_THREADS",
                                       "OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "URBARIUM_CUDA_MODULE", "XDG_CACHE_HOME",
                                       "XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE", "GSK_RENDERER" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_getenv (names[i]) != NULL)
      g_string_append_printf (text, "%s=%s\n", names[i], g_getenv (names[i]));
}

static void
add_versions (Archive *self)
{
  g_autofree char *system = g_get_os_info (G_OS_INFO_KEY_PRETTY_NAME);
  g_autofree char *sandbox = urb_sandbox_describe (urb_sandbox_probe ());
  g_autoptr(GString) text = g_string_new (NULL);
  struct utsname name;

  g_string_append_printf (text, "Urbarium %s\nGLib %u.%u.%u\n", URBARIUM_VERSION, glib_major_version, glib_minor_version,
                          glib_micro_version);
  if (uname (&name) == 0)
    g_string_append_printf (text, "%s %s, %s\n", name.sysname, name.release, name.machine);
  g_string_append_printf (text, "%s\nSandbox: %s\n", system != NULL ? system : "unknown system", sandbox);
  add_variables (text);
  add (self, "versions.txt", text->str);
}

/* ------------------------------------------------------------------------ */
/* The run                                                                   */

/* run.ini without secrets and folders. */
static void
add_settings (Archive *self, const UrbRunConfig *config, const GError *error)
{
  g_auto(UrbRunConfig) shown = { 0 };
  g_autofree char *text = NULL;

  if (error != NULL)
    {
      /* The message may quote a line, which may be a secret's. */
      text = g_strdup_printf ("cannot be read: %s %d", g_quark_to_string (error->domain), error->code);
      add (self, "run.ini", text);
      return;
    }
  urb_run_config_copy (&shown, config);
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    {
      const UrbSetting *setting = &urb_run_settings.rows[i];
      g_autofree char *value = urb_setting_is_text (setting) ? urb_setting_dup_text (setting, &shown) : NULL;
      g_autofree char *name = value != NULL ? g_path_get_basename (value) : NULL;

      if (name == NULL)
        continue;
      if ((setting->flags & URB_SETTING_SECRET) != 0)
        urb_setting_set_text (&urb_run_settings, setting, &shown, "(hidden)", NULL);
      else if (g_path_is_absolute (value))
        urb_setting_set_text (&urb_run_settings, setting, &shown, name, NULL);
    }
  text = urb_run_config_to_text (&shown);
  add (self, "run.ini", text);
}

typedef struct
{
  GQueue lines; /* of char *, the newest MAX_EVENTS */
  gint64 seq;
} Events;

static void
record_cb (const UrbRunRecord *record, gpointer user_data)
{
  Events *self = user_data;
  g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc ((gint64) CLAMP (record->time, 0, 1e11));
  g_autofree char *when = time != NULL ? g_date_time_format (time, "%F %T") : NULL;
  char *line = NULL;

  self->seq = record->seq;
  if (record->type == URB_RUN_RECORD_EVENT)
    line = g_strdup_printf ("%s step %" G_GINT64_FORMAT " %s %s: %s", when, record->step, record->texts[0], record->texts[1],
                            record->texts[2]);
  else if (record->type == URB_RUN_RECORD_WORKER)
    line = g_strdup_printf ("%s worker %" G_GINT64_FORMAT " %s: %s", when, record->rank, record->texts[0], record->texts[1]);
  else if (record->type == URB_RUN_RECORD_SESSION)
    line = g_strdup_printf ("%s session begins", when);
  if (line == NULL)
    return;
  g_queue_push_tail (&self->lines, line);
  if (self->lines.length > MAX_EVENTS)
    g_free (g_queue_pop_head (&self->lines));
}

static void
add_events (Archive *self, UrbRunDb *db)
{
  Events events = { G_QUEUE_INIT, 0 };
  g_autoptr(GString) text = g_string_new (NULL);
  g_autoptr(GError) error = NULL;
  char *line;
  int n = PAGE;

  while (n == PAGE)
    n = urb_run_db_read (db, events.seq, PAGE, record_cb, &events, &error);
  while ((line = g_queue_pop_head (&events.lines)) != NULL)
    {
      g_string_append_printf (text, "%s\n", line);
      g_free (line);
    }
  if (error != NULL)
    g_string_append_printf (text, "%s\n", error->message);
  add (self, "events.txt", text->str);
}

static void
add_files (GString *text, const char *run)
{
  static const char *const folders[] = { ".", "checkpoints", "samples" };

  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *path = g_build_filename (run, folders[i], NULL);
      g_autoptr(GDir) dir = g_dir_open (path, 0, NULL);
      const char *name;

      while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
        {
          g_autofree char *file = g_build_filename (path, name, NULL);
          GStatBuf info;

          if (g_lstat (file, &info) == 0)
            g_string_append_printf (text, "%12" G_GINT64_FORMAT " bytes, mode %04o: %s%s%s\n", (gint64) info.st_size,
                                    info.st_mode & 07777, i > 0 ? folders[i] : "", i > 0 ? "/" : "", name);
        }
    }
}

static void
add_state (Archive *self, const char *run, UrbRunDb *db)
{
  g_autoptr(GString) text = g_string_new (NULL);
  g_autoptr(GError) error = NULL, failure = urb_run_find_failure (db, run);
  UrbRunDbSummary summary;
  gint64 n_free = urb_free_space_get_bytes (run);

  if (db != NULL && urb_run_db_summarize (db, &summary, &error))
    g_string_append_printf (text, "State: %s\nStep: %" G_GINT64_FORMAT "\nImages: %" G_GINT64_FORMAT "\nImages per second: %g\n"
                            "Best score: %g\n", summary.has_state ? urb_run_state_name (summary.state) : "none", summary.step,
                            summary.images, summary.images_per_s, summary.score);
  if (error != NULL)
    g_string_append_printf (text, "run.db: %s\n", error->message);
  if (failure != NULL)
    g_string_append_printf (text, "Failure: %s (%s %d)\n", failure->message, g_quark_to_string (failure->domain), failure->code);
  g_string_append_printf (text, "Has a supervisor: %s\n", urb_run_is_held (run) ? "yes" : "no");
  if (n_free != G_MAXINT64)
    g_string_append_printf (text, "Free space: %" G_GINT64_FORMAT " bytes\n", n_free);
  add_files (text, run);
  add (self, "run.txt", text->str);
}

static void
add_log (Archive *self, const char *run)
{
  g_autofree char *path = g_build_filename (run, "log", NULL), *log = g_malloc0 (LOG_BYTES + 1);
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  gint64 end = fd >= 0 ? (gint64) lseek (fd, 0, SEEK_END) : -1;
  const char *from = log;

  if (end >= 0 && pread (fd, log, LOG_BYTES, MAX (end - LOG_BYTES, 0)) > 0 && end > LOG_BYTES)
    {
      from = strchr (log, '\n'); /* half a line may be half a secret */
      from = from != NULL ? from + 1 : "";
    }
  add (self, "log.txt", from);
  if (fd >= 0)
    close (fd);
}

static void
add_run (Archive *self, const char *run, const UrbRunConfig *config, const GError *unreadable)
{
  g_autofree char *path = g_build_filename (run, "run.db", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbRunDb) db = urb_run_db_open_reader (path, &error);

  add_settings (self, config, unreadable);
  add_state (self, run, db);
  if (db != NULL)
    add_events (self, db);
  else
    add (self, "events.txt", error->message);
  add_log (self, run);
}

GBytes *
urb_debug_report_new (const char *run, const char *devices, GError **error)
{
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(GError) unreadable = NULL;
  g_autoptr(UrbHider) hider = NULL;
  Archive archive;

  if (run != NULL && !urb_run_folder_check_is_run (run, error))
    return NULL;
  urb_run_config_init (&config);
  if (run != NULL)
    urb_run_folder_load_config (run, &config, &unreadable);
  hider = urb_hider_new (unreadable == NULL ? &config : NULL, run);
  archive = (Archive){ urb_tar_new (), hider };
  add_versions (&archive);
  add (&archive, "devices.json", devices);
  if (run != NULL)
    add_run (&archive, run, &config, unreadable);
  return urb_tar_end (archive.tar, error);
}
