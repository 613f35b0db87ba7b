/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-hostile.c - files that claim, nest or unpack to more than their size may cost time, but only
 * bounded memory.
 *
 * Each file, of several megabytes at most, is created here and passed to the real program, which may
 * use DATA_MIB for its data.  The program must exit with a message, within the memory limit of that
 * file; the peak is printed, for docs/reliability.md.
 */
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "small-dataset.h"

enum { DATA_MIB = 512, UNPACKED_MIB = 1500 };

typedef struct
{
  const char *name;      /* file name */
  void      (*make)      (const char *path, const char *folder);
  const char *arguments; /* "@" stands for the folder */
  int         max_mib;   /* peak resident memory */
} Case;

/* ------------------------------------------------------------------------ */
/* Files                                                                     */

static void
write_text (const char *path, const char *text)
{
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static char *
repeat (const char *text, int n)
{
  GString *all = g_string_new (NULL);
  for (int i = 0; i < n; i++)
    g_string_append (all, text);
  return g_string_free (all, FALSE);
}

/* A fully flushed part does not depend on the data before it, so it can be repeated unchanged. */
static void
deflate_part (GByteArray *out, uLong *crc, guint32 *size, const char *text, int n)
{
  gsize n_bytes = strlen (text), room = n_bytes + 1024;
  g_autofree guint8 *packed = g_malloc (room);
  z_stream z = { 0 };
  uLong part_crc = crc32 (0, (const guint8 *) text, (uInt) n_bytes);
  g_assert_cmpint (deflateInit2 (&z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), ==, Z_OK);
  z.next_in = (guint8 *) text;
  z.avail_in = (uInt) n_bytes;
  z.next_out = packed;
  z.avail_out = (uInt) room;
  deflate (&z, n > 0 ? Z_FULL_FLUSH : Z_FINISH);
  for (int i = 0; i < MAX (n, 1); i++)
    {
      g_byte_array_append (out, packed, (guint) (room - z.avail_out));
      *crc = crc32_combine (*crc, part_crc, (z_off_t) n_bytes);
      *size += (guint32) n_bytes;
    }
  deflateEnd (&z);
}

static void
put (GByteArray *out, guint32 value, int n_bytes)
{
  for (int i = 0; i < n_bytes; i++)
    g_byte_array_append (out, &(guint8){ (guint8) (value >> 8 * i) }, 1);
}

/* An archive with one file @name: @head, @n times @part, and @tail. */
static void
write_zip (const char *path, const char *name, const char *head, const char *part, int n,
           const char *tail)
{
  g_autoptr(GByteArray) data = g_byte_array_new (), zip = g_byte_array_new ();
  guint32 n_name = (guint32) strlen (name), size = 0, at;
  uLong crc = crc32 (0, NULL, 0);
  deflate_part (data, &crc, &size, head, 1);
  deflate_part (data, &crc, &size, part, n);
  deflate_part (data, &crc, &size, tail, 0);
  put (zip, 0x04034b50, 4), put (zip, 20, 2), put (zip, 0, 2), put (zip, 8, 2), put (zip, 0, 4);
  put (zip, (guint32) crc, 4), put (zip, data->len, 4), put (zip, size, 4);
  put (zip, n_name, 2), put (zip, 0, 2);
  g_byte_array_append (zip, (const guint8 *) name, n_name);
  g_byte_array_append (zip, data->data, data->len);
  at = zip->len;
  put (zip, 0x02014b50, 4), put (zip, 20, 2), put (zip, 20, 2), put (zip, 0, 2), put (zip, 8, 2);
  put (zip, 0, 4), put (zip, (guint32) crc, 4), put (zip, data->len, 4), put (zip, size, 4);
  put (zip, n_name, 2), put (zip, 0, 4), put (zip, 0, 4), put (zip, 0, 4), put (zip, 0, 4);
  g_byte_array_append (zip, (const guint8 *) name, n_name);
  size = zip->len - at;
  put (zip, 0x06054b50, 4), put (zip, 0, 4), put (zip, 1, 2), put (zip, 1, 2);
  put (zip, size, 4), put (zip, at, 4), put (zip, 0, 2);
  g_assert_true (g_file_set_contents (path, (const char *) zip->data, zip->len, NULL));
}

static void
make_blanks (const char *path, const char *folder)
{
  g_autofree char *mib = g_strnfill (1 << 20, ' ');
  write_zip (path, "a.geojson", "", mib, UNPACKED_MIB, "");
}

#define POINTS "2600000,1200000 2600020,1200000 2600020,1200020 2600000,1200020 "
#define GML "<?xml version=\"1.0\"?><ogr:FeatureCollection xmlns:ogr=\"http://ogr.maptools.org/\" " \
            "xmlns:gml=\"http://www.opengis.net/gml\"><gml:featureMember><ogr:a fid=\"1\">" \
            "<ogr:geometryProperty><gml:Polygon><gml:outerBoundaryIs><gml:LinearRing>" \
            "<gml:coordinates>"

/* One endless ring. */
static void
make_ring (const char *path, const char *folder)
{
  g_autofree char *part = repeat (POINTS, (1 << 20) / (int) strlen (POINTS));
  write_zip (path, "a.gml", GML, part, UNPACKED_MIB, "");
}

#define PLACEMARK "<Placemark><name>a</name><Polygon><outerBoundaryIs><LinearRing><coordinates>7,47 " \
                  "7.001,47 7.001,47.001 7,47</coordinates></LinearRing></outerBoundaryIs>" \
                  "</Polygon></Placemark>"

/* GDAL would keep all of it in memory. */
static void
make_places (const char *path, const char *folder)
{
  g_autofree char *part = repeat (PLACEMARK, (1 << 20) / (int) strlen (PLACEMARK));
  write_zip (path, "a.kml", "<?xml version=\"1.0\"?><kml xmlns=\"http://www.opengis.net/kml/2.2\">"
                            "<Document>", part, UNPACKED_MIB, "</Document></kml>");
}

static void
make_nested (const char *path, const char *folder)
{
  g_autofree char *opened = g_strnfill (1000000, '['), *closed = g_strnfill (1000000, ']');
  g_autofree char *text
    = g_strconcat ("{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\","
                   "\"properties\":{},\"geometry\":{\"type\":\"Polygon\",\"coordinates\":", opened,
                   closed, "}}]}", NULL);
  write_text (path, text);
}

/* Each entity expands to ten times the previous one. */
static void
make_entities (const char *path, const char *folder)
{
  GString *text = g_string_new ("<?xml version=\"1.0\"?><!DOCTYPE l [<!ENTITY a0 \"aaaaaaaaaaaaaaaa\">");
  for (int i = 1; i < 12; i++)
    {
      g_autofree char *one = g_strdup_printf ("&a%d;", i - 1);
      g_autofree char *ten = repeat (one, 10);
      g_string_append_printf (text, "<!ENTITY a%d \"%s\">", i, ten);
    }
  g_string_append (text, "]>" GML "&a11;");
  write_text (path, text->str);
  g_string_free (text, TRUE);
}

static void
run_sql (const char *path, const char *sql)
{
  sqlite3 *db;
  char *message = NULL;
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  sqlite3_exec (db, sql, NULL, NULL, &message);
  g_assert_cmpstr (message, ==, NULL);
  sqlite3_close (db);
}

/* @rows: geometries and classes, as SQL */
static void
write_geopackage (const char *path, const char *rows)
{
  g_autofree char *sql = g_strconcat (
    "PRAGMA application_id = 1196444487; PRAGMA user_version = 10300;"
    "CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT, srs_id INTEGER PRIMARY KEY, organization TEXT,"
    " organization_coordsys_id INTEGER, definition TEXT, description TEXT);"
    "INSERT INTO gpkg_spatial_ref_sys VALUES ('u', -1, 'NONE', -1, 'undefined', NULL);"
    "CREATE TABLE gpkg_contents (table_name TEXT PRIMARY KEY, data_type TEXT, identifier TEXT,"
    " description TEXT, last_change DATETIME, min_x DOUBLE, min_y DOUBLE, max_x DOUBLE,"
    " max_y DOUBLE, srs_id INTEGER);"
    "INSERT INTO gpkg_contents VALUES ('t', 'features', 't', '', '2020-01-01T00:00:00Z', 0, 0, 1, 1,"
    " -1);"
    "CREATE TABLE gpkg_geometry_columns (table_name TEXT, column_name TEXT, geometry_type_name TEXT,"
    " srs_id INTEGER, z TINYINT, m TINYINT);"
    "INSERT INTO gpkg_geometry_columns VALUES ('t', 'geom', 'GEOMETRY', -1, 0, 0);"
    "CREATE TABLE t (fid INTEGER PRIMARY KEY, geom BLOB, class TEXT);"
    "INSERT INTO t (geom, class) VALUES ", rows, NULL);
  run_sql (path, sql);
}

#define HEAD "47500001FFFFFFFF"

/* Headers that claim 2^31 polygons, rings and parts, in a few bytes. */
static void
make_claims (const char *path, const char *folder)
{
  write_geopackage (path, "(X'" HEAD "0103000000FFFFFF7F', 'building'),"
                          "(X'" HEAD "010300000001000000FFFFFFFF', 'building'),"
                          "(X'" HEAD "010300000001000000FFFFFF0F' || zeroblob (64), 'building'),"
                          "(X'" HEAD "0106000000FFFFFF7F', 'building'),"
                          "(X'" HEAD "0107000000FFFFFF7F', 'building')");
}

/* Squares of 20 km, thousands of kilometers apart, or with invalid coordinates. */
static void
make_wide (const char *path, const char *folder)
{
  GString *rows = g_string_new (NULL);
  for (int i = 0; i < 100; i++)
    {
      static const double odd[] = { NAN, INFINITY, 1e308, -1e308 };
      double x = i < 4 ? odd[i] : (i % 10 - 5) * 8e6, y = (i / 10 - 5) * 8e6;
      const double xy[] = { x, y, x + 2e4, y, x + 2e4, y + 2e4, x, y + 2e4, x, y };
      g_string_append (rows, i > 0 ? ",(X'" HEAD "010300000001000000" "05000000"
                                   : "(X'" HEAD "010300000001000000" "05000000");
      for (gsize k = 0; k < sizeof xy; k++)
        g_string_append_printf (rows, "%02X", ((const guint8 *) xy)[k]);
      g_string_append_printf (rows, "', '%s')", i % 2 == 0 ? "building" : "road");
    }
  write_geopackage (path, rows->str);
  g_string_free (rows, TRUE);
}

/* The length of the header, the header, and then a hole in the file. */
static void
write_safetensors (const char *path, guint64 length, const char *header, gint64 hole_bytes)
{
  int fd = g_open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  gsize n = strlen (header);
  g_assert_cmpint (write (fd, &length, sizeof length), ==, sizeof length);
  g_assert_cmpint (write (fd, header, n), ==, n);
  g_assert_cmpint (ftruncate (fd, (gint64) (sizeof length + n) + hole_bytes), ==, 0);
  close (fd);
}

/* 64 GiB at an unaligned offset, which would have to be copied. */
static void
make_odd (const char *path, const char *folder)
{
  static const char header[] = "{\"a\":{\"dtype\":\"F32\",\"shape\":[17179869184],"
                               "\"data_offsets\":[0,68719476736]}}   ";
  g_assert_cmpuint (strlen (header) % 4, !=, 0);
  write_safetensors (path, strlen (header), header, G_GINT64_CONSTANT (1) << 36);
}

static void
make_long_header (const char *path, const char *folder)
{
  write_safetensors (path, G_MAXUINT64, "{", 1 << 20);
}

/* A header of the maximum length, which takes ten times as much memory. */
static void
make_many_tensors (const char *path, const char *folder)
{
  GString *header = g_string_new ("{");
  for (int i = 0; header->len < 15 << 20; i++)
    g_string_append_printf (header, "%s\"%x\":{\"dtype\":\"F32\",\"shape\":[0],"
                                    "\"data_offsets\":[0,0]}", i > 0 ? "," : "", (guint) i);
  g_string_append_c (header, '}');
  write_safetensors (path, header->len, header->str, 0);
  g_string_free (header, TRUE);
}

static void
make_dataset (const char *path, const char *folder, const char *sql)
{
  g_autofree char *whole = g_build_filename (folder, "areas.gpkg", NULL);
  small_dataset_write (folder);
  g_assert_cmpint (g_rename (whole, path), ==, 0);
  run_sql (path, sql);
}

/* A declared resolution of 1024 pixels, and blobs of 20 MB. */
static void
make_blobs (const char *path, const char *folder)
{
  make_dataset (path, folder,
                "UPDATE urbarium_dataset SET value = '1024' WHERE key = 'resolution_px';"
                "UPDATE area_tiles SET tile = zeroblob (20000000) WHERE fid % 10 = 1;");
}

static void
make_run (const char *path, const char *folder)
{
  g_autofree char *config = g_build_filename (path, "run.ini", NULL);
  g_autofree char *text = repeat ("[x]\na=b\n", 1 << 20);
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  write_text (config, text);
}

static void
make_profile (const char *path, const char *folder)
{
  g_autofree char *text = repeat ("[x]\na=b\n", 1 << 20);
  g_autofree char *map = g_build_filename (folder, "map.geojson", NULL);
  write_text (path, text);
  write_text (map, "{\"type\":\"FeatureCollection\",\"features\":[]}");
}

static void
make_preset (const char *path, const char *folder)
{
  write_text (path, "[preset]\nimage-size=2048\nlatent=16384\nbatch=65536\nsteps=1\nlr=1\ngamma=1\n"
                    "[generator]\n1=dense 16384 2048 bias lrelu\n2=conv3 image bias head\n"
                    "[discriminator]\n1=conv4 16384 bias lrelu\n2=logit bias\n");
}

/* 100,000 pixels along each edge. */
static void
make_picture (const char *path, const char *folder)
{
  static const guint8 head[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\1\x86\xa0\0\1\x86\xa0\x08\2\0\0\0";
  g_assert_true (g_file_set_contents (path, (const char *) head, sizeof head, NULL));
}

static const Case cases[] = {
  { "blanks.zip", make_blanks, "inspect @/blanks.zip", 150 },
  { "ring.zip", make_ring, "inspect @/ring.zip", DATA_MIB + 100 },
  { "places.zip", make_places, "inspect @/places.zip", 150 },
  { "nested.geojson", make_nested, "inspect @/nested.geojson", 150 },
  { "entities.gml", make_entities, "inspect @/entities.gml", 150 },
  { "claims.gpkg", make_claims, "inspect @/claims.gpkg", 150 },
  { "wide.gpkg", make_wide, "curate @/wide.gpkg --out @/o.gpkg --stride-m 25 --rotations 8", 150 },
  { "profile", make_profile, "inspect @/map.geojson --profile @/profile", 150 },
  { "odd.safetensors", make_odd, "generate @/odd.safetensors --out @/o.png", 150 },
  { "long.safetensors", make_long_header, "generate @/long.safetensors --out @/o.png", 150 },
  { "many.safetensors", make_many_tensors, "generate @/many.safetensors --out @/o.png", 250 },
  { "blobs.gpkg", make_blobs,
    "train --dataset @/blobs.gpkg --preset @/mini.preset --run @/run --steps 1", 150 },
  { "bad-run", make_run, "resume @/bad-run", 100 },
  { "big.preset", make_preset, "plan --preset @/big.preset", 100 },
  { "big.png", make_picture, "vectorize @/big.png --out @/o.geojson", 100 },
};

/* ------------------------------------------------------------------------ */

static int
run_bounded (char **argv, int err_fd, struct rusage *usage)
{
  int status;
  pid_t pid = fork ();
  if (pid == 0)
    {
      struct rlimit data = { (rlim_t) DATA_MIB << 20, (rlim_t) DATA_MIB << 20 };
      struct rlimit core = { 0, 0 };
      if (setrlimit (RLIMIT_DATA, &data) != 0 || setrlimit (RLIMIT_CORE, &core) != 0)
        _exit (98);
      dup2 (err_fd, STDERR_FILENO);
      dup2 (open ("/dev/null", O_WRONLY), STDOUT_FILENO);
      execv (argv[0], argv);
      _exit (99);
    }
  g_assert_cmpint (wait4 (pid, &status, 0, usage), ==, pid);
  return WIFEXITED (status) ? WEXITSTATUS (status) : -WTERMSIG (status);
}

static void
test_file (gconstpointer data)
{
  const Case *c = data;
  g_autofree char *folder = g_dir_make_tmp ("urbarium-hostile-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, c->name, NULL);
  g_autofree char *told = g_build_filename (folder, "told", NULL);
  g_auto(GStrv) parts = g_strsplit (c->arguments, "@", -1);
  g_autofree char *arguments = g_strjoinv (folder, parts);
  g_autofree char *line = g_strconcat (g_getenv ("URBARIUM_ENGINE"), " ", arguments, NULL);
  g_auto(GStrv) argv = g_strsplit (line, " ", -1);
  g_autofree char *text = NULL;
  struct rusage usage;
  GStatBuf info;
  int code, fd;
  small_dataset_write (folder);
  c->make (path, folder);
  g_assert_cmpint (g_stat (path, &info), ==, 0);
  fd = g_open (told, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  code = run_bounded (argv, fd, &usage);
  close (fd);
  g_assert_true (g_file_get_contents (told, &text, NULL, NULL));
  g_test_message ("%s: %ld KiB on disk, exit code %d, peak %ld MiB of %d, %.1f s\n%s", c->name,
                  (long) info.st_blocks / 2, code, usage.ru_maxrss / 1024, c->max_mib,
                  (double) usage.ru_utime.tv_sec + 1e-6 * (double) usage.ru_utime.tv_usec, text);
  g_spawn_sync (NULL, (char *[]){ "rm", "-rf", folder, NULL }, NULL, G_SPAWN_SEARCH_PATH, NULL,
                NULL, NULL, NULL, NULL, NULL);
  g_assert_cmpint (code, >, 0); /* neither killed by a signal nor successful */
  g_assert_nonnull (strstr (text, "urbarium-engine"));
  g_assert_cmpint (usage.ru_maxrss / 1024, <=, c->max_mib);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = g_strconcat ("/hostile/", cases[i].name, NULL);
      gboolean is_map = g_str_has_prefix (cases[i].arguments, "inspect")
                        || g_str_has_prefix (cases[i].arguments, "curate");
      if (URBARIUM_HAVE_GEO || !is_map)
        g_test_add_data_func (name, &cases[i], test_file);
    }
  return g_test_run ();
}
