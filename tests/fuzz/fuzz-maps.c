/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz-maps.c - files that claim to be maps, read as by the process that reads maps: with GDAL's drivers,
 * behind all layers of the sandbox, up to the answer, which must be one that the window accepts.
 *
 * An input's first byte chooses the suffix of the file and the profile: reading all of them, to recognize one,
 * takes longer than all the rest, and one of six lines is quickly read.  The process gives up its rights
 * at the first input, so that the files are opened before.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "base/progress.h"
#include "fuzz.h"
#include "map/map-private.h"
#include "map/request.h"
#include "map/serve.h"
#include "map/stream.h"

/* The sandbox forbids what the search for leaks needs. */
int __lsan_is_turned_off (void);

int
__lsan_is_turned_off (void)
{
  return 1;
}

static const char *const suffixes[] = {
  "gpkg", "geojson", "gml", "kml", "gpx", "osm", "dxf", "xtf", "itf", "shp", "fgb", "csv", "json", "xml", "kmz",
  "sqlite",
};

static const char short_profile[] = "[profile]\nname=short\ntitle=Short\n[rule all]\nlayers=*\nclass=building\n";

enum { N_SUFFIXES = G_N_ELEMENTS (suffixes), MAX_ANSWER_BYTES = 1 << 24 };

typedef struct
{
  char         *folder;
  char         *paths[N_SUFFIXES + 1];
  char         *short_profile; /* a file */
  int           fds[N_SUFFIXES];
  int           answer; /* a file in memory */
  int           last;   /* which of the files is not empty */
} Place;

static Place place;

/* The sandbox lets this process delete nothing: another one waits for its end. */
static void
remove_place_afterwards (void)
{
  int fds[2];
  char byte;

  g_assert_cmpint (pipe2 (fds, O_CLOEXEC), ==, 0);
  if (fork () > 0)
    return; /* the writing end stays open until the end */
  close (fds[1]);
  close (STDOUT_FILENO);
  close (STDERR_FILENO);
  while (read (fds[0], &byte, 1) < 0)
    ;
  for (int i = 0; i < N_SUFFIXES; i++)
    g_unlink (place.paths[i]);
  g_unlink (place.short_profile);
  g_rmdir (place.folder);
  _exit (0);
}

/* Bounds are those of the machine here: libFuzzer finds what takes long. */
static void
enter (void)
{
  UrbMapRequest request = { .paths = place.paths,
                            .limits = { .cpu_s = G_MAXINT32, .memory_bytes = (gint64) 1 << 40 } };
  place.folder = g_dir_make_tmp ("urbarium-fuzz-maps-XXXXXX", NULL);
  for (int i = 0; i < N_SUFFIXES; i++)
    {
      /* Not one name: they would belong together. */
      g_autofree char *name = g_strdup_printf ("%s.%s", suffixes[i], suffixes[i]);
      place.paths[i] = g_build_filename (place.folder, name, NULL);
      place.fds[i] = g_open (place.paths[i], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
      g_assert_cmpint (place.fds[i], >=, 0);
    }
  place.short_profile = g_build_filename (place.folder, "short.profile", NULL);
  g_assert_true (g_file_set_contents (place.short_profile, short_profile, -1, NULL));
  request.options.profile = place.short_profile;
  place.answer = memfd_create ("answer", MFD_CLOEXEC);
  g_assert_cmpint (place.answer, >=, 0);
  request.scratch = (char *) g_getenv ("URBARIUM_FUZZ_WRITABLE");
  remove_place_afterwards ();
  urb_map_serve_enter (&request);
}

static void
write_input (int which, const guint8 *data, gsize size)
{
  g_assert_cmpint (ftruncate (place.fds[place.last], 0), ==, 0);
  place.last = which;
  g_assert_cmpint (pwrite (place.fds[which], data, size, 0), ==, (gssize) size);
  g_assert_cmpint (ftruncate (place.answer, 0), ==, 0);
  g_assert_cmpint (lseek (place.answer, 0, SEEK_SET), ==, 0);
}

static gssize
read_answer (gpointer data, gpointer buffer, gsize n_bytes, GError **error)
{
  return read (place.answer, buffer, n_bytes);
}

/* A map, or an error with a text; progress before. */
static void
check_answer (void)
{
  g_auto(UrbStreamIn) in = { 0 };
  UrbMessageKind kind = URB_MESSAGE_PROGRESS;
  guint64 n_bytes;

  g_assert_cmpint (lseek (place.answer, 0, SEEK_SET), ==, 0);
  urb_stream_in_init (&in, read_answer, NULL);
  while (kind == URB_MESSAGE_PROGRESS)
    {
      g_autoptr(UrbMap) map = NULL;
      g_autofree char *text = NULL;

      g_assert_true (urb_stream_receive_head (&in, &kind, &n_bytes, NULL));
      if (kind == URB_MESSAGE_MAP)
        {
          map = urb_map_receive (&in, n_bytes, MAX_ANSWER_BYTES, -1, NULL);
          g_assert_nonnull (map);
          continue;
        }
      g_assert_true (kind == URB_MESSAGE_PROGRESS || kind == URB_MESSAGE_ERROR);
      g_assert_true (urb_stream_receive_fields (&in, n_bytes, NULL));
      if (kind == URB_MESSAGE_ERROR)
        urb_stream_get_int (&in, 0, G_MAXINT32);
      else
        urb_stream_get_double (&in);
      text = urb_stream_get_text (&in);
      g_assert_nonnull (text);
      g_assert_true (urb_stream_end_fields (&in, NULL));
    }
}

/* @number: any */
static char *
get_profile (guint number)
{
  char *const profiles[] = { NULL, "generic", place.short_profile, "osm" };

  return profiles[number % G_N_ELEMENTS (profiles)];
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_auto(UrbStreamOut) out = { 0 };
  UrbMapRequest request = { 0 };
  char *paths[2] = { NULL };
  int which = size > 0 ? data[0] % N_SUFFIXES : 0;

  if (place.folder == NULL)
    enter ();
  write_input (which, data + MIN (size, 1), size - MIN (size, 1));
  paths[0] = place.paths[which];
  request.paths = paths;
  request.options.profile = size > 0 ? get_profile (data[0] / N_SUFFIXES) : NULL;
  urb_stream_out_init (&out, place.answer);
  urb_map_serve_read (&request, NULL, &out, -1);
  g_assert_false (out.failed);
  check_answer ();
  return 0;
}

/* ------------------------------------------------------------------------ */
/* Seeds                                                                     */

static void
add (GPtrArray *inputs, const char *suffix, gconstpointer data, gsize size)
{
  g_autofree guint8 *input = g_malloc (size + 1);

  for (int i = 0; i < N_SUFFIXES; i++)
    if (strcmp (suffix, suffixes[i]) == 0)
      {
        input[0] = (guint8) i;
        memcpy (input + 1, data, size);
        fuzz_add_input (inputs, input, size + 1);
      }
}

static const struct { const char *suffix, *text; } texts[] = {
  { "geojson", "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"properties\":{\"building\":"
               "\"yes\"},\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[7,47],[7.001,47],[7.001,47.001],"
               "[7,47]]]}}]}" },
  { "gml", "<?xml version=\"1.0\"?><c xmlns:gml=\"http://www.opengis.net/gml\"><gml:featureMember><house "
           "gml:id=\"a\"><kind>house</kind><g><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>0 0 9 0 9 9 "
           "0 0</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></g></house></gml:featureMember></c>" },
  { "kml", "<?xml version=\"1.0\"?><kml xmlns=\"http://www.opengis.net/kml/2.2\"><Document><Placemark><name>house"
           "</name><Polygon><outerBoundaryIs><LinearRing><coordinates>7,47 7.001,47 7.001,47.001 7,47"
           "</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark></Document></kml>" },
  { "gpx", "<?xml version=\"1.0\"?><gpx version=\"1.1\" xmlns=\"http://www.topografix.com/GPX/1/1\"><trk><trkseg>"
           "<trkpt lat=\"47\" lon=\"7\"/><trkpt lat=\"47.1\" lon=\"7.1\"/></trkseg></trk></gpx>" },
  { "osm", "<?xml version=\"1.0\"?><osm version=\"0.6\"><node id=\"1\" lat=\"47\" lon=\"7\"/><node id=\"2\" "
           "lat=\"47.001\" lon=\"7\"/><node id=\"3\" lat=\"47.001\" lon=\"7.001\"/><way id=\"4\"><nd ref=\"1\"/>"
           "<nd ref=\"2\"/><nd ref=\"3\"/><nd ref=\"1\"/><tag k=\"building\" v=\"yes\"/></way></osm>" },
  { "dxf", "0\nSECTION\n2\nENTITIES\n0\nLWPOLYLINE\n8\nBUILDING\n90\n3\n70\n1\n10\n0\n20\n0\n10\n9\n20\n0\n10\n9\n20\n"
           "9\n0\nENDSEC\n0\nEOF\n" },
  { "gml", "<?xml version=\"1.0\"?><CityModel><g srsName=\"EPSG:25832\"/><Building id=\"a\"><GroundSurface>"
           "<lod2MultiSurface><Polygon><exterior><LinearRing><posList>0 0 0 9 0 0 9 9 0 0 0 0</posList></LinearRing>"
           "</exterior></Polygon></lod2MultiSurface></GroundSurface></Building></CityModel>" },
  { "json", "{\"type\":\"CityJSON\",\"transform\":{\"scale\":[1,1,1],\"translate\":[0,0,0]},\"CityObjects\":{\"a\":"
            "{\"type\":\"Building\",\"geometry\":[{\"type\":\"Solid\",\"lod\":\"2\",\"boundaries\":[[[[0,1,2]]]],"
            "\"semantics\":{\"surfaces\":[{\"type\":\"GroundSurface\"}],\"values\":[[0]]}}]}},\"vertices\":[[0,0,0],"
            "[9,0,0],[9,9,0]]}" },
  { "csv", "id,WKT,kind\n1,\"POLYGON((0 0,9 0,9 9,0 0))\",house\n" },
};

/* Without GDAL, whose own would be large. */
static const char package[] =
  "PRAGMA application_id = 1196444487; PRAGMA user_version = 10300; PRAGMA page_size = 512;"
  "CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT, srs_id INTEGER PRIMARY KEY, organization TEXT,"
  " organization_coordsys_id INTEGER, definition TEXT, description TEXT);"
  "INSERT INTO gpkg_spatial_ref_sys VALUES ('none', -1, 'NONE', -1, 'undefined', '');"
  "CREATE TABLE gpkg_contents (table_name TEXT PRIMARY KEY, data_type TEXT, identifier TEXT, description TEXT,"
  " last_change TEXT, min_x REAL, min_y REAL, max_x REAL, max_y REAL, srs_id INTEGER);"
  "INSERT INTO gpkg_contents VALUES ('a', 'features', 'a', '', '2025-01-01T00:00:00Z', 0, 0, 9, 9, -1);"
  "CREATE TABLE gpkg_geometry_columns (table_name TEXT, column_name TEXT, geometry_type_name TEXT,"
  " srs_id INTEGER, z INTEGER, m INTEGER);"
  "INSERT INTO gpkg_geometry_columns VALUES ('a', 'g', 'POLYGON', -1, 0, 0);"
  "CREATE TABLE a (fid INTEGER PRIMARY KEY, g POLYGON, kind TEXT);"
  "INSERT INTO a VALUES (1, x'47500001ffffffff"
  "01030000000100000004000000000000000000000000000000000000000000000000002240000000000000000000000000000022400000"
  "00000000224000000000000000000000000000000000', 'house');";

static void
add_package (GPtrArray *inputs)
{
  g_autofree char *path = NULL, *bytes = NULL;
  int fd = g_file_open_tmp ("urbarium-seed-XXXXXX.gpkg", &path, NULL);
  sqlite3 *db = NULL;
  gsize n;

  g_assert_cmpint (fd, >=, 0);
  close (fd);
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, package, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
  g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
  g_unlink (path);
  add (inputs, "gpkg", bytes, n);
}

void
fuzz_add_seeds (GPtrArray *inputs)
{
  /* The first bytes of formats that are not text. */
  static const guint8 shp[100] = { 0, 0, 0x27, 0x0a, [27] = 50, [28] = 0xe8, 3, [32] = 5 };
  static const guint8 fgb[] = { 'f', 'g', 'b', 3, 'f', 'g', 'b', 0, 8, 0, 0, 0, 4, 0, 4, 0, 4, 0, 0, 0 };
  const char *tests = g_getenv ("G_TEST_SRCDIR");
  /* Those that do not end by themselves need the bounds of the real process. */
  static const char *const hostile[] = {
    "crs-link.geojson", "entity.gml", "entity.gpx", "entity.kml", "entity.osm", "entity.xtf", "escape.geojson",
    "links.gml", "links.kml", "entity-nas.xml", "vrt.xml", "wfs.gml",
  };

  add_package (inputs);
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    add (inputs, texts[i].suffix, texts[i].text, strlen (texts[i].text));
  add (inputs, "shp", shp, sizeof shp);
  add (inputs, "fgb", fgb, sizeof fgb);
  for (gsize i = 0; i < G_N_ELEMENTS (hostile) && tests != NULL; i++)
    {
      g_autofree char *path = g_build_filename (tests, "hostile", hostile[i], NULL), *bytes = NULL;
      gsize n;

      if (g_file_get_contents (path, &bytes, &n, NULL))
        add (inputs, strrchr (hostile[i], '.') + 1, bytes, n);
    }
}
