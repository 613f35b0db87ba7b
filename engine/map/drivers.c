/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drivers.c - which of GDAL's drivers may read a file, judged by its first bytes.
 *
 * GDAL tries a hundred drivers on any file, whatever its name.  Some follow references from the file
 * to other files and servers (VRT, WFS, databases), and the parser of some XML drivers does so for
 * the entities of a document type declaration.  So only drivers for formats of maps are left in the
 * process, each is tried only on files that begin like its format, and XML with such a declaration
 * is refused.
 */
#include <cpl_conv.h>
#include <cpl_http.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <glib/gi18n.h>
#include <string.h>

#include "map/ogr-private.h"

/* What comes before the root element of an XML file must fit. */
#define MAX_PROLOG_BYTES (1 << 20)
/* Enough for all other formats. */
#define HEAD_BYTES 4096

typedef const char *const Names[];

static Names shapefile = { "ESRI Shapefile", NULL };
static Names database = { "GPKG", "SQLite", NULL };
static Names json = { "GeoJSON", "GeoJSONSeq", "ESRIJSON", "TopoJSON", NULL };
static Names text = { "DXF", "CSV", "MapInfo File", "Interlis 1", "VFK", "EDIGEO", NULL };
static Names zipped = { "ESRI Shapefile", "LIBKML", "OpenFileGDB", NULL };
static Names folder = { "OpenFileGDB", NULL };
static Names osm = { "OSM", NULL };
static Names gml = { "GML", NULL };
static Names nas = { "NAS", "GML", NULL };
static Names kml = { "LIBKML", "KML", NULL };
static Names gpx = { "GPX", NULL };
static Names interlis_2 = { "Interlis 2", NULL };
static Names interlis_24 = { URB_DRIVER_INTERLIS_24, NULL };
static Names city_gml = { URB_DRIVER_CITY_GML, NULL };
static Names city_json = { URB_DRIVER_CITY_JSON, NULL };

static const struct
{
  const char *bytes;
  gsize n;
  const char *const *drivers;
} beginnings[] = {
  { "SQLite format 3\0", 16, database },
  { "\0\0\x27\x0a", 4, shapefile },
  { "PK\3\4", 4, zipped },
  { "PK\5\6", 4, zipped },
  { "fgb\3fgb", 7, (Names){ "FlatGeobuf", NULL } },
  { "PAR1", 4, (Names){ "Parquet", NULL } },
  { "AC10", 4, (Names){ "CAD", NULL } },
  { "AutoCAD Binary DXF", 18, (Names){ "DXF", NULL } },
  { "\x08\x05\x17\xfe", 4, (Names){ "DGN", NULL } },
  { "\xc8\x05\x17\xfe", 4, (Names){ "DGN", NULL } },
  { "\xff\xe0\x04" "o5m2", 7, osm },
};

/* The root element's name, without a prefix, decides among the XML formats.  Most roots of GML are
 * those of an application schema. */
static const struct
{
  const char *root;
  gboolean begins; /* whether only the beginning must be equal */
  const char *const *drivers;
} roots[] = {
  { "kml", FALSE, kml },    { "osm", TRUE, osm },           { "gpx", FALSE, gpx },
  { "AX_", TRUE, nas },     { "TRANSFER", FALSE, interlis_2 }, { "transfer", FALSE, interlis_24 },
  { "CityModel", FALSE, city_gml },
  { "", TRUE, gml },
};

static const char *const *const all[] = { shapefile, database, json, text, zipped, folder, osm,
                                          nas,       kml,      gpx,  interlis_2 };

/* @only: (nullable): of these alone */
static gboolean
is_allowed (const char *driver, const char *const *only)
{
  if (only != NULL)
    return g_strv_contains (only, driver);
  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    if (g_strv_contains (all[i], driver))
      return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (beginnings); i++)
    if (g_strv_contains (beginnings[i].drivers, driver))
      return TRUE;
  return FALSE;
}

/* -------- XML -------- */

typedef struct
{
  const char *p, *end;
} Cursor;

static gboolean
skip_past (Cursor *self, const char *what)
{
  const char *found = g_strstr_len (self->p, self->end - self->p, what);

  self->p = found != NULL ? found + strlen (what) : self->end;
  return found != NULL;
}

static gboolean
starts (const Cursor *self, const char *what)
{
  return (gsize) (self->end - self->p) >= strlen (what) && memcmp (self->p, what, strlen (what)) == 0;
}

static void
skip_space (Cursor *self)
{
  while (self->p < self->end && g_ascii_isspace (*self->p))
    self->p++;
}

/* In another encoding, the parser might see a document type declaration where we do not. */
static gboolean
is_known_encoding (const char *declaration, gsize n)
{
  static const char *const known[] = { "UTF-8", "UTF8", "UTF-16", "US-ASCII", "ASCII", "ISO-8859-",
                                       "ISO8859-", "WINDOWS-125", "LATIN" };
  g_autofree char *copy = g_ascii_strup (declaration, (gssize) n);
  const char *value = strstr (copy, "ENCODING");

  if (value == NULL)
    return TRUE;
  value += strlen ("ENCODING");
  value += strspn (value, " \t\r\n=\"'");
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_has_prefix (value, known[i]))
      return TRUE;
  return FALSE;
}

typedef enum
{
  XML_ROOT,    /* the cursor is at the root element's name */
  XML_NONE,    /* not XML */
  XML_DOCTYPE,
  XML_ENCODING,
  XML_LONG     /* no root element within MAX_PROLOG_BYTES */
} XmlStart;

static XmlStart
find_root (Cursor *self)
{
  if (starts (self, "\xef\xbb\xbf"))
    self->p += 3;
  skip_space (self);
  if (!starts (self, "<"))
    return XML_NONE;
  while (skip_space (self), starts (self, "<"))
    {
      const char *before = self->p;

      if (starts (self, "<?"))
        {
          if (!skip_past (self, "?>"))
            return XML_LONG;
          if (g_str_has_prefix (before, "<?xml") && !is_known_encoding (before, self->p - before))
            return XML_ENCODING;
        }
      else if (starts (self, "<!--"))
        {
          if (!skip_past (self, "-->"))
            return XML_LONG;
        }
      else if (starts (self, "<!"))
        return XML_DOCTYPE;
      else
        {
          self->p++;
          return XML_ROOT;
        }
    }
  return self->p == self->end ? XML_LONG : XML_NONE;
}

static const char *const *
find_by_root (Cursor at)
{
  gsize n = strcspn (at.p, " \t\r\n/>");
  g_autofree char *whole = g_strndup (at.p, n);
  const char *colon = strchr (whole, ':'), *name = colon != NULL ? colon + 1 : whole;

  for (gsize i = 0; i < G_N_ELEMENTS (roots); i++)
    if (roots[i].begins ? g_str_has_prefix (name, roots[i].root) : g_str_equal (name, roots[i].root))
      return roots[i].drivers;
  return NULL;
}

static gboolean
fail (const char *path, const char *why, GError **error)
{
  g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN, N_ ("'%s' %s"), path, why);
  return FALSE;
}

/* @bytes: followed by a zero byte
 * @drivers: (out): unchanged if it is not XML */
static gboolean
judge_xml (const char *bytes, gsize n, const char *name, const char *const **drivers, GError **error)
{
  Cursor at = { bytes, bytes + n };

  switch (find_root (&at))
    {
    case XML_DOCTYPE:
      return fail (name, N_ ("begins with a document type declaration (<!DOCTYPE …>), which can refer to "
                             "other files and servers, and is refused. Maps need none: delete it, or "
                             "convert the map with ogr2ogr map.gpkg."), error);
    case XML_ENCODING:
      return fail (name, N_ ("is XML in an encoding other than UTF-8, UTF-16 or Latin; convert it with "
                             "ogr2ogr map.gpkg."), error);
    case XML_LONG:
      return fail (name, N_ ("is XML without an element in its first MiB; it seems damaged. Download or "
                             "export it again."), error);
    case XML_ROOT:
      if (g_str_has_prefix (at.p, "OGRVRT") || g_str_has_prefix (at.p, "OGRWFS")
          || g_str_has_prefix (at.p, "VRTDataset"))
        return fail (name, N_ ("only refers to other files or servers. Open those files themselves, or "
                               "convert it with ogr2ogr map.gpkg."), error);
      *drivers = find_by_root (at);
      return TRUE;
    case XML_NONE:
    default:
      return TRUE;
    }
}

/* -------- Other formats -------- */

/* A table of a shapefile begins with its version and date. */
static gboolean
is_dbf (const guint8 *head, gsize n)
{
  static const guint8 versions[] = { 0x02, 0x03, 0x30, 0x31, 0x32, 0x43, 0x63, 0x83, 0x8b, 0xcb, 0xf5 };

  return n >= 32 && memchr (versions, head[0], sizeof versions) != NULL && head[2] <= 12
         && head[3] <= 31;
}

static gboolean
is_text (const guint8 *head, gsize n)
{
  return n > 0 && memchr (head, '\0', n) == NULL;
}

/* The end of a text, a quote, as @c is its first byte after the first quote. */
static const char *
find_quote (const char *c)
{
  for (; *c != '\0' && *c != '"'; c++)
    c += *c == '\\' && c[1] != '\0';
  return c;
}

/* Whether the outermost members are those of CityJSON, of which a name or an attribute may tell, too. */
static gboolean
is_city_json (const char *c)
{
  int depth = 0;

  for (; *c != '\0'; c++)
    if (*c == '{' || *c == '[')
      depth++;
    else if (*c == '}' || *c == ']')
      depth--;
    else if (*c == '"')
      {
        const char *key = c + 1, *end = find_quote (key), *value = end + (*end == '"');

        value += strspn (value, " \t\r\n");
        if (depth == 1 && *value == ':')
          {
            value += 1 + strspn (value + 1, " \t\r\n");
            if (g_str_has_prefix (key, "CityObjects\"") || g_str_has_prefix (key, "vertices\""))
              return TRUE;
            if (g_str_has_prefix (key, "type\""))
              return g_str_has_prefix (value, "\"CityJSON");
          }
        if (*end == '\0')
          return FALSE;
        c = end;
      }
  return FALSE;
}

static const char *const *
find_by_bytes (const guint8 *head, gsize n)
{
  const char *start = (const char *) head;

  for (gsize i = 0; i < G_N_ELEMENTS (beginnings); i++)
    if (n >= beginnings[i].n && memcmp (head, beginnings[i].bytes, beginnings[i].n) == 0)
      return beginnings[i].drivers;
  if (n > 16 && head[0] == 0 && memmem (head, MIN (n, 64), "OSMHeader", 9) != NULL)
    return osm;
  if (is_dbf (head, n))
    return shapefile;
  if (!is_text (head, n))
    return NULL;
  if (g_str_has_prefix (start, "\xef\xbb\xbf"))
    start += 3;
  start += strspn (start, " \t\r\n\x1e");
  if (*start != '{' && *start != '[')
    return text;
  return is_city_json (start) ? city_json : json;
}

/* Whether an XML file may begin so in UTF-16 or UTF-32. */
static gboolean
is_wide (const char *head, gsize n)
{
  return n >= 4 && memchr (head, '\0', 4) != NULL && memchr (head, '<', MIN (n, 8)) != NULL;
}

/* As ASCII, which is all that the beginning of an XML file needs. */
static void
narrow (char *head, gsize *n)
{
  gsize i = memcmp (head, "\xff\xfe", 2) == 0 || memcmp (head, "\xfe\xff", 2) == 0 ? 2 : 0, out = 0;

  for (; i < *n; i++)
    if (head[i] != '\0')
      head[out++] = head[i];
  head[out] = '\0';
  *n = out;
}

/* Returns: (nullable): the beginning of the file, then a zero byte */
static char *
read_head (const char *path, gsize *n)
{
  VSILFILE *file = VSIFOpenL (path, "rb");
  char *head;

  if (file == NULL)
    return NULL;
  head = g_malloc (MAX_PROLOG_BYTES + 1);
  *n = VSIFReadL (head, 1, HEAD_BYTES, file);
  /* Only XML can need more. */
  if (*n == HEAD_BYTES && memchr (head, '<', 16) != NULL)
    *n += VSIFReadL (head + HEAD_BYTES, 1, MAX_PROLOG_BYTES - HEAD_BYTES, file);
  VSIFCloseL (file);
  head[*n] = '\0';
  return head;
}

gboolean
urb_find_drivers (const char *path, const char *name, const char *const **drivers, GError **error)
{
  g_autofree char *head = NULL;
  gboolean wide;
  gsize n = 0;
  VSIStatBufL info;

  *drivers = NULL;
  if (VSIStatL (path, &info) != 0)
    return TRUE;
  if (VSI_ISDIR (info.st_mode))
    {
      *drivers = folder;
      return TRUE;
    }
  if (!VSI_ISREG (info.st_mode))
    return fail (name, N_ ("is not a regular file; save the map as a file."), error);
  head = read_head (path, &n);
  if (head == NULL)
    return TRUE;
  wide = is_wide (head, n);
  if (wide)
    narrow (head, &n);
  if (!judge_xml (head, n, name, drivers, error))
    return FALSE;
  if (*drivers == NULL && !wide)
    *drivers = find_by_bytes ((const guint8 *) head, MIN (n, HEAD_BYTES));
  return TRUE;
}

gboolean
urb_is_xml_map (const char *path)
{
  static const char *const *const told[] = { city_gml, nas, osm, kml, interlis_2, interlis_24 };
  const char *const *drivers;

  if (!urb_find_drivers (path, path, &drivers, NULL))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (told); i++)
    if (drivers == told[i])
      return TRUE;
  return FALSE;
}

/* -------- GDAL as a whole -------- */

/* Instead of any transfer, for example of a coordinate system that a GeoJSON names by its address. */
static CPLHTTPResult *
refuse_transfer (const char *url, CSLConstList options, GDALProgressFunc progress,
                 void *progress_data, CPLHTTPFetchWriteFunc write, void *write_data, void *data)
{
  CPLHTTPResult *result = VSICalloc (1, sizeof *result);

  if (result != NULL)
    {
      result->nStatus = 1;
      result->pszErrBuf = CPLStrdup ("Maps are read without a network.");
    }
  return result;
}

static void
set_options (void)
{
  static const char *const options[][2] = {
    { "CPL_VSIL_CURL_ALLOWED_FILENAME", "none" },  /* no /vsicurl/ and its kin */
    { "GML_SKIP_RESOLVE_ELEMS", "ALL" },           /* no xlink:href */
    { "GML_SKIP_CORRUPTED_FEATURES", "YES" },      /* instead of ending at the first of them */
    { "NAS_SKIP_CORRUPTED_FEATURES", "YES" },
    { "GML_FETCH_ALL_GEOMETRIES", "YES" },         /* else a house's label may hide its footprint */
    { "OGR_SQLITE_PRAGMA", "trusted_schema=OFF,mmap_size=2147418112" },
    { "OGR_VFK_DB_NAME", ":memory:" },             /* instead of a file beside the map */
    { "CPL_VSIL_GZIP_WRITE_PROPERTIES", "NO" },    /* the same */
    { "PROJ_NETWORK", "OFF" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (options); i++)
    CPLSetConfigOption (options[i][0], options[i][1]);
  CPLHTTPSetFetchCallback (refuse_transfer, NULL);
}

void
urb_register_drivers (void)
{
  urb_register_only (NULL);
}

void
urb_register_only (const char *const *only)
{
  static gsize is_done = 0;

  if (!g_once_init_enter (&is_done))
    return;
  set_options ();
  GDALAllRegister ();
  for (int i = GDALGetDriverCount () - 1; i >= 0; i--)
    {
      GDALDriverH driver = GDALGetDriver (i);
      if (!is_allowed (GDALGetDriverShortName (driver), only))
        {
          GDALDeregisterDriver (driver);
          GDALDestroyDriver (driver);
        }
    }
  g_once_init_leave (&is_done, 1);
}
