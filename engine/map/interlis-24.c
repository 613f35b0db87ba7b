/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interlis-24.c - transfers of INTERLIS 2.4, in which Switzerland publishes its survey by the model DMAV.
 *
 * GDAL reads those of 2.2 and 2.3 only, which say the same by other elements: a transfer is copied with these.
 */
#include <cpl_vsi.h>
#include <glib/gi18n.h>
#include <string.h>

#include "map/ogr-private.h"

#define MAX_BYTES ((vsi_l_offset) 2 << 30)
#define CHUNK (1 << 20)
#define MAX_DEPTH 64 /* GDAL goes down by recursion */
#define MAX_NAME 1000 /* bytes; a basket's is repeated for each of its objects */
#define MAX_MODELS 1000
#define MAX_GROWTH 16 /* the copy, in sizes of the file */
#define GEOMETRY "http://www.interlis.ch/geometry/1.0"
#define MODELS "http://www.interlis.ch/xtf/2.4/"

/* Depths of elements: the transfer, its sections, baskets, objects, attributes. */
enum { TRANSFER, SECTION, BASKET, OBJECT, ATTRIBUTE };

typedef struct
{
  VSILFILE  *to;       /* owned */
  GString   *text;     /* owned; not written yet */
  GPtrArray *open;     /* of char: the elements that are open, as written; owned */
  GHashTable *models;  /* of char: the names of models by their prefixes; owned */
  char      *geometry; /* (nullable) owned: the prefix of coordinates, with its colon */
  guint64    n_bytes_left; /* that may still be written */
  gboolean   is_head;  /* in the section before the data, which is not copied */
  gboolean   is_full;
} Copy;

static void
copy_clear (Copy *self)
{
  if (self->to != NULL)
    VSIFCloseL (self->to);
  g_string_free (self->text, TRUE);
  g_ptr_array_unref (self->open);
  g_hash_table_unref (self->models);
  g_free (self->geometry);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Copy, copy_clear)

static void
flush (Copy *self)
{
  gsize n = self->text->len;

  self->is_full |= n > self->n_bytes_left || VSIFWriteL (self->text->str, 1, n, self->to) != n;
  if (!self->is_full)
    self->n_bytes_left -= n;
  g_string_set_size (self->text, 0);
}

static const char *
skip_prefix (const char *name)
{
  const char *colon = strchr (name, ':');

  return colon != NULL ? colon + 1 : name;
}

static const char *
find_attribute (const char *const *names, const char *const *values, const char *name)
{
  for (; *names != NULL; names++, values++)
    if (g_str_equal (skip_prefix (*names), name))
      return *values;
  return NULL;
}

/* Of any element: a basket may declare its own. */
static void
note_namespaces (Copy *self, const char *const *names, const char *const *values)
{
  for (; *names != NULL; names++, values++)
    {
      const char *prefix = g_str_equal (*names, "xmlns") ? "" : skip_prefix (*names);

      if ((*prefix != '\0' && !g_str_has_prefix (*names, "xmlns:")) || strlen (*values) > MAX_NAME)
        continue;
      if (g_str_has_prefix (*values, MODELS) && g_hash_table_size (self->models) < MAX_MODELS)
        g_hash_table_replace (self->models, g_strdup (prefix), g_strdup (*values + strlen (MODELS)));
      else if (*prefix != '\0' && g_str_equal (*values, GEOMETRY))
        {
          g_free (self->geometry);
          self->geometry = g_strconcat (prefix, ":", NULL);
        }
    }
}

/* "Model.Topic" (transfer full) */
static char *
make_topic (const Copy *self, const char *name)
{
  const char *local = skip_prefix (name), *model;
  g_autofree char *prefix = g_strndup (name, local > name ? (gsize) (local - name) - 1 : 0);

  model = g_hash_table_lookup (self->models, prefix);
  return g_strconcat (model != NULL ? model : prefix, ".", local, NULL);
}

/* The name of an element of INTERLIS 2.3. (transfer full) */
static char *
make_name (const Copy *self, const char *name)
{
  const char *local = skip_prefix (name);
  guint depth = self->open->len;

  if (depth == BASKET)
    return make_topic (self, name);
  if (depth == OBJECT)
    return g_strconcat (g_ptr_array_index (self->open, BASKET), ".", local, NULL);
  if (depth >= ATTRIBUTE && (self->geometry == NULL || !g_str_has_prefix (name, self->geometry)))
    return g_strdup (local);
  if (g_str_equal (local, "exterior") || g_str_equal (local, "interior"))
    return g_strdup ("BOUNDARY");
  return g_ascii_strup (local, -1);
}

static void
start_cb (GMarkupParseContext *context, const char *name, const char **names, const char **values, gpointer data,
          GError **error)
{
  static const char *const renamed[][2] = { { "bid", "BID" }, { "tid", "TID" }, { "ref", "REF" } };
  Copy *self = data;
  char *written;

  if (self->open->len >= MAX_DEPTH || strlen (name) > MAX_NAME)
    {
      g_set_error_literal (error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT, "too deep, or too long a name");
      return;
    }
  note_namespaces (self, (const char *const *) names, (const char *const *) values);
  written = make_name (self, name);
  if (self->open->len == SECTION)
    self->is_head = !g_str_equal (written, "DATASECTION");
  g_ptr_array_add (self->open, written);
  if (self->is_head)
    return;
  g_string_append_printf (self->text, "<%s", written);
  if (self->open->len == SECTION) /* by which GDAL knows the format */
    g_string_append (self->text, " xmlns=\"http://www.interlis.ch/INTERLIS2.3\"");
  for (gsize i = 0; i < G_N_ELEMENTS (renamed); i++)
    {
      const char *value = find_attribute ((const char *const *) names, (const char *const *) values, renamed[i][0]);
      g_autofree char *escaped = value != NULL ? g_markup_escape_text (value, -1) : NULL;

      if (escaped != NULL)
        g_string_append_printf (self->text, " %s=\"%s\"", renamed[i][1], escaped);
    }
  g_string_append_c (self->text, '>');
}

static void
end_cb (GMarkupParseContext *context, const char *name, gpointer data, GError **error)
{
  Copy *self = data;
  const char *written = g_ptr_array_index (self->open, self->open->len - 1);

  if (!self->is_head)
    g_string_append_printf (self->text, "</%s>", written);
  g_ptr_array_set_size (self->open, (int) self->open->len - 1);
  if (self->open->len == SECTION)
    self->is_head = FALSE;
  if (self->text->len >= CHUNK)
    flush (self);
  if (self->is_full)
    g_set_error_literal (error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT, "full");
}

static void
text_cb (GMarkupParseContext *context, const char *text, gsize n, gpointer data, GError **error)
{
  Copy *self = data;
  g_autofree char *escaped = NULL;

  if (self->is_head || self->open->len <= ATTRIBUTE)
    return;
  escaped = g_markup_escape_text (text, (gssize) n);
  g_string_append (self->text, escaped);
}

/* FALSE: what was copied before the damage is well-formed, too */
static gboolean
copy_all (Copy *self, VSILFILE *from)
{
  static const char mark[] = "\xef\xbb\xbf"; /* that some programs put in front of UTF-8 */
  const GMarkupParser parser = { .start_element = start_cb, .end_element = end_cb, .text = text_cb };
  g_autoptr(GMarkupParseContext) context
    = g_markup_parse_context_new (&parser, G_MARKUP_TREAT_CDATA_AS_TEXT, self, NULL);
  g_autofree char *chunk = g_malloc (CHUNK);
  gboolean is_whole = TRUE;
  size_t n = VSIFReadL (chunk, 1, strlen (mark), from);

  if (n != strlen (mark) || memcmp (chunk, mark, n) != 0)
    is_whole = g_markup_parse_context_parse (context, chunk, (gssize) n, NULL);
  while (is_whole && (n = VSIFReadL (chunk, 1, CHUNK, from)) > 0)
    is_whole = g_markup_parse_context_parse (context, chunk, (gssize) n, NULL);
  is_whole = is_whole && g_markup_parse_context_end_parse (context, NULL);
  while (!is_whole && self->open->len > 0)
    end_cb (NULL, NULL, self, NULL);
  flush (self);
  return is_whole;
}

static gboolean
make_copy (const char *path, const char *to, const char *shown, gboolean *is_cut, GError **error)
{
  VSILFILE *from = VSIFOpenL (path, "rb");
  g_auto(Copy) copy = { .to = VSIFOpenL (to, "wb"), .text = g_string_new (NULL),
                        .open = g_ptr_array_new_with_free_func (g_free),
                        .models = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free) };
  VSIStatBufL info;

  if (from == NULL || copy.to == NULL || VSIStatL (path, &info) != 0 || (vsi_l_offset) info.st_size > MAX_BYTES)
    {
      if (from != NULL)
        VSIFCloseL (from);
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_LIMIT,
                   N_ ("'%s' is a transfer of INTERLIS 2.4 that cannot be read, or has more than 2 GiB; convert it to "
                       "GeoPackage with ili2gpkg."), shown);
      return FALSE;
    }
  copy.n_bytes_left = MAX_GROWTH * (guint64) info.st_size;
  *is_cut = !copy_all (&copy, from);
  VSIFCloseL (from);
  if (copy.is_full)
    g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_LIMIT, N_ ("'%s' does not fit into memory; cut out the part you need"),
                 shown);
  return !copy.is_full;
}

char *
urb_interlis_24_copy (const char *path, const char *shown, gboolean *is_cut, GError **error)
{
  static int n_copies = 0; /* names them */
  g_autofree char *name = g_strdup_printf ("/vsimem/interlis-24-%d.xtf", g_atomic_int_add (&n_copies, 1));

  if (make_copy (path, name, shown, is_cut, error))
    return g_steal_pointer (&name);
  VSIUnlink (name);
  return NULL;
}
