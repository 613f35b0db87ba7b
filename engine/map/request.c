/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.c - see request.h.
 *
 * A file's bounds follow from its size.  The slowest formats read about a megabyte in a second (INTERLIS
 * with its lines, XML in archives), and the hungriest hold a file in memory at fifteen times its size; the
 * bounds leave a factor of ten for slow machines and compressed files.
 */
#include "map/request.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define LEAST_CPU_S        8
#define BYTES_PER_CPU_S    100000
#define LEAST_MEMORY_BYTES ((gint64) 768 << 20)
#define MEMORY_PER_BYTE    150
#define MAX_DEPTH          8
#define MAX_OVERRIDES      (1 << 20)
#define MAX_LAYERS         (1 << 16)
/* What a server sends has no size beforehand: the bounds are those of a file of this size. */
#define SERVER_BYTES       ((gint64) 32 << 20)

/* -------- Files and bounds -------- */

/* As in shapefiles: "map.shp", "map.dbf"; and SQLite's "map.gpkg-wal". */
static void
add_siblings (const char *path, GStrvBuilder *files)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *base = g_path_get_basename (path);
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  const char *dot = strchr (base + 1, '.'), *name;
  gsize n_stem = dot != NULL ? (gsize) (dot - base) + 1 : 0;

  g_strv_builder_add (files, path);
  while (dir != NULL && n_stem > 0 && (name = g_dir_read_name (dir)) != NULL)
    if (g_ascii_strncasecmp (name, base, n_stem) == 0 && !g_str_equal (name, base))
      {
        g_autofree char *full = g_build_filename (folder, name, NULL);
        if (g_file_test (full, G_FILE_TEST_IS_REGULAR))
          g_strv_builder_add (files, full);
      }
}

/* The files of one EDIGEO exchange have different names. */
static gboolean
needs_folder (const char *path)
{
  gsize n = strlen (path);

  return n > 4 && g_ascii_strcasecmp (path + n - 4, ".thf") == 0;
}

/* Unless it is the name of one. */
static void
add_profile (const char *profile, GStrvBuilder *files)
{
  if (profile != NULL && g_file_test (profile, G_FILE_TEST_EXISTS))
    g_strv_builder_add (files, profile);
}

char **
urb_map_request_list_files (const UrbMapRequest *self)
{
  g_autoptr(GStrvBuilder) files = g_strv_builder_new ();

  for (char **path = self->paths; self->options.address == NULL && *path != NULL; path++)
    if (needs_folder (*path))
      {
        g_autofree char *folder = g_path_get_dirname (*path);
        g_strv_builder_add (files, folder);
      }
    else if (g_file_test (*path, G_FILE_TEST_IS_DIR))
      g_strv_builder_add (files, *path);
    else
      add_siblings (*path, files);
  add_profile (self->options.profile, files);
  for (gsize i = 0; i < self->options.n_layers; i++)
    add_profile (self->options.layers[i].profile, files);
  return g_strv_builder_end (files);
}

static gint64
measure (const char *path, int depth)
{
  g_autoptr(GDir) dir = NULL;
  const char *name;
  gint64 sum = 0;
  GStatBuf info;

  if (g_stat (path, &info) != 0)
    return 0;
  if (!S_ISDIR (info.st_mode))
    return S_ISREG (info.st_mode) ? info.st_size : 0;
  dir = depth < MAX_DEPTH ? g_dir_open (path, 0, NULL) : NULL;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *full = g_build_filename (path, name, NULL);
      if (!g_file_test (full, G_FILE_TEST_IS_SYMLINK))
        sum += measure (full, depth + 1);
    }
  return sum;
}

UrbMapLimits
urb_map_limits_for (const char *const *paths, const char *address)
{
  const UrbMapRequest request = { .paths = (char **) paths, .options = { .address = address } };
  g_auto(GStrv) files = urb_map_request_list_files (&request);
  gint64 installed = (gint64) sysconf (_SC_PHYS_PAGES) * sysconf (_SC_PAGESIZE);
  UrbMapLimits limits = { 0 };

  limits.n_bytes = address != NULL ? SERVER_BYTES : 0;
  for (char **file = files; *file != NULL; file++)
    limits.n_bytes += measure (*file, 0);
  limits.cpu_s = LEAST_CPU_S + limits.n_bytes / BYTES_PER_CPU_S;
  limits.memory_bytes
    = MIN (LEAST_MEMORY_BYTES + MEMORY_PER_BYTE * limits.n_bytes, installed / 4 * 3);
  return limits;
}

/* -------- As a message -------- */

void
urb_map_request_clear (UrbMapRequest *self)
{
  urb_map_options_clear (&self->options);
  g_strfreev (self->paths);
  g_free (self->scratch);
  *self = (UrbMapRequest){ 0 };
}

/* @texts: (nullable): as good as none */
static void
put_texts (char **texts, UrbStreamOut *out)
{
  urb_stream_put_int (out, texts != NULL ? g_strv_length (texts) : 0);
  for (; texts != NULL && *texts != NULL; texts++)
    urb_stream_put_text (out, *texts);
}

void
urb_map_request_put (const UrbMapRequest *self, UrbStreamOut *out)
{
  const UrbMapOptions *options = &self->options;

  urb_stream_put_int (out, self->parent);
  urb_stream_put_int (out, self->limits.n_bytes);
  urb_stream_put_int (out, self->limits.cpu_s);
  urb_stream_put_int (out, self->limits.memory_bytes);
  urb_stream_put_text (out, self->scratch);
  put_texts (self->paths, out);
  urb_stream_put_text (out, options->profile);
  urb_stream_put_double (out, options->road_width_m);
  urb_stream_put_text (out, options->crs);
  put_texts ((char **) options->path_crs, out);
  urb_stream_put_int (out, options->is_local);
  urb_stream_put_text (out, options->clip);
  urb_stream_put_int (out, (gint64) options->n_overrides);
  for (gsize i = 0; i < options->n_overrides; i++)
    {
      urb_stream_put_text (out, options->overrides[i].layer);
      urb_stream_put_text (out, options->overrides[i].value);
      urb_stream_put_int (out, options->overrides[i].class_);
    }
  urb_stream_put_int (out, (gint64) options->n_layers);
  for (gsize i = 0; i < options->n_layers; i++)
    {
      urb_stream_put_text (out, options->layers[i].layer);
      urb_stream_put_text (out, options->layers[i].profile);
      urb_stream_put_text (out, options->layers[i].crs);
    }
  urb_stream_put_text (out, options->address);
  urb_stream_put_int (out, options->patience_s);
}

static char *
get_some_raw_text (UrbStreamIn *in)
{
  char *text = urb_stream_get_raw_text (in);

  return text != NULL ? text : g_strdup ("");
}

/* (transfer full) */
static char **
get_texts (UrbStreamIn *in)
{
  g_autoptr(GStrvBuilder) texts = g_strv_builder_new ();
  gint64 n = urb_stream_get_int (in, 0, G_MAXINT32);

  for (gint64 i = 0; i < n && !in->is_bad; i++)
    {
      g_autofree char *text = get_some_raw_text (in);
      g_strv_builder_add (texts, text);
    }
  return g_strv_builder_end (texts);
}

void
urb_map_request_get (UrbMapRequest *self, UrbStreamIn *in)
{
  UrbMapOverride *overrides;
  UrbMapLayerOptions *layers;
  gint64 n;

  *self = (UrbMapRequest){ 0 };
  self->parent = urb_stream_get_int (in, 0, G_MAXINT32);
  self->limits.n_bytes = urb_stream_get_int (in, 0, G_MAXINT64);
  self->limits.cpu_s = urb_stream_get_int (in, 0, G_MAXINT64);
  self->limits.memory_bytes = urb_stream_get_int (in, 0, G_MAXINT64);
  self->scratch = urb_stream_get_raw_text (in);
  self->paths = get_texts (in);
  self->options.profile = urb_stream_get_raw_text (in);
  self->options.road_width_m = urb_stream_get_double (in);
  self->options.crs = urb_stream_get_raw_text (in);
  self->options.path_crs = (const char *const *) get_texts (in);
  self->options.is_local = urb_stream_get_int (in, 0, 1) != 0;
  self->options.clip = urb_stream_get_raw_text (in);
  n = urb_stream_get_int (in, 0, MAX_OVERRIDES);
  overrides = g_new0 (UrbMapOverride, n + 1);
  self->options.overrides = overrides;
  self->options.n_overrides = (gsize) n;
  for (gint64 i = 0; i < n; i++)
    {
      overrides[i].layer = get_some_raw_text (in);
      overrides[i].value = get_some_raw_text (in);
      overrides[i].class_ = (UrbClass) urb_stream_get_int (in, 0, URB_CLASS_IGNORE);
    }
  n = urb_stream_get_int (in, 0, MAX_LAYERS);
  layers = g_new0 (UrbMapLayerOptions, n + 1);
  self->options.layers = layers;
  self->options.n_layers = (gsize) n;
  for (gint64 i = 0; i < n; i++)
    {
      layers[i].layer = get_some_raw_text (in);
      layers[i].profile = get_some_raw_text (in);
      layers[i].crs = get_some_raw_text (in);
    }
  self->options.address = urb_stream_get_raw_text (in);
  self->options.patience_s = (int) urb_stream_get_int (in, 0, G_MAXINT32);
}
