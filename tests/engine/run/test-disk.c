/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-disk.c - the real program on a disk that is full or read-only.
 *
 * Whatever does not fit (the run folder, run.db, a checkpoint, a sample), the
 * run ends within seconds with a clear error and leaves no temporary files.  With
 * more room, `resume` gives the weights and the history of an undisturbed run.
 * The other commands leave no partial file.  With -m slow many more sizes are
 * tried.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "mount-room.h"
#include "real-run.h"
#include "run/store/failure.h"

enum { N_STEPS = 60, MANY = 100000 };

typedef struct
{
  RealRun real;
  char   *disk, *run; /* owned; the run is on this disk */
} Fixture;

static void
fixture_clear (Fixture *f)
{
  real_run_clear (&f->real);
  g_free (f->disk);
  g_free (f->run);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, fixture_clear)

static gboolean
fixture_init (Fixture *f, RunTest *t)
{
  if (!mount_room_check () || !real_run_init_beside (&f->real, t, N_STEPS))
    return FALSE;
  f->disk = g_build_filename (t->base, "disk", NULL);
  f->run = g_build_filename (f->disk, "run", NULL);
  g_assert_cmpint (g_mkdir (f->disk, 0700), ==, 0);
  return TRUE;
}

static void
assert_says_full (const char *said)
{
  static const char *const causes[]
    = { "disk is full", "No space left on device", "Does not fit: disk" };
  for (gsize i = 0; i < G_N_ELEMENTS (causes); i++)
    if (strstr (said, causes[i]) != NULL)
      return;
  g_error ("nobody said that the disk is full, but: %s", said);
}

/* Returns: whether the disk was too small */
static gboolean
run_on_small_disk (Fixture *f, const char *options)
{
  g_autofree char *said = NULL;
  gint64 before, after;
  mount_room_add (f->disk, options);
  g_test_message ("%s", options);
  said = real_run_fail (&f->real, real_run_start (&f->real, f->run, N_STEPS));
  run_test_assert_no_process ();
  real_run_assert_nothing_torn (f->run);
  real_run_assert_nothing_left (f->run);
  if (*said != '\0')
    {
      g_autoptr(GArray) steps = urb_run_folder_list_checkpoints (f->run);
      assert_says_full (said);
      before = steps->len > 0 ? g_array_index (steps, gint64, steps->len - 1) : 0;
      mount_room_change (f->disk, "size=16m,nr_inodes=1000");
      real_run_finish (&f->real, f->run, N_STEPS);
      /* It resumed from there, not from the beginning. */
      after = real_run_query (f->run, "SELECT from_step FROM session ORDER BY seq DESC LIMIT 1");
      g_assert_cmpint (after, ==, before);
    }
  real_run_assert_undisturbed (&f->real, f->run);
  mount_room_remove (f->disk);
  return *said != '\0';
}

static void
test_full (RunTest *t, gconstpointer data)
{
  enum { MIN_KIB = 100, MAX_KIB = 420 };
  g_auto(Fixture) f = { 0 };
  int step_kib = g_test_slow () ? 4 : 44, n_full = 0;
  if (!fixture_init (&f, t))
    return;
  for (int kib = MIN_KIB; kib <= MAX_KIB; kib += step_kib)
    {
      g_autofree char *options = g_strdup_printf ("size=%dk", kib);
      n_full += run_on_small_disk (&f, options);
    }
  g_assert_cmpint (n_full, >=, 3);
}

/* A program that finds the run later knows the cause. */
static void
assert_knows_full (const char *run)
{
  g_autofree char *path = g_build_filename (run, "run.db", NULL);
  g_autoptr(UrbRunDb) db = urb_run_db_open_reader (path, NULL);
  g_autoptr(GError) failure = urb_run_find_failure (db, run);
  g_assert_error (failure, G_FILE_ERROR, G_FILE_ERROR_NOSPC);
}

/* Somebody else fills the disk while the run trains. */
static void
test_filled (RunTest *t, gconstpointer data)
{
  g_auto(Fixture) f = { 0 };
  g_autofree char *said = NULL;
  g_autofree char *other = NULL;
  g_autoptr(GError) failure = NULL;
  pid_t supervisor;
  int fd;
  if (!fixture_init (&f, t))
    return;
  mount_room_add (f.disk, "size=64m");
  other = g_build_filename (f.disk, "other", NULL);
  supervisor = real_run_start (&f.real, f.run, MANY);
  real_run_wait_for_steps (f.run);
  fd = open (other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  g_assert_cmpint (fd, >=, 0);
  for (char bytes[4096] = { 0 }; write (fd, bytes, sizeof bytes) > 0;)
    ;
  g_assert_cmpint (errno, ==, ENOSPC);
  close (fd);
  said = real_run_fail (&f.real, supervisor);
  assert_says_full (said);
  run_test_assert_no_process ();
  assert_knows_full (f.run);
  /* It resumes as soon as there is room, and then nothing has failed. */
  g_assert_cmpint (g_unlink (other), ==, 0);
  supervisor = real_run_start (&f.real, f.run, MANY);
  while ((failure = urb_run_find_failure (NULL, f.run)) != NULL && kill (supervisor, 0) == 0)
    {
      g_clear_error (&failure);
      g_usleep (10000);
    }
  g_assert_no_error (failure);
  g_assert_cmpint (kill (supervisor, SIGTERM), ==, 0);
  real_run_wait (supervisor);
  mount_room_remove (f.disk);
}

/* There is space, but no inode left: each file in turn is the first that cannot be created. */
static void
test_no_more_files (RunTest *t, gconstpointer data)
{
  enum { MAX_INODES = 36 };
  g_auto(Fixture) f = { 0 };
  int step = g_test_slow () ? 1 : 5, n_full = 0;
  if (!fixture_init (&f, t))
    return;
  for (int n = 2; n <= MAX_INODES; n += step)
    {
      g_autofree char *options = g_strdup_printf ("size=16m,nr_inodes=%d", n);
      n_full += run_on_small_disk (&f, options);
    }
  g_assert_cmpint (n_full, >=, 3);
}

/* Moments and averages on a small disk: the run is refused, or leaves nothing there, even if its worker
 * was killed. */
static void
test_offload (RunTest *t, gconstpointer data)
{
  g_auto(Fixture) f = { 0 };
  g_autofree char *said = NULL;
  g_autoptr(GArray) steps = NULL;
  pid_t supervisor, worker;
  struct statvfs info;
  if (!fixture_init (&f, t))
    return;
  f.real.more = (const char *const[]){ "--offload", f.disk, NULL };
  mount_room_add (f.disk, "size=8k");
  said = real_run_fail (&f.real, real_run_start (&f.real, t->run, N_STEPS));
  g_assert_nonnull (strstr (said, "Does not fit: offload"));
  g_assert_nonnull (strstr (said, f.disk));
  mount_room_change (f.disk, "size=16m");
  supervisor = real_run_start (&f.real, t->run, N_STEPS);
  do
    {
      g_clear_pointer (&steps, g_array_unref);
      steps = urb_run_folder_list_checkpoints (t->run);
    }
  while (steps->len < 2);
  worker = real_run_find_worker (supervisor);
  g_assert_cmpint (worker, >, 0);
  kill (worker, SIGKILL);
  g_assert_cmpint (real_run_wait (supervisor), ==, 0);
  g_assert_cmpint (statvfs (f.disk, &info), ==, 0);
  g_assert_cmpuint (info.f_bfree, ==, info.f_blocks);
  real_run_assert_undisturbed (&f.real, t->run);
  mount_room_remove (f.disk);
}

/* ------------------------------------------------------------------------ */
/* Read-only                                                                 */

static void
test_read_only (RunTest *t, gconstpointer data)
{
  g_auto(Fixture) f = { 0 };
  g_autofree char *other = NULL, *new_said = NULL, *said = NULL;
  if (!fixture_init (&f, t))
    return;
  real_run_finish (&f.real, f.run, N_STEPS / 2);
  mount_room_freeze (f.disk);
  other = g_build_filename (f.disk, "other", NULL);
  new_said = real_run_fail (&f.real, real_run_start (&f.real, other, N_STEPS));
  g_assert_nonnull (strstr (new_said, "Read-only file system"));
  said = real_run_fail (&f.real, real_run_start (&f.real, f.run, N_STEPS));
  g_assert_nonnull (strstr (said, "Read-only file system"));
  run_test_assert_no_process ();
  mount_room_remove (f.disk);
  real_run_finish (&f.real, f.run, N_STEPS);
  real_run_assert_undisturbed (&f.real, f.run);
}

/* Root may write anywhere unless this capability is dropped. */
static void
obey_permissions (gint64 value)
{
  prctl (PR_CAPBSET_DROP, CAP_DAC_OVERRIDE);
}

static void
test_no_permission (RunTest *t, gconstpointer data)
{
  static const char *const folders[] = { ".", "checkpoints", "samples" };
  g_auto(Fixture) f = { 0 };
  if (!fixture_init (&f, t))
    return;
  real_run_finish (&f.real, f.run, N_STEPS / 2);
  f.real.prepare = obey_permissions;
  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *path = g_build_filename (f.run, folders[i], NULL), *said = NULL;
      g_assert_cmpint (g_chmod (path, 0500), ==, 0);
      said = real_run_fail (&f.real, real_run_start (&f.real, f.run, N_STEPS / 2 + 4));
      g_assert_cmpint (g_chmod (path, 0700), ==, 0);
      run_test_assert_no_process ();
      g_test_message ("'%s': %s", folders[i], said);
    }
  real_run_finish (&f.real, f.run, N_STEPS);
  real_run_assert_undisturbed (&f.real, f.run);
}

/* ------------------------------------------------------------------------ */
/* Other commands                                                            */

static void
assert_no_temporary (const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      if (name[0] == '.' || strstr (name, ".tmp") != NULL || strstr (name, "-journal") != NULL)
        g_error ("'%s' was left behind", path);
      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        assert_no_temporary (path);
    }
}

/* Returns: whether the disk was too small */
static gboolean
write_to_small_disk (Fixture *f, const char *const *argv, int kib)
{
  g_autofree char *options = g_strdup_printf ("size=%dk", kib), *said = NULL;
  int code;
  pid_t pid;
  mount_room_add (f->disk, options);
  pid = real_run_spawn (&f->real, argv);
  code = real_run_wait (pid);
  g_assert_true (g_file_get_contents (f->real.said, &said, NULL, NULL));
  g_test_message ("%s on %d KiB: %d: %s", argv[1], kib, code, said);
  g_assert_cmpint (code, >=, 0);
  if (code != 0)
    g_assert_nonnull (strstr (said, f->disk)); /* which file it is */
  assert_no_temporary (f->disk);
  mount_room_remove (f->disk);
  return code != 0;
}

static void
test_commands (RunTest *t, gconstpointer data)
{
  g_auto(Fixture) f = { 0 };
  g_autofree char *town = g_build_filename (t->base, "town.gpkg", NULL);
  g_autofree char *out = NULL, *plan = NULL, *wall = NULL;
  const char *engine = g_getenv ("URBARIUM_ENGINE");
  if (!fixture_init (&f, t))
    return;
  out = g_build_filename (f.disk, "out.gpkg", NULL);
  plan = g_build_filename (f.disk, "overview.png", NULL);
  wall = g_build_filename (f.disk, "wall.png", NULL);
  {
    const char *const make[] = { engine, "sample", "--size-km", "1", town, NULL };
    const char *const sample[] = { engine, "sample", "--size-km", "1", out, NULL };
    const char *const curate[] = { engine, "curate", town, "--out", out, "--soft", "--resolution", "16",
                                   "--overview", plan, "--wall", wall, NULL };
    const char *const generate[]
      = { engine, "generate", f.real.reference, "--count", "4", "--out", out, NULL };
    const char *const *const commands[] = { sample, curate, generate };
    if (real_run_wait (real_run_spawn (&f.real, make)) != 0)
      {
        g_test_skip ("maps are not built in");
        return;
      }
    for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
      {
        static const int few_kib[] = { 4, 64, 160, 400 };
        int n_full = 0;
        for (gsize k = 0; k < G_N_ELEMENTS (few_kib); k++)
          n_full += write_to_small_disk (&f, commands[i], few_kib[k]);
        for (int kib = 12; g_test_slow () && kib < 600; kib += 28)
          n_full += write_to_small_disk (&f, commands[i], kib);
        g_assert_cmpint (n_full, >=, 1);
        g_assert_false (write_to_small_disk (&f, commands[i], 16384));
      }
  }
}

int
main (int argc, char **argv)
{
  mount_room_enter ();
  g_test_init (&argc, &argv, NULL);
  run_test_add ("/disk/full", test_full);
  run_test_add ("/disk/filled", test_filled);
  run_test_add ("/disk/no-more-files", test_no_more_files);
  run_test_add ("/disk/offload", test_offload);
  run_test_add ("/disk/read-only", test_read_only);
  run_test_add ("/disk/no-permission", test_no_permission);
  run_test_add ("/disk/commands", test_commands);
  return g_test_run ();
}
