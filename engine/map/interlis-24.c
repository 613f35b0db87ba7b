/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interlis-24.c - transfers of INTERLIS 2.4, in which Switzerland publishes its survey by the model DMAV.
 *
 * GDAL reads those of 2.2 and 2.3 only, which say the same by other elements: a transfer is copied with these.
 */
#include <cpl_vsi.h>
#include <string.h>

#include "map/ogr-private.h"

#define MAX_BYTES ((vsi_l_offset) 2 << 30)
#define CHUNK (1 << 20)
#define MAX_DEPTH 64 /* GDAL goes down by recursion */
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
  self->is_full |= VSIFWriteL (self->text->str, 1, self->text->len, self->to) != self->text->len;
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

static void
note_namespaces (Copy *self, const char *const *names, const char *const *values)
{
  for (; *names != NULL; names++, values++)
    if (g_str_has_prefix (*names, "xmlns:") && g_str_has_prefix (*values, MODELS))
      g_hash_table_replace (self->models, g_strdup (skip_prefix (*names)), g_strdup (*values + strlen (MODELS)));
    else if (g_str_has_prefix (*names, "xmlns:") && g_str_equal (*values, GEOMETRY))
      {
        g_free (self->geometry);
        self->geometry = g_strconcat (skip_prefix (*names), ":", NULL);
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

  if (self->open->len >= MAX_DEPTH)
    {
      g_set_error_literal (error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT, "too deep");
      return;
    }
  written = make_name (self, name);
  if (self->open->len == TRANSFER)
    note_namespaces (self, (const char *const *) names, (const char *const *) values);
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
  const GMarkupParser parser = { .start_element = start_cb, .end_element = end_cb, .text = text_cb };
  g_autoptr(GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, self, NULL);
  g_autofree char *chunk = g_malloc (CHUNK);
  gboolean is_whole = TRUE;
  size_t n;

  while (is_whole && (n = VSIFReadL (chunk, 1, CHUNK, from)) > 0)
    is_whole = g_markup_parse_context_parse (context, chunk, (gssize) n, NULL);
  is_whole = is_whole && g_markup_parse_context_end_parse (context, NULL);
  while (!is_whole && self->open->len > 0)
    end_cb (NULL, NULL, self, NULL);
  flush (self);
  return is_whole;
}

char *
urb_interlis_24_copy (const char *path, const char *shown, gboolean *is_cut, GError **error)
{
  static int n_copies = 0; /* names them */
  g_autofree char *name = g_strdup_printf ("/vsimem/interlis-24-%d.xtf", g_atomic_int_add (&n_copies, 1));
  VSILFILE *from = VSIFOpenL (path, "rb");
  g_auto(Copy) copy = { .to = VSIFOpenL (name, "wb"), .text = g_string_new (NULL),
                        .open = g_ptr_array_new_with_free_func (g_free),
                        .models = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free) };
  VSIStatBufL info;

  if (from == NULL || copy.to == NULL || VSIStatL (path, &info) != 0 || (vsi_l_offset) info.st_size > MAX_BYTES)
    {
      if (from != NULL)
        VSIFCloseL (from);
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_LIMIT,
                   "'%s' is a transfer of INTERLIS 2.4 that cannot be read, or has more than 2 GiB; convert it to "
                   "GeoPackage with ili2gpkg.", shown);
      return NULL;
    }
  *is_cut = !copy_all (&copy, from);
  VSIFCloseL (from);
  if (!copy.is_full)
    return g_steal_pointer (&name);
  g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_LIMIT, "'%s' does not fit into memory; cut out the part you need", shown);
  return NULL;
}
