/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader-process.c - see reader-process.h.
 *
 * The hard part is not to wait for ever: the process may loop, wait, or die, and the user may cancel.
 * The kernel bounds its processor time and memory (serve.c); here, a process that neither computes nor
 * sends for a while is given up.
 */
#include "map/reader-process.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "base/out-of-memory.h"
#include "base/show-text.h"
#include "base/temporary.h"
#include "map/reader-fd.h"
#include "map/vertex-block.h"

#define PROGRAM "urbarium-engine-maps"

#define POLL_MS      50
#define STALL_US     (30 * G_TIME_SPAN_SECOND)
#define SERVER_STALL_US (15 * G_TIME_SPAN_SECOND) /* after which the process itself should have given up */
#define END_US       (5 * G_TIME_SPAN_SECOND)
#define PIPE_BYTES   (1 << 20)
/* Only large files need a folder for temporary files. */
#define SCRATCH_FROM_BYTES (64 << 20)

struct _UrbReaderProcess
{
  pid_t         pid;  /* 0: has ended */
  int           to, from; /* pipes */
  int           block;    /* for the vertices */
  UrbMapLimits  limits;
  gboolean      of_server;
  gint64        stall_us; /* how long it may neither send nor compute */
  char         *scratch; /* (nullable) owned */
  GCancellable *cancellable; /* (nullable) owned */
  UrbStreamOut  out;
  UrbStreamIn   in;
  gint64        end_us;   /* 0: no limit */
  gint64        quiet_since_us, cpu_us; /* processor time at that moment */
  gboolean      is_stalled;
  int           status;   /* after its end */
  struct rusage usage;
};

/* -------- Starting -------- */

char *
urb_reader_process_find_program (void)
{
  /* Installed; in the build tree next to the engine, the window, or a test. */
  static const char *const places[] = { PROGRAM,
                                        "../libexec/urbarium/" PROGRAM,
                                        "../../engine/cli/" PROGRAM,
                                        "../../../engine/cli/" PROGRAM };
  const char *chosen = g_getenv ("URBARIUM_ENGINE_MAPS");
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = self != NULL ? g_path_get_dirname (self) : NULL;

  if (chosen != NULL && *chosen != '\0')
    return g_strdup (chosen);
  for (gsize i = 0; folder != NULL && i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *path = g_build_filename (folder, places[i], NULL);

      if (g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
        return g_steal_pointer (&path);
    }
  return g_strdup (URBARIUM_LIBEXECDIR "/" PROGRAM);
}

/* Only what is listed: GDAL, PROJ, Xerces, SQLite and libpq obey many variables. */
static char **
make_environment (const UrbReaderProcess *self)
{
  static const char *const kept[] = {
    "LANG",         "LC_ALL",       "LC_CTYPE",     "LC_MESSAGES",    "LANGUAGE",
    "PROJ_DATA",    "PROJ_LIB",     "GDAL_DATA",    "LD_LIBRARY_PATH", "ASAN_OPTIONS",
    "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "MALLOC_PERTURB_",
  };
  /* Large pages: most of the memory of a large map is written once, and each page costs a fault. */
  char **all = g_environ_setenv (NULL, "GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", TRUE);

  for (gsize i = 0; i < G_N_ELEMENTS (kept); i++)
    if (g_getenv (kept[i]) != NULL)
      all = g_environ_setenv (all, kept[i], g_getenv (kept[i]), TRUE);
  if (self->of_server && g_getenv ("PGPASSWORD") != NULL)
    all = g_environ_setenv (all, "PGPASSWORD", g_getenv ("PGPASSWORD"), TRUE);
  if (self->scratch != NULL)
    {
      all = g_environ_setenv (all, "TMPDIR", self->scratch, TRUE);
      all = g_environ_setenv (all, "CPL_TMPDIR", self->scratch, TRUE);
      all = g_environ_setenv (all, "SQLITE_TMPDIR", self->scratch, TRUE);
    }
  return all;
}

/* What libraries print about a hostile map is not shown; sanitizers must be heard. */
static gboolean
is_heard (void)
{
  return g_getenv ("ASAN_OPTIONS") != NULL || g_getenv ("UBSAN_OPTIONS") != NULL
         || g_getenv ("TSAN_OPTIONS") != NULL;
}

/* By posix_spawn(), which runs no handlers of libraries in the child. */
static int
start (UrbReaderProcess *self, const char *program, int request[2], int answer[2])
{
  g_auto(GStrv) environment = make_environment (self);
  char *arguments[] = { (char *) program, URB_READER_COMMAND, NULL };
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t signals;
  int result;

  posix_spawn_file_actions_init (&files);
  posix_spawn_file_actions_adddup2 (&files, request[0], STDIN_FILENO);
  posix_spawn_file_actions_addopen (&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (!is_heard ())
    posix_spawn_file_actions_addopen (&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2 (&files, answer[1], URB_READER_FD);
  posix_spawn_file_actions_adddup2 (&files, self->block, URB_READER_BLOCK_FD);
  posix_spawn_file_actions_addclosefrom_np (&files, URB_READER_BLOCK_FD + 1);
  posix_spawnattr_init (&attributes);
  sigemptyset (&signals);
  posix_spawnattr_setsigmask (&attributes, &signals);
  sigaddset (&signals, SIGPIPE);
  sigaddset (&signals, SIGXCPU);
  posix_spawnattr_setsigdefault (&attributes, &signals);
  /* A Ctrl+C of the terminal is for this process, which then ends the other. */
  posix_spawnattr_setpgroup (&attributes, 0);
  posix_spawnattr_setflags (&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
                                           | POSIX_SPAWN_SETPGROUP);
  result = posix_spawn (&self->pid, program, &files, &attributes, arguments, environment);
  posix_spawnattr_destroy (&attributes);
  posix_spawn_file_actions_destroy (&files);
  return result;
}

/* Killed programs leave theirs to the next one.  (transfer full) (nullable) */
static char *
make_scratch (void)
{
  g_autofree char *parent = g_build_filename (g_get_tmp_dir (), "urbarium-map", NULL);
  g_autofree char *path = urb_temporary_dup_path (parent, "");

  urb_temporary_sweep (g_get_tmp_dir ());
  return g_mkdir (path, 0700) == 0 ? g_steal_pointer (&path) : NULL;
}

static gssize read_answer (gpointer data, gpointer buffer, gsize n_bytes, GError **error);

UrbReaderProcess *
urb_reader_process_new (const char *const *paths, const UrbMapOptions *options,
                        GCancellable *cancellable, GError **error)
{
  g_autoptr(UrbReaderProcess) self = g_new0 (UrbReaderProcess, 1);
  g_autofree char *program = urb_reader_process_find_program ();
  UrbMapRequest request = { .paths = (char **) paths, .parent = getpid () };
  int ask[2] = { -1, -1 }, answer[2] = { -1, -1 }, result;

  self->to = self->from = self->block = -1;
  self->limits = urb_map_limits_for (paths, options != NULL ? options->address : NULL);
  self->of_server = options != NULL && options->address != NULL;
  self->stall_us = self->of_server ? urb_map_options_get_patience_s (options) * G_TIME_SPAN_SECOND + SERVER_STALL_US
                                   : STALL_US;
  if (self->limits.n_bytes >= SCRATCH_FROM_BYTES)
    self->scratch = make_scratch ();
  self->block = urb_vertex_block_create (self->limits.memory_bytes);
  if (self->block >= 0 && pipe2 (ask, O_CLOEXEC) == 0 && pipe2 (answer, O_CLOEXEC) == 0)
    result = start (self, program, ask, answer);
  else
    result = errno;
  self->to = ask[1];
  self->from = answer[0];
  if (ask[0] >= 0)
    close (ask[0]);
  if (answer[1] >= 0)
    close (answer[1]);
  if (result != 0)
    {
      self->pid = 0;
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_UNAVAILABLE,
                   N_ ("'%s', which reads maps, could not be started: %s. Reinstall Urbarium."), program,
                   g_strerror (result));
      return NULL;
    }
  fcntl (self->from, F_SETPIPE_SZ, PIPE_BYTES);
  fcntl (self->from, F_SETFL, O_NONBLOCK);
  g_set_object (&self->cancellable, cancellable);
  urb_stream_out_init (&self->out, self->to);
  urb_stream_in_init (&self->in, read_answer, self);
  self->quiet_since_us = g_get_monotonic_time ();
  if (options != NULL)
    request.options = *options;
  request.limits = self->limits;
  request.scratch = self->scratch;
  urb_map_request_put (&request, &self->out);
  return g_steal_pointer (&self);
}

UrbStreamOut *
urb_reader_process_get_out (UrbReaderProcess *self)
{
  return &self->out;
}

UrbStreamIn *
urb_reader_process_get_in (UrbReaderProcess *self)
{
  return &self->in;
}

int
urb_reader_process_get_block (UrbReaderProcess *self)
{
  return self->block;
}

const UrbMapLimits *
urb_reader_process_get_limits (UrbReaderProcess *self)
{
  return &self->limits;
}

void
urb_reader_process_set_time_limit (UrbReaderProcess *self, gint64 us)
{
  self->end_us = g_get_monotonic_time () + us;
}

/* -------- Waiting -------- */

static gint64
get_cpu_us (pid_t pid)
{
  struct timespec time;
  clockid_t clock;

  if (clock_getcpuclockid (pid, &clock) != 0 || clock_gettime (clock, &time) != 0)
    return 0;
  return (gint64) time.tv_sec * G_USEC_PER_SEC + time.tv_nsec / 1000;
}

/* Whether the process computes, or has been waiting for a short time only. */
static gboolean
is_alive (UrbReaderProcess *self)
{
  gint64 now = g_get_monotonic_time (), cpu_us;

  if (now - self->quiet_since_us < self->stall_us)
    return TRUE;
  cpu_us = get_cpu_us (self->pid);
  self->is_stalled = cpu_us - self->cpu_us < G_USEC_PER_SEC / 100;
  self->cpu_us = cpu_us;
  self->quiet_since_us = now;
  return !self->is_stalled;
}

static gssize
read_answer (gpointer data, gpointer buffer, gsize n_bytes, GError **error)
{
  UrbReaderProcess *self = data;
  struct pollfd wait = { .fd = self->from, .events = POLLIN };

  while (TRUE)
    {
      gssize n = read (self->from, buffer, n_bytes);
      if (n >= 0)
        {
          self->quiet_since_us = g_get_monotonic_time ();
          return n;
        }
      if (errno != EAGAIN && errno != EINTR)
        return 0;
      if (g_cancellable_set_error_if_cancelled (self->cancellable, error))
        return -1;
      if ((self->end_us != 0 && g_get_monotonic_time () >= self->end_us) || !is_alive (self))
        return 0;
      poll (&wait, 1, POLL_MS);
    }
}

/* -------- The end -------- */

/* A process that ends by itself has @patience_us for it. */
static void
end (UrbReaderProcess *self, gint64 patience_us)
{
  gint64 until = g_get_monotonic_time () + patience_us;
  pid_t ended = 0;

  if (self->pid == 0)
    return;
  while (patience_us > 0 && ended == 0 && g_get_monotonic_time () < until)
    {
      ended = wait4 (self->pid, &self->status, WNOHANG, &self->usage);
      if (ended == 0)
        g_usleep (1000);
    }
  if (ended <= 0)
    {
      kill (self->pid, SIGKILL);
      while (wait4 (self->pid, &self->status, 0, &self->usage) < 0 && errno == EINTR)
        ;
    }
  self->pid = 0;
}

void
urb_reader_process_free (UrbReaderProcess *self)
{
  if (self == NULL)
    return;
  end (self, 0);
  if (self->to >= 0)
    close (self->to);
  if (self->from >= 0)
    close (self->from);
  if (self->block >= 0)
    close (self->block);
  urb_stream_out_clear (&self->out);
  urb_stream_in_clear (&self->in);
  if (self->scratch != NULL)
    urb_temporary_remove_folder (self->scratch);
  g_free (self->scratch);
  g_clear_object (&self->cancellable);
  g_free (self);
}

static gboolean
ran_out_of_time (const UrbReaderProcess *self)
{
  gint64 cpu_s = self->usage.ru_utime.tv_sec + self->usage.ru_stime.tv_sec;

  return WIFSIGNALED (self->status)
         && (WTERMSIG (self->status) == SIGXCPU
             || (WTERMSIG (self->status) == SIGKILL && cpu_s >= self->limits.cpu_s - 1));
}

/* A process that dies for want of memory has taken much of it, or says so by its exit code. */
static gboolean
ran_out_of_memory (const UrbReaderProcess *self)
{
  if (WIFEXITED (self->status))
    return WEXITSTATUS (self->status) == URB_OUT_OF_MEMORY_EXIT_CODE;
  return WTERMSIG (self->status) != SIGXCPU
         && (gint64) self->usage.ru_maxrss * 1024 > self->limits.memory_bytes / 2;
}

void
urb_reader_process_receive_error (UrbStreamIn *in, guint64 n_bytes, GError **error)
{
  g_autofree char *text = NULL;
  UrbMapError code;

  if (!urb_stream_receive_fields (in, n_bytes, error))
    return;
  code = (UrbMapError) urb_stream_get_int (in, 0, URB_MAP_ERROR_UNAVAILABLE);
  text = urb_stream_get_some_text (in);
  if (urb_stream_end_fields (in, error))
    g_set_error_literal (error, URB_MAP_ERROR, code, text);
}

void
urb_reader_process_explain (UrbReaderProcess *self, const char *path, GError **error)
{
  g_autofree char *shown = urb_show_text (path);
  g_autofree char *size = self->of_server ? g_strdup ("")
                                          : g_strdup_printf (" (%.1f MiB)", (double) self->limits.n_bytes / (1 << 20));

  if ((*error)->domain != G_IO_ERROR
      || !(g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CLOSED)
           || g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA)))
    return;
  /* A process that closed its pipe should be ending. */
  end (self, g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CLOSED) && !self->is_stalled ? END_US : 0);
  g_clear_error (error);
  if (self->is_stalled && self->of_server)
    g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_READ,
                 N_ ("'%s' could not be read: for %d s, nothing came from the server. Try again later, or check the "
                     "address."), shown, (int) (self->stall_us / G_TIME_SPAN_SECOND));
  else if (self->is_stalled)
    g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_READ,
                 N_ ("'%s' could not be read: for %d s, nothing came from its disk or network. Copy it to a "
                     "local disk."), shown, (int) (STALL_US / G_TIME_SPAN_SECOND));
  else if (ran_out_of_time (self))
    g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_LIMIT,
                 N_ ("'%s'%s was given up after %d s of processor time, the bound for its size: it "
                     "is damaged, or made so that it never ends. Export it again, or convert it with ogr2ogr "
                     "map.gpkg."), shown, size, (int) self->limits.cpu_s);
  else if (ran_out_of_memory (self))
    g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_LARGE,
                 N_ ("'%s'%s needs more memory than the bound for its size, %d MiB, or than is free: "
                     "it is damaged, or unpacks to far more than its size. Cut out the part you need, or "
                     "convert it with ogr2ogr map.gpkg."), shown, size,
                 (int) (self->limits.memory_bytes >> 20));
  else
    g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_READ,
                 WIFSIGNALED (self->status)
                   ? N_ ("'%s' cannot be read: the process that reads maps ended by signal %d. The map is damaged; download or "
                         "export it again.")
                   : N_ ("'%s' cannot be read: the process that reads maps ended by exit code %d. The map is damaged; download "
                         "or export it again."),
                 shown, WIFSIGNALED (self->status) ? WTERMSIG (self->status) : WEXITSTATUS (self->status));
}
