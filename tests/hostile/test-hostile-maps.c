/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-hostile-maps.c - maps that try to read other files, call out, hang, fill memory, or write to the
 * terminal.
 *
 * Each map of this folder, and of $URBARIUM_TEST_DATA/hostile-maps, is opened twice: by the engine
 * (`inspect`) and by the function that the window calls.  A secret file is watched by the kernel
 * (inotify), so that even opening it counts, and a server on loopback counts connections.
 */
#include <arpa/inet.h>
#include <bzlib.h>
#include <cpl_vsi.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sandbox.h"
#include "map/identify.h"
#include "map/map.h"

#define SECRET "the-secret-5309"
/* The bound for small files, 8 s, and what the program itself needs. */
#define MAX_CPU_S 10
#define MAX_RSS_KIB (900 * 1024)

typedef struct
{
  char *folder;      /* owned; of the map */
  char *secret;      /* owned; a file elsewhere */
  char *secret_folder; /* owned */
  int   watch;       /* inotify */
  int   listener;
  int   port;
} Trap;

static Trap trap;

/* -------- The trap -------- */

static void
set_trap (void)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl (INADDR_LOOPBACK) } };
  socklen_t n = sizeof address;

  trap.folder = g_dir_make_tmp ("urbarium-hostile-XXXXXX", NULL);
  trap.secret_folder = g_dir_make_tmp ("urbarium-secret-XXXXXX", NULL);
  trap.secret = g_build_filename (trap.secret_folder, "secret.csv", NULL);
  g_assert_true (g_file_set_contents (
    trap.secret, "WKT,kind\n\"POLYGON((0 0,9 0,9 9,0 0))\"," SECRET "\n", -1, NULL));
  trap.watch = inotify_init1 (IN_NONBLOCK | IN_CLOEXEC);
  g_assert_cmpint (trap.watch, >=, 0);
  g_assert_cmpint (inotify_add_watch (trap.watch, trap.secret, IN_OPEN | IN_ACCESS), >=, 0);
  trap.listener = socket (AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  g_assert_cmpint (bind (trap.listener, (struct sockaddr *) &address, sizeof address), ==, 0);
  g_assert_cmpint (listen (trap.listener, 64), ==, 0);
  g_assert_cmpint (getsockname (trap.listener, (struct sockaddr *) &address, &n), ==, 0);
  trap.port = ntohs (address.sin_port);
}

/* Nobody connected or opened the secret since the last call. */
static gboolean
is_untouched (void)
{
  char events[4096];
  int client = accept (trap.listener, NULL, NULL);
  gssize n = read (trap.watch, events, sizeof events);

  if (client >= 0)
    close (client);
  return client < 0 && n < 0;
}

static void
empty_folder (void)
{
  g_autoptr(GDir) dir = g_dir_open (trap.folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (trap.folder, name, NULL);
      g_assert_cmpint (g_unlink (path), ==, 0);
    }
}

static guint
count_files (void)
{
  g_autoptr(GDir) dir = g_dir_open (trap.folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* The trap notices what it should: otherwise, no other test means anything. */
static void
test_trap (void)
{
  g_autofree char *text = NULL;
  struct sockaddr_in address = { .sin_family = AF_INET,
                                 .sin_port = htons ((uint16_t) trap.port),
                                 .sin_addr = { htonl (INADDR_LOOPBACK) } };
  int fd = socket (AF_INET, SOCK_STREAM, 0);

  g_assert_true (is_untouched ());
  g_assert_true (g_file_get_contents (trap.secret, &text, NULL, NULL));
  g_assert_false (is_untouched ());
  g_assert_cmpint (connect (fd, (struct sockaddr *) &address, sizeof address), ==, 0);
  g_assert_false (is_untouched ());
  close (fd);
  g_assert_true (is_untouched ());
}

/* -------- Maps -------- */

static char *
replace (const char *text, const char *what, const char *by)
{
  g_auto(GStrv) parts = g_strsplit (text, what, -1);

  return g_strjoinv (by, parts);
}

/* With the trap's secret and server; a script becomes a database. */
static char *
set_map (const char *from, const char *name)
{
  g_autofree char *port = g_strdup_printf ("%d", trap.port);
  g_autofree char *text = NULL, *half = NULL, *whole = NULL;
  char *path = g_build_filename (trap.folder, name, NULL);
  sqlite3 *db = NULL;

  g_assert_true (g_file_get_contents (from, &text, NULL, NULL));
  half = replace (text, "@FILE@", trap.secret);
  whole = replace (half, "@PORT@", port);
  if (!g_str_has_suffix (from, ".sql"))
    {
      g_assert_true (g_file_set_contents (path, whole, -1, NULL));
      return path;
    }
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, whole, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
  return path;
}

static char *
dup_source (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "hostile", name, NULL);
}

/* -------- Opening -------- */

static double
children_cpu_s (void)
{
  struct rusage usage;

  getrusage (RUSAGE_CHILDREN, &usage);
  return (double) usage.ru_utime.tv_sec + (double) usage.ru_stime.tv_sec
         + (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void
check_text (const char *text)
{
  g_assert_null (strstr (text, SECRET));
  g_assert_true (g_utf8_validate (text, -1, NULL));
  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);
      g_assert_true (c == '\n' || !g_unichar_iscntrl (c));
      g_assert_true (c < 0x202a || c > 0x202e);
    }
}

/* Returns: (transfer full): what it printed */
static char *
inspect (const char *path)
{
  const char *arguments[] = { g_getenv ("URBARIUM_ENGINE"), "inspect", path, NULL };
  g_autofree char *out = NULL, *err = NULL;
  g_autoptr(GError) error = NULL;
  int status;

  g_spawn_sync (NULL, (char **) arguments, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, &err, &status,
                &error);
  g_assert_no_error (error);
  g_assert_true (WIFEXITED (status));
  check_text (out);
  check_text (err);
  return g_strconcat (out, err, NULL);
}

/* As the window does; also looks up what is in its middle.  (nullable) (transfer full) */
static char *
open_here (const char *path)
{
  const char *const paths[] = { path, NULL };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbMap) map = urb_map_open (paths, NULL, NULL, NULL, NULL, &error);
  g_autoptr(GPtrArray) objects = NULL;
  UrbBox box;

  if (map == NULL)
    {
      check_text (error->message);
      return g_strdup (error->message);
    }
  box = urb_map_get_extent (map);
  objects = urb_map_identify (map, paths, NULL, (box.min_x + box.max_x) / 2, (box.min_y + box.max_y) / 2,
                              NULL, NULL);
  for (guint i = 0; i < objects->len; i++)
    {
      const UrbMapObject *object = g_ptr_array_index (objects, i);
      check_text (object->layer);
      for (guint a = 0; a < object->attributes->len; a++)
        {
          const UrbMapAttribute *attribute = g_ptr_array_index (object->attributes, a);
          check_text (attribute->name);
          check_text (attribute->value);
        }
    }
  for (guint i = 0; i < urb_map_get_layers (map)->len; i++)
    {
      const UrbMapLayer *layer = g_ptr_array_index (urb_map_get_layers (map), i);
      check_text (layer->name);
      for (guint v = 0; v < layer->values->len; v++)
        check_text (((UrbMapValue *) g_ptr_array_index (layer->values, v))->value);
    }
  return NULL;
}

static void
check_both (const char *path)
{
  guint n_files = count_files ();
  double before = children_cpu_s (), between;
  g_autofree char *printed = inspect (path);
  g_autofree char *told = NULL;

  between = children_cpu_s ();
  g_assert_cmpfloat (between - before, <, MAX_CPU_S);
  g_assert_true (is_untouched ());
  told = open_here (path);
  g_assert_cmpfloat (children_cpu_s () - between, <, MAX_CPU_S);
  g_assert_true (is_untouched ());
  g_assert_cmpuint (count_files (), ==, n_files); /* nothing was written beside it */
}

static void
test_file (gconstpointer source)
{
  g_autofree char *name = g_path_get_basename (source);
  g_autofree char *path = NULL;

  if (g_str_has_suffix (name, ".sql"))
    memcpy (strrchr (name, '.'), ".db", sizeof ".db");
  path = set_map (source, name);
  check_both (path);
  empty_folder ();
}

/* -------- Special cases -------- */

/* The same text under the names of ten formats, in a folder, and in an archive. */
static void
test_vrt (void)
{
  static const char *const names[] = { "a.gpkg", "a.geojson", "map.json", "a.shp",    "a.kml",
                                       "a.gml",  "a.csv",     "a.dxf",    "a.sqlite", "a.osm" };
  g_autofree char *source = dup_source ("vrt.xml");
  g_autofree char *zip = g_build_filename (trap.folder, "a.zip", NULL);
  g_autofree char *inside = g_strdup_printf ("/vsizip/%s/map.json", zip);
  g_autofree char *text = NULL, *told = NULL;
  VSILFILE *file;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = set_map (source, names[i]);
      g_autofree char *message = open_here (path);
      g_assert_nonnull (message);
      g_assert_true (is_untouched ());
    }
  told = open_here (trap.folder);
  g_assert_nonnull (told);
  g_assert_true (is_untouched ());
  text = inspect (trap.folder);
  g_assert_true (is_untouched ());
  empty_folder ();
  file = VSIFOpenL (inside, "wb");
  g_assert_nonnull (file);
  g_clear_pointer (&text, g_free);
  g_assert_true (g_file_get_contents (source, &text, NULL, NULL));
  VSIFWriteL (text, 1, strlen (text), file);
  VSIFCloseL (file);
  check_both (zip);
  empty_folder ();
}

/* An entity in UTF-16, and one after more comments than a quick look would read. */
static void
test_hidden_entity (void)
{
  g_autofree char *source = dup_source ("entity.xtf");
  g_autofree char *path = set_map (source, "utf-8.xtf");
  g_autofree char *text = NULL, *utf_16 = NULL, *filling = g_malloc (100000), *late = NULL;
  g_autofree char *wide = g_build_filename (trap.folder, "utf-16.xtf", NULL);
  g_autofree char *long_ = g_build_filename (trap.folder, "long.xtf", NULL);
  gsize n;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  utf_16 = g_convert (text, -1, "UTF-16", "UTF-8", NULL, &n, NULL); /* with a mark */
  g_assert_true (g_file_set_contents (wide, utf_16, (gssize) n, NULL));
  memset (filling, ' ', 100000);
  filling[99999] = '\0';
  late = g_strconcat ("<?xml version=\"1.0\"?><!--", filling, "-->", strchr (text, '\n'), NULL);
  g_assert_true (g_file_set_contents (long_, late, -1, NULL));
  check_both (wide);
  check_both (long_);
  empty_folder ();
}

/* A link beside the map that leads out of its folder; without Landlock, it is followed. */
static void
test_link (void)
{
  g_autofree char *source = dup_source ("crs-link.geojson");
  g_autofree char *map = set_map (source, "map.geojson");
  g_autofree char *link_ = g_build_filename (trap.folder, "other.csv", NULL);

  g_assert_cmpint (symlink (trap.secret, link_), ==, 0);
  if ((urb_sandbox_probe () & URB_SANDBOX_FILES) == 0)
    g_test_skip ("this kernel has no Landlock");
  else
    check_both (trap.folder);
  empty_folder ();
}

static void
test_pipe (void)
{
  g_autofree char *path = g_build_filename (trap.folder, "map.gpkg", NULL);
  g_autofree char *told = NULL;

  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  told = open_here (path);
  g_assert_nonnull (strstr (told, "not a regular file"));
  empty_folder ();
}

static void
test_server (void)
{
  g_autofree char *postgis = g_strdup_printf ("PG:host=127.0.0.1 port=%d dbname=x", trap.port);
  g_autofree char *url = g_strdup_printf ("postgresql://127.0.0.1:%d/x", trap.port);
  g_autofree char *wfs = g_strdup_printf ("WFS:http://127.0.0.1:%d/wfs", trap.port);
  g_autofree char *web = g_strdup_printf ("http://127.0.0.1:%d/wfs?service=WFS", trap.port);
  g_autofree char *curl = g_strdup_printf ("/vsicurl/http://127.0.0.1:%d/map.gpkg", trap.port);
  const char *const names[] = { postgis, url, wfs, web, curl };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *told = open_here (names[i]);
      g_assert_nonnull (strstr (told, "database or a server"));
      g_assert_true (is_untouched ());
    }
}

/* A file whose name is an address, as a pattern of the shell (inspect *) may find it, is no address that a person
 * typed; the same beside other files, and a folder and an archive with links to servers. */
static void
test_named_as_server (void)
{
  g_autofree char *name = g_strdup_printf ("PG:host=127.0.0.1 port=%d dbname=x", trap.port);
  g_autofree char *source = dup_source ("wfs.gml"), *postgis = dup_source ("vrt-postgis.vrt");
  g_autofree char *map = set_map (source, name), *other = set_map (postgis, "other.vrt");
  g_autofree char *here = g_get_current_dir (), *text = NULL, *all = NULL;

  g_assert_cmpint (g_chdir (trap.folder), ==, 0);
  text = inspect (name);
  g_assert_true (is_untouched ());
  g_assert_nonnull (strstr (text, "only refers to other files or servers"));
  all = inspect (".");
  g_assert_true (is_untouched ());
  g_assert_cmpint (g_chdir (here), ==, 0);
  empty_folder ();
}

/* An address on the command line is asked, but not together with a file. */
static void
test_typed_server (void)
{
  g_autofree char *web = g_strdup_printf ("http://127.0.0.1:%d/wfs?service=WFS", trap.port);
  const char *arguments[] = { g_getenv ("URBARIUM_ENGINE"), "inspect", web, "map.gpkg", NULL };
  int status;

  g_assert_true (g_spawn_sync (NULL, (char **) arguments, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL, NULL, &status,
                               NULL));
  g_assert_cmpint (WEXITSTATUS (status), ==, 2);
  g_assert_true (is_untouched ());
  arguments[3] = "--patience-s=1";
  g_assert_true (g_spawn_sync (NULL, (char **) arguments, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL, NULL, &status,
                               NULL));
  g_assert_cmpint (WEXITSTATUS (status), ==, 3);
  g_assert_false (is_untouched ());
  while (!is_untouched ())
    ;
}

static gboolean
limits_memory (void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return FALSE; /* its own memory counts too */
#else
  return TRUE;
#endif
}

static void
test_bomb (void)
{
  g_autofree char *source = dup_source ("array.dxf");
  g_autofree char *path = set_map (source, "array.dxf");
  double before = children_cpu_s ();
  g_autofree char *text = inspect (path);
  struct rusage usage;

  g_assert_true (strstr (text, "more memory than the bound") != NULL
                 || strstr (text, "of processor time, the bound") != NULL);
  g_assert_cmpfloat (children_cpu_s () - before, <, MAX_CPU_S);
  getrusage (RUSAGE_CHILDREN, &usage);
  if (limits_memory ())
    g_assert_cmpint (usage.ru_maxrss, <, MAX_RSS_KIB);
  empty_folder ();
}

/* A few kilobytes that unpack to three gigabytes. */
static void
test_packed_bomb (void)
{
  enum { STREAM_BYTES = 100 << 20, N_STREAMS = 30 };
  g_autofree char *zeros = g_malloc0 (STREAM_BYTES), *stream = g_malloc (1 << 20);
  g_autoptr(GString) bomb = g_string_new (NULL);
  g_autofree char *path = g_build_filename (trap.folder, "plan.geojson.bz2", NULL);
  unsigned int n = 1 << 20;
  struct rusage usage;

  if (!limits_memory ())
    {
      g_test_skip ("a sanitizer's memory has no bound");
      return;
    }
  g_assert_cmpint (BZ2_bzBuffToBuffCompress (stream, &n, zeros, STREAM_BYTES, 1, 0, 0), ==, BZ_OK);
  for (int i = 0; i < N_STREAMS; i++)
    g_string_append_len (bomb, stream, n);
  g_assert_true (g_file_set_contents (path, bomb->str, (gssize) bomb->len, NULL));
  {
    g_autofree char *text = inspect (path);

    g_assert_nonnull (strstr (text, "more memory than the bound"));
  }
  getrusage (RUSAGE_CHILDREN, &usage);
  g_assert_cmpint (usage.ru_maxrss, <, MAX_RSS_KIB);
  empty_folder ();
}

static void
test_endless (void)
{
  g_autofree char *source = dup_source ("endless-view.sql");
  g_autofree char *path = set_map (source, "plan.gpkg");
  double before = children_cpu_s ();
  g_autofree char *told = open_here (path);

  g_assert_nonnull (told);
  g_assert_nonnull (strstr (told, "processor time, the bound for its size"));
  g_assert_cmpfloat (children_cpu_s () - before, <, MAX_CPU_S);
  empty_folder ();
}

/* The first signal ends the command, and the process that reads for it. */
static void
test_signal (gconstpointer number)
{
  g_autofree char *source = dup_source ("endless-view.sql");
  g_autofree char *path = set_map (source, "plan.gpkg");
  const char *arguments[] = { g_getenv ("URBARIUM_ENGINE"), "inspect", path, NULL };
  gint64 start;
  GPid pid;
  int status;

  g_assert_true (g_spawn_async (NULL, (char **) arguments, NULL,
                                G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                                &pid, NULL));
  g_usleep (G_USEC_PER_SEC);
  start = g_get_monotonic_time ();
  g_assert_cmpint (kill (pid, GPOINTER_TO_INT (number)), ==, 0);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFSIGNALED (status) || WEXITSTATUS (status) == 130);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 5 * G_TIME_SPAN_SECOND);
  empty_folder ();
}

/* -------- -------- */

static void
add_folder (const char *path, const char *prefix)
{
  g_autoptr(GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      /* Those that take long have a test of their own. */
      static const char *const left_out[] = { "array.dxf",   "endless-view.sql",    "meson.build",
                                              "SOURCE.txt", "test-hostile-maps.c", NULL };
      if (!g_strv_contains (left_out, name))
        {
          g_autofree char *test = g_strdup_printf ("/hostile-maps/%s/%s", prefix, name);
          g_test_add_data_func_full (test, g_build_filename (path, name, NULL), test_file, g_free);
        }
    }
}

int
main (int argc, char **argv)
{
  g_autofree char *ours = NULL, *theirs = NULL;
  int result;

  g_test_init (&argc, &argv, NULL);
  g_unsetenv ("URBARIUM_IDENTIFY_S"); /* what is tested is the limit of the window */
  set_trap ();
  ours = g_test_build_filename (G_TEST_DIST, "hostile", NULL);
  g_test_add_func ("/hostile-maps/trap", test_trap);
  add_folder (ours, "ours");
  if (g_getenv ("URBARIUM_TEST_DATA") != NULL)
    {
      theirs = g_build_filename (g_getenv ("URBARIUM_TEST_DATA"), "hostile-maps", NULL);
      add_folder (theirs, "data");
    }
  g_test_add_func ("/hostile-maps/vrt", test_vrt);
  g_test_add_func ("/hostile-maps/hidden-entity", test_hidden_entity);
  g_test_add_func ("/hostile-maps/link", test_link);
  g_test_add_func ("/hostile-maps/pipe", test_pipe);
  g_test_add_func ("/hostile-maps/server", test_server);
  g_test_add_func ("/hostile-maps/named-as-server", test_named_as_server);
  g_test_add_func ("/hostile-maps/typed-server", test_typed_server);
  g_test_add_func ("/hostile-maps/bomb", test_bomb);
  g_test_add_func ("/hostile-maps/packed-bomb", test_packed_bomb);
  g_test_add_func ("/hostile-maps/endless", test_endless);
  g_test_add_data_func ("/hostile-maps/sigterm", GINT_TO_POINTER (SIGTERM), test_signal);
  g_test_add_data_func ("/hostile-maps/sigint", GINT_TO_POINTER (SIGINT), test_signal);
  result = g_test_run ();
  empty_folder ();
  g_rmdir (trap.folder);
  g_unlink (trap.secret);
  g_rmdir (trap.secret_folder);
  g_free (trap.folder);
  g_free (trap.secret);
  g_free (trap.secret_folder);
  close (trap.listener);
  close (trap.watch);
  return result;
}
