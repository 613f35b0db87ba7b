/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find-files.c - finds the files to open in a folder or an archive.
 *
 * A map is often many files, next to others that belong to a format (.dbf, .shx,
 * .xsd) or are unrelated.  Files are chosen by extension: trying each with every
 * driver would be slow and find strange things.  Only what ends in .xml is looked into.
 */
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gio/gio.h>
#include <glib/gi18n.h>
#include <string.h>

#include "base/compare.h"
#include "base/permission.h"
#include "map/ogr-private.h"

#define MAX_FILES 10000
#define MAX_DEPTH 8
#define MAX_NESTED 3 /* archives in archives */

static const char *const endings[] = {
  ".csv",      ".dgn",      ".dwg",     ".dxf", ".edigeo", ".fgb",   ".gdb",    ".geojson",
  ".geojsonl", ".gml",      ".gpkg",    ".itf", ".json",   ".jsonl", ".kml",    ".kmz",
  ".mif",      ".osm",      ".parquet", ".pbf", ".shp",    ".shz",   ".sqlite", ".tab",
  ".thf",      ".topojson", ".vfk",     ".xtf",
};

/* … and what GDAL calls a look inside; 7z needs GDAL 3.7. */
typedef struct
{
  const char *ending, *root;
  gboolean    is_bz2; /* and has to be unpacked first */
} Archive;

static const Archive archives[] = {
  { ".zip", "/vsizip/" }, { ".tar", "/vsitar/" }, { ".tar.gz", "/vsitar/" },
  { ".tgz", "/vsitar/" }, { ".7z", "/vsi7z/" },   { ".tar.bz2", "/vsitar/", TRUE },
  { ".tbz2", "/vsitar/", TRUE }, { ".tbz", "/vsitar/", TRUE },
};
static const char *const compressions[] = { ".gz", ".bz2" };
static const char *const unreadable[] = { ".xz", ".zst", ".rar", NULL };

gboolean
urb_has_ending (const char *path, const char *ending)
{
  gsize n = strlen (path), m = strlen (ending);
  return n >= m && g_ascii_strcasecmp (path + n - m, ending) == 0;
}

/* Returns: (nullable): %NULL if it is not named as an archive */
static const Archive *
find_archive (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (archives); i++)
    if (urb_has_ending (name, archives[i].ending))
      return &archives[i];
  return NULL;
}

/* Of a single file, as town.geojson.gz.  Returns: (nullable): ".gz" */
static const char *
find_compression (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (compressions); i++)
    if (urb_has_ending (name, compressions[i]) && find_archive (name) == NULL)
      return compressions[i];
  return NULL;
}

/* "town.geojson" */
static char *
dup_inner_name (const char *name)
{
  const char *compression = find_compression (name);

  return g_strndup (name, strlen (name) - (compression != NULL ? strlen (compression) : 0));
}

/* For GDAL, what is in a compressed file, or the file itself, also if it cannot be unpacked: opening it tells why. */
static char *
look_into (const char *path)
{
  const char *compression = find_compression (path);
  char *unpacked;
  g_autofree char *base = g_path_get_basename (path), *inner = dup_inner_name (base);
  g_autofree char *place = g_strconcat ("/", inner, NULL);

  if (compression == NULL)
    return g_strdup (path);
  if (strcmp (compression, ".gz") == 0)
    return g_strconcat ("/vsigzip/", path, NULL);
  unpacked = urb_unpack_bz2 (path, place);
  return unpacked != NULL ? unpacked : g_strdup (path);
}

static gboolean
has_known_ending (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    if (urb_has_ending (name, endings[i]))
      return name[0] != '.';
  return FALSE;
}

static gboolean
is_dataset_folder (const char *path)
{
  return urb_has_ending (path, ".gdb") || urb_has_ending (path, ".gdb/");
}

static gboolean
fail_too_many (const char *path, GError **error)
{
  g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_LIMIT,
               N_ ("There are more than %d files in '%s'; choose the folder that contains the map"),
               MAX_FILES, path);
  return FALSE;
}

static gboolean fail_open (const char *path, GError **error, const char *format, ...)
  G_GNUC_PRINTF (3, 4);

/* Reports missing permissions instead, if they are the reason. */
static gboolean
fail_open (const char *path, GError **error, const char *format, ...)
{
  g_autofree char *text = urb_permission_dup_read_problem (path);
  va_list args;

  va_start (args, format);
  if (text == NULL)
    text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN, text);
  return FALSE;
}

/* @name: of a file, @path: the same for GDAL */
static void
add_file (const char *name, const char *path, GPtrArray *files)
{
  g_autofree char *inner = dup_inner_name (name);

  if (has_known_ending (inner))
    g_ptr_array_add (files, look_into (path));
  else if (urb_has_ending (inner, ".xml") && name[0] != '.')
    {
      g_autofree char *place = look_into (path);

      if (urb_is_xml_map (place))
        g_ptr_array_add (files, g_steal_pointer (&place));
    }
}

/* @archive: for GDAL: absolute, or in @depth other archives
 * FALSE: it cannot be read, or has too many files */
static gboolean
list_archive (const char *archive, int depth, GPtrArray *files)
{
  const Archive *how = find_archive (archive);
  g_autofree char *plain = how->is_bz2 ? urb_unpack_bz2 (archive, "") : g_strdup (archive);
  g_autofree char *root = depth > 0 || how->is_bz2 ? g_strdup_printf ("%s{%s}", how->root, plain)
                                                   : g_strconcat (how->root, plain, NULL);
  char **names = plain != NULL ? VSIReadDirRecursive (root) : NULL;
  gboolean is_fine = names != NULL;

  for (char **name = names; is_fine && *name != NULL; name++)
    {
      g_autofree char *base = g_path_get_basename (*name);
      g_autofree char *path = g_strconcat (root, "/", *name, NULL);

      if (find_archive (base) == NULL)
        add_file (base, path, files);
      else if (depth < MAX_NESTED && !list_archive (path, depth + 1, files))
        g_ptr_array_add (files, g_steal_pointer (&path)); /* opening it tells why */
      is_fine = files->len <= MAX_FILES;
    }
  CSLDestroy (names);
  return is_fine;
}

static gboolean
find_in_archive (const char *path, GPtrArray *files, GError **error)
{
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  guint before = files->len;

  if (!list_archive (absolute, 0, files))
    return files->len > MAX_FILES
             ? fail_too_many (path, error)
             : fail_open (path, error, N_ ("'%s' cannot be read as an archive; download it again, or unpack it"), path);
  if (files->len > before)
    return TRUE;
  g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN,
               N_ ("There is no map in the archive '%s'; unpack it and open the file"), path);
  return FALSE;
}

static gboolean
find_in_folder (const char *path, int depth, GPtrArray *files, GError **error)
{
  g_autoptr(GError) local_error = NULL;
  g_autoptr(GDir) folder = g_dir_open (path, 0, &local_error);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  if (folder == NULL)
    return fail_open (path, error, N_ ("The folder '%s' cannot be read: %s"), path,
                      local_error->message);
  while ((name = g_dir_read_name (folder)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, urb_compare_strings);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *full = g_build_filename (path, g_ptr_array_index (names, i), NULL);
      gboolean is_folder = g_file_test (full, G_FILE_TEST_IS_DIR) && !is_dataset_folder (full);
      if (files->len >= MAX_FILES)
        return fail_too_many (path, error);
      if (is_folder && depth < MAX_DEPTH && !g_file_test (full, G_FILE_TEST_IS_SYMLINK))
        {
          if (!find_in_folder (full, depth + 1, files, error))
            return FALSE;
        }
      else if (!is_folder && find_archive (full) != NULL)
        g_ptr_array_add (files, g_steal_pointer (&full));
      else if (!is_folder)
        add_file (names->pdata[i], full, files);
    }
  return TRUE;
}

gboolean
urb_find_files (const char *path, GPtrArray *files, gboolean *one, GError **error)
{
  g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *absolute = NULL;

  *one = FALSE;
  if (g_file_test (path, G_FILE_TEST_IS_DIR) && !is_dataset_folder (path))
    {
      if (!find_in_folder (path, 0, found, error))
        return FALSE;
      if (found->len == 0)
        {
          g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN,
                       N_ ("There is no map in the folder '%s'; a shapefile needs its .shp and .shx, "
                           "and other formats a usual ending such as .gpkg or .geojson"),
                       path);
          return FALSE;
        }
      for (guint i = 0; i < found->len; i++)
        {
          const char *file = g_ptr_array_index (found, i);
          if (find_archive (file) == NULL || !find_in_archive (file, files, NULL))
            g_ptr_array_add (files, g_strdup (file));
        }
      return TRUE;
    }
  if (g_file_test (path, G_FILE_TEST_IS_REGULAR) && find_archive (path) != NULL)
    return find_in_archive (path, files, error);
  *one = TRUE;
  for (const char *const *ending = unreadable; *ending != NULL; ending++)
    if (urb_has_ending (path, *ending) && g_file_test (path, G_FILE_TEST_IS_REGULAR))
      return fail_open (path, error, N_ ("'%s' is compressed as %s, which cannot be read here; unpack it, and open what is in "
                                         "it"), path, *ending + 1);
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return strchr (path, ':') != NULL || g_str_has_prefix (path, "/vsi")
             ? fail_open (path, error,
                          "'%s' names a database or a server. Of these, only the address of a Web Feature Service "
                          "or of PostGIS can be opened, alone. Else save it with ogr2ogr map.gpkg, and open that.",
                          path)
             : fail_open (path, error, N_ ("There is no file or folder '%s'; check the name"), path);
  absolute = g_canonicalize_filename (path, NULL);
  g_ptr_array_add (files, look_into (find_compression (path) != NULL ? absolute : path));
  return TRUE;
}
