/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-other-user.c - other users of the machine cannot access a run unless its owner permits it.
 *
 * The run is in a world-accessible folder and is created with a permissive umask.  The other user is
 * a child process that drops its privileges, so this needs root; otherwise it is skipped.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <grp.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine-run.h"
#include "small-dataset.h"

enum { NOBODY = 65534 };

/* ------------------------------------------------------------------------ */
/* The other user                                                            */

static void
become_other_user (gpointer data)
{
  if (setgroups (0, NULL) != 0 || setgid (NOBODY) != 0 || setuid (NOBODY) != 0)
    _exit (99);
}

/* Returns: the exit code of @func, called as the other user */
static int
as_other_user (int (*func) (const char *), const char *path)
{
  int status;
  pid_t pid = fork ();
  g_assert_cmpint (pid, >=, 0);
  if (pid == 0)
    {
      become_other_user (NULL);
      _exit (func (path));
    }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), !=, 99);
  return WEXITSTATUS (status);
}

/* Returns: 0, or an errno */
static int
read_file (const char *path)
{
  char byte;
  int fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  return fd >= 0 && (read (fd, &byte, 1) >= 0 || errno == EISDIR) ? 0 : errno;
}

static int
write_file (const char *path)
{
  return open (path, O_WRONLY | O_NONBLOCK | O_CLOEXEC) >= 0 ? 0 : errno;
}

static int
list_folder (const char *path)
{
  return opendir (path) != NULL ? 0 : errno;
}

/* Returns: 0 if the server said hello, ECONNRESET if it closed the connection, or an errno */
static int
talk (const char *path)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  char bytes[64];
  g_strlcpy (address.sun_path, path, sizeof address.sun_path);
  if (connect (fd, (struct sockaddr *) &address, sizeof address) != 0)
    return errno;
  return read (fd, bytes, sizeof bytes) > 0 ? 0 : ECONNRESET;
}

static int
execute_file (const char *path)
{
  return access (path, X_OK) == 0 ? 0 : errno;
}

/* ------------------------------------------------------------------------ */
/* A run                                                                     */

typedef struct
{
  char  *base, *run; /* owned */
  gint64 pid;        /* process id of the supervisor */
} Fixture;

static void
call (const Fixture *f, const char *arguments)
{
  g_auto(GStrv) parts = g_strsplit (arguments, "@", -1);
  g_autofree char *line = g_strchomp (g_strjoinv (f->base, parts));
  g_auto(EngineResult) result = engine_run (line);
  g_test_message ("%s\n%s", line, result.err);
  g_assert_cmpint (result.code, ==, 0);
}

/* Runs a command as the other user; its output must contain @what. */
static void
assert_refused (const Fixture *f, const char *arguments, int code, const char *what)
{
  g_auto(GStrv) parts = g_strsplit (arguments, "@", -1), said_parts = g_strsplit (what, "@", -1);
  g_autofree char *rest = g_strjoinv (f->base, parts), *said = g_strjoinv (f->base, said_parts);
  g_autofree char *line = g_strconcat (g_getenv ("URBARIUM_ENGINE"), " ", rest, NULL), *err = NULL;
  g_auto(GStrv) argv = g_strsplit (line, " ", -1);
  int status;
  g_assert_true (g_spawn_sync (f->base, argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, become_other_user,
                               NULL, NULL, &err, &status, NULL));
  g_test_message ("%s\n%s", rest, err);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, code);
  g_assert_nonnull (strstr (err, said));
  g_assert_nonnull (strstr (err, ", can permit it\n"));
}

static gint64
read_pid (const Fixture *f)
{
  g_autofree char *lock = g_build_filename (f->run, "lock", NULL);
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (lock, &text, NULL, NULL));
  return g_ascii_strtoll (text, NULL, 10);
}

#define TRAIN "train --dataset @/areas.gpkg --preset @/mini.preset --run @/run --steps 1000000 " \
              "--checkpoint-every 50 --sample-every 50 --threads 1 --detach --quiet "

static void
begin (Fixture *f, const char *arguments)
{
  f->base = g_dir_make_tmp ("urbarium-other-XXXXXX", NULL);
  f->run = g_build_filename (f->base, "run", NULL);
  g_assert_cmpint (chmod (f->base, 0755), ==, 0);
  umask (022);
  small_dataset_write (f->base);
  call (f, arguments);
  f->pid = read_pid (f);
}

/* Starts a run and waits for a checkpoint.  A detached engine is not a child of this process. */
static void
stop (const Fixture *f)
{
  g_autofree char *control = g_build_filename (f->run, "control.sock", NULL);
  g_assert_cmpint (kill ((pid_t) f->pid, SIGINT), ==, 0);
  for (int i = 0; i < 3000 && kill ((pid_t) f->pid, 0) == 0; i++)
    g_usleep (10000);
  g_assert_false (g_file_test (control, G_FILE_TEST_EXISTS));
}

static void
end (Fixture *f)
{
  g_spawn_sync (NULL, (char *[]){ "rm", "-rf", f->base, NULL }, NULL, G_SPAWN_SEARCH_PATH, NULL,
                NULL, NULL, NULL, NULL, NULL);
  g_free (f->run);
  g_free (f->base);
}

/* All entries of @folder; those removed in the meantime are ignored. */
static int
count_readable (const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  int n = 0;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      int code = as_other_user (read_file, path);
      if (code == 0)
        g_test_message ("the other user can read '%s'", path);
      n += code == 0 || as_other_user (write_file, path) == 0;
      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        n += count_readable (path);
    }
  return n;
}

static int
mode_of (const Fixture *f, const char *name)
{
  g_autofree char *path = g_build_filename (f->base, name, NULL);
  GStatBuf info;
  g_assert_cmpint (g_stat (path, &info), ==, 0);
  return (int) (info.st_mode & 0777);
}

/* Number of segments in /dev/shm: all, or those readable by others. */
static int
count_segments (gboolean open_to_others)
{
  g_autoptr(GDir) dir = g_dir_open ("/dev/shm", 0, NULL);
  const char *name;
  int n = 0;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename ("/dev/shm", name, NULL);
      if (g_str_has_prefix (name, "urb"))
        n += !open_to_others || as_other_user (read_file, path) != EACCES;
    }
  return n;
}

static gboolean
can_be_another (void)
{
  if (geteuid () != 0)
    g_test_skip ("THIS PROVES NOTHING WITHOUT ROOT: no other user can be played");
  else if (as_other_user (list_folder, g_get_tmp_dir ()) != 0)
    g_test_skip ("THIS PROVES NOTHING WHERE OTHERS SEE NO TEMPORARY FOLDER: the way to it is closed");
  else
    return TRUE;
  return FALSE;
}

/* ------------------------------------------------------------------------ */

static void
test_private (gconstpointer arguments)
{
  Fixture f;
  g_autofree char *control = NULL, *fds = NULL;
  if (!can_be_another ())
    return;
  begin (&f, arguments);
  control = g_build_filename (f.run, "control.sock", NULL);
  fds = g_strdup_printf ("/proc/%" G_GINT64_FORMAT "/fd", f.pid);
  g_assert_cmpint (mode_of (&f, "run"), ==, 0700);
  g_assert_cmpint (as_other_user (list_folder, f.run), ==, EACCES);
  g_assert_cmpint (as_other_user (talk, control), ==, EACCES);
  g_assert_cmpint (as_other_user (list_folder, fds), ==, EACCES); /* memory without a name */
  g_assert_cmpint (count_readable (f.run), ==, 0);
  if (strstr (arguments, "file_system") != NULL)
    g_assert_cmpint (count_segments (FALSE), >, 0);
  g_assert_cmpint (count_segments (TRUE), ==, 0);
  stop (&f);
  g_assert_cmpint (count_readable (f.run), ==, 0);
  end (&f);
}

/* First the folder is opened while its files stay private; then chmod opens everything. */
static void
test_given (void)
{
  static const char *const own[] = { "run/run.ini", "run/run.db", "run/log", "run/lock" };
  Fixture f;
  g_autofree char *control = NULL;
  if (!can_be_another ())
    return;
  begin (&f, TRAIN);
  control = g_build_filename (f.run, "control.sock", NULL);
  g_assert_cmpint (chmod (f.run, 0755), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (own); i++)
    g_assert_cmpint (mode_of (&f, own[i]), ==, 0600);
  g_assert_cmpint (as_other_user (talk, control), ==, EACCES);
  /* Every client that can connect must still be the owner. */
  g_assert_cmpint (chmod (control, 0666), ==, 0);
  g_assert_cmpint (as_other_user (talk, control), ==, ECONNRESET);
  g_spawn_sync (NULL, (char *[]){ "chmod", "-R", "go+rX", f.run, NULL }, NULL, G_SPAWN_SEARCH_PATH,
                NULL, NULL, NULL, NULL, NULL, NULL);
  stop (&f);
  call (&f, "resume @/run --detach --quiet");
  f.pid = read_pid (&f);
  stop (&f);
  g_assert_cmpint (mode_of (&f, "run"), ==, 0755);
  g_assert_cmpint (mode_of (&f, "run/checkpoints"), ==, 0755);
  for (gsize i = 0; i < G_N_ELEMENTS (own); i++)
    g_assert_cmpint (mode_of (&f, own[i]), ==, 0644);
  end (&f);
}

/* Files meant for sharing have the permissions of the umask. */
static void
test_exports (void)
{
  static const int masks[] = { 022, 077 };
  Fixture f;
  f.base = g_dir_make_tmp ("urbarium-other-XXXXXX", NULL);
  f.run = g_build_filename (f.base, "run", NULL);
  small_dataset_write (f.base);
  call (&f, "train --dataset @/areas.gpkg --preset @/mini.preset --run @/run --steps 2 --quiet");
  for (gsize i = 0; i < G_N_ELEMENTS (masks); i++)
    {
      static const char *const names[] = { "wall.png", "cities.svg", "cities.geojson",
                                           "cities.dxf", "cities.gpkg", "areas.gpkg" };
      umask ((mode_t) masks[i]);
      small_dataset_write (f.base);
      for (gsize k = 0; k < G_N_ELEMENTS (names); k++)
        {
          g_autofree char *arguments
            = g_strconcat ("generate @/run --count 1 --threads 1 --force --out @/", names[k], NULL);
          if (k == 4 && !URBARIUM_HAVE_GEO)
            continue;
          if (k < 5)
            call (&f, arguments);
          g_assert_cmphex ((guint) mode_of (&f, names[k]), ==, (guint) (0666 & ~masks[i]));
        }
    }
  umask (022);
  end (&f);
}

/* Permission errors name the file and who could grant access. */
static void
test_told (void)
{
  Fixture f;
  g_autofree char *dataset = NULL, *town = NULL;
  if (!can_be_another ())
    return;
  if (as_other_user (execute_file, g_getenv ("URBARIUM_ENGINE")) != 0)
    {
      g_test_skip ("THIS PROVES NOTHING WHERE OTHERS MAY NOT RUN THE ENGINE: the way to it is closed");
      return;
    }
  f.base = g_dir_make_tmp ("urbarium-other-XXXXXX", NULL);
  f.run = g_build_filename (f.base, "run", NULL);
  dataset = g_build_filename (f.base, "areas.gpkg", NULL);
  town = g_build_filename (f.base, "town.gpkg", NULL);
  umask (022);
  g_assert_cmpint (chmod (f.base, 0755), ==, 0);
  small_dataset_write (f.base);
  call (&f, "train --dataset @/areas.gpkg --preset @/mini.preset --run @/run --steps 2 --quiet");
  g_assert_true (g_file_set_contents_full (town, "town", -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  assert_refused (&f, "train --dataset @/areas.gpkg --preset @/mini.preset --run @/other --steps 2", 3,
                  ") may not write in the folder '@'; ");
  g_assert_cmpint (chmod (dataset, 0600), ==, 0);
  assert_refused (&f, "train --dataset @/areas.gpkg --preset @/mini.preset --run @/other --steps 2", 3,
                  ") may not read '@/areas.gpkg'; ");
  assert_refused (&f, "resume @/run", 3, ") may not read '@/run/run.ini'; ");
  assert_refused (&f, "generate @/run --out @/wall.png", 3, ") may not read '@/run'; ");
  assert_refused (&f, "resume @/run", 3, ", who owns the folder '@/run', ");
  if (URBARIUM_HAVE_GEO)
    {
      assert_refused (&f, "inspect @/town.gpkg", 3, ") may not read '@/town.gpkg'; ");
      assert_refused (&f, "inspect @/run/town.gpkg", 3, ", who owns the folder '@/run', ");
      assert_refused (&f, "sample --size-km 0.25 @/new.gpkg", 3, ") may not write in the folder '@'; ");
      call (&f, "sample --size-km 0.5 @/map.gpkg");
      assert_refused (&f, "curate @/map.gpkg --out @/new.gpkg", 1, ") may not write in the folder '@'; ");
      assert_refused (&f, "curate @/mini.preset --out @/areas.gpkg", 1, ") may not read '@/areas.gpkg'; ");
    }
  end (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/other-user/alone", TRAIN, test_private);
  g_test_add_data_func ("/other-user/hogwild",
                        TRAIN "--strategy hogwild:2 --sharing file_system", test_private);
  g_test_add_func ("/other-user/given", test_given);
  g_test_add_func ("/other-user/exports", test_exports);
  g_test_add_func ("/other-user/told", test_told);
  return g_test_run ();
}
