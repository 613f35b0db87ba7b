/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identify.c - finds the objects at a point of the map.
 *
 * The map knows which of its polygons are there; their attributes are looked up by another
 * process, as in open.c.  It is sent a map of only these polygons, and ended after a limited
 * time, whatever it has found by then.
 */
#include "map/identify-private.h"

#include <math.h>

#include "map/map-private.h"
#include "map/reader-process.h"
#include "map/ring.h"

/* How long a click waits for attributes. */
#define DEFAULT_LIMIT_S 8

static void
attribute_free (gpointer data)
{
  UrbMapAttribute *self = data;

  g_free (self->name);
  g_free (self->value);
  g_free (self);
}

void
urb_map_object_free (UrbMapObject *self)
{
  if (self == NULL)
    return;
  g_free (self->layer);
  g_free (self->source);
  g_free (self->problem);
  g_ptr_array_unref (self->attributes);
  g_free (self);
}

UrbMapFind *
urb_map_find_new (guint layer)
{
  UrbMapFind *self = g_new0 (UrbMapFind, 1);

  self->layer = layer;
  self->polygon = -1;
  self->attributes = g_ptr_array_new_with_free_func (attribute_free);
  return self;
}

void
urb_map_find_free (UrbMapFind *self)
{
  g_ptr_array_unref (self->attributes);
  g_free (self);
}

/* -------- In the map -------- */

GArray *
urb_map_find_hits (UrbMap *map, double x, double y)
{
  GArray *hits = g_array_new (FALSE, FALSE, sizeof (UrbMapHit));
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (gint64));

  urb_map_query (map, (UrbBox) { x, y, x, y }, found);
  for (guint i = found->len; i-- > 0 && hits->len < URB_MAP_MAX_IDENTIFIED;)
    {
      gint64 polygon = g_array_index (found, gint64, i);
      UrbMapHit hit = { polygon, urb_map_get_polygon (map, polygon)->layer,
                        urb_map_get_box (map, polygon) };

      if (urb_map_polygon_contains (map, polygon, x, y))
        g_array_append_val (hits, hit);
    }
  return hits;
}

/* -------- Asking -------- */

typedef struct
{
  UrbMap     *map;     /* borrowed */
  const char *address; /* (nullable) borrowed */
  double      x, y;
  GArray     *hits;    /* of UrbMapHit; owned */
  GPtrArray  *finds;   /* of UrbMapFind; owned */
  char       *problem; /* (nullable) owned; of the server */
} Search;

static void
search_clear (Search *self)
{
  g_clear_pointer (&self->hits, g_array_unref);
  g_clear_pointer (&self->finds, g_ptr_array_unref);
  g_clear_pointer (&self->problem, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

static void
receive_problem (Search *self, UrbStreamIn *in, guint64 n_bytes)
{
  g_autoptr(GError) error = NULL;

  urb_reader_process_receive_error (in, n_bytes, &error);
  if (error->domain == URB_MAP_ERROR)
    self->problem = g_strdup (error->message);
}

/* What is found until the end, whatever ends it.  The polygons of @around have the reverse order of
 * the hits. */
static void
receive_finds (Search *self, UrbStreamIn *in, UrbMap *around)
{
  guint n_layers = urb_map_get_layers (around)->len;
  gint64 n = urb_map_get_n_polygons (around);
  UrbMessageKind kind;
  guint64 n_bytes;

  while (self->finds->len < URB_MAP_MAX_FINDS && urb_stream_receive_head (in, &kind, &n_bytes, NULL))
    {
      UrbMapFind *find
        = kind == URB_MESSAGE_OBJECT ? urb_map_find_receive (in, n_bytes, n_layers, n, NULL) : NULL;

      if (kind == URB_MESSAGE_ERROR)
        receive_problem (self, in, n_bytes);
      if (find == NULL)
        return;
      if (find->polygon >= 0)
        find->polygon
          = g_array_index (self->hits, UrbMapHit, self->hits->len - 1 - (guint) find->polygon).polygon;
      g_ptr_array_add (self->finds, find);
    }
}

/* Tests wait longer: they check what is found, on however busy a machine. */
static gint64
get_limit_us (void)
{
  const char *text = g_getenv ("URBARIUM_IDENTIFY_S");

  return (text != NULL ? g_ascii_strtoll (text, NULL, 10) : DEFAULT_LIMIT_S) * G_TIME_SPAN_SECOND;
}

static void
ask (Search *self, const char *const *paths, GCancellable *cancellable)
{
  const UrbMapOptions options = { .address = self->address };
  g_autoptr(UrbReaderProcess) process = urb_reader_process_new (paths, &options, cancellable, NULL);
  g_autoptr(UrbMap) around = urb_map_around_hits (self->map, self->hits);
  UrbStreamOut *out;

  if (process == NULL)
    return;
  out = urb_reader_process_get_out (process);
  urb_reader_process_set_time_limit (process, get_limit_us ());
  urb_stream_put_double (out, self->x);
  urb_stream_put_double (out, self->y);
  urb_stream_send (out, URB_MESSAGE_IDENTIFY);
  urb_map_send (around, out);
  receive_finds (self, urb_reader_process_get_in (process), around);
}

/* -------- Matching -------- */

/* The most similar hit and find among those left; FALSE: none. */
static gboolean
find_pair (GArray *hits, GPtrArray *finds, UrbMapFind **matches, guint *hit, guint *find)
{
  double least = INFINITY;

  for (guint h = 0; h < hits->len; h++)
    for (guint f = 0; f < finds->len && matches[h] == NULL; f++)
      {
        const UrbMapHit *one = &g_array_index (hits, UrbMapHit, h);
        const UrbMapFind *other = g_ptr_array_index (finds, f);
        const UrbBox *a = &one->box, *b = &other->box;
        double d = other->polygon == one->polygon
                     ? -1
                     : fabs (a->min_x - b->min_x) + fabs (a->min_y - b->min_y)
                         + fabs (a->max_x - b->max_x) + fabs (a->max_y - b->max_y);

        if (one->layer == other->layer && (other->polygon < 0 || d < 0) && d < least)
          {
            least = d;
            *hit = h;
            *find = f;
          }
      }
  return least < INFINITY;
}

static UrbMapObject *
object_new (UrbMap *map, guint layer_index, UrbClass class_, double area_m2, UrbMapFind *find)
{
  const UrbMapLayer *layer = g_ptr_array_index (urb_map_get_layers (map), layer_index);
  UrbMapObject *self = g_new0 (UrbMapObject, 1);

  self->layer = g_strdup (layer->name);
  self->source = g_strdup (layer->source);
  self->class_ = class_;
  self->area_m2 = area_m2;
  self->is_read = find != NULL;
  self->attributes = find != NULL ? g_ptr_array_ref (find->attributes)
                                  : g_ptr_array_new_with_free_func (attribute_free);
  return self;
}

static int
compare_finds (gconstpointer a, gconstpointer b)
{
  const UrbMapFind *p = *(UrbMapFind *const *) a, *q = *(UrbMapFind *const *) b;

  return p->area_m2 < q->area_m2 ? -1 : p->area_m2 > q->area_m2;
}

static GPtrArray *
make_objects (const Search *self)
{
  UrbMap *map = self->map;
  GArray *hits = self->hits;
  GPtrArray *finds = self->finds;
  GPtrArray *objects = g_ptr_array_new_with_free_func ((GDestroyNotify) urb_map_object_free);
  UrbMapFind *matches[URB_MAP_MAX_IDENTIFIED] = { NULL };
  g_autoptr(GPtrArray) matched
    = g_ptr_array_new_with_free_func ((GDestroyNotify) urb_map_find_free);
  guint h, f;

  while (find_pair (hits, finds, matches, &h, &f))
    {
      matches[h] = g_ptr_array_steal_index (finds, f);
      g_ptr_array_add (matched, matches[h]);
    }
  for (h = 0; h < hits->len; h++)
    {
      const UrbMapHit *hit = &g_array_index (hits, UrbMapHit, h);
      UrbMapObject *object
        = object_new (map, hit->layer, (UrbClass) urb_map_get_polygon (map, hit->polygon)->class_,
                      urb_map_compute_area_m2 (map, hit->polygon), matches[h]);

      object->problem = object->is_read ? NULL : g_strdup (self->problem);
      g_ptr_array_add (objects, object);
    }
  g_ptr_array_sort (finds, compare_finds);
  for (f = 0; f < finds->len && objects->len < URB_MAP_MAX_IDENTIFIED; f++)
    {
      UrbMapFind *find = g_ptr_array_index (finds, f);

      if (find->is_area)
        g_ptr_array_add (objects, object_new (map, find->layer, URB_CLASS_IGNORE,
                                              find->area_m2, find));
    }
  return objects;
}

GPtrArray *
urb_map_identify (UrbMap *map, const char *const *paths, const char *address, double x, double y,
                  GCancellable *cancellable, GError **error)
{
  g_auto(Search) search = { .map = map, .address = address, .x = x, .y = y };

  g_return_val_if_fail (map != NULL && paths != NULL, NULL);

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  search.finds = g_ptr_array_new_with_free_func ((GDestroyNotify) urb_map_find_free);
  search.hits = urb_map_find_hits (map, x, y);
  if (paths[0] != NULL && isfinite (x) && isfinite (y) && (address == NULL || search.hits->len > 0))
    ask (&search, paths, cancellable);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  return make_objects (&search);
}
