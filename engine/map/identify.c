/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identify.c - finds the objects at a point of the map.
 *
 * GDAL opens some formats by reading them completely, which cannot be interrupted.
 * So a separate thread reads; the caller waits for a limited time, and the thread
 * then ends by itself at the next object.
 */
#include "map/identify-private.h"

#include <math.h>

#include "map/ogr-private.h"

#define TIMEOUT_US (8 * G_TIME_SPAN_SECOND)

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

gboolean
urb_map_polygon_contains (UrbMap *map, gint64 index, double x, double y)
{
  const UrbMapPolygon *polygon = urb_map_get_polygon (map, index);
  gboolean inside = FALSE;

  for (guint32 r = 0; r < polygon->n_rings; r++)
    {
      gint64 n;
      const double *xy = urb_map_get_ring (map, polygon->first_ring + r, &n);

      if (urb_map_ring_contains (xy, n, x, y))
        inside = !inside;
    }
  return inside;
}

static GArray *
find_hits (UrbMap *map, double x, double y)
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

/* -------- Waiting -------- */

static UrbMapQuestion *
question_new (UrbMap *map, const char *const *paths, double x, double y)
{
  UrbMapQuestion *self = g_new0 (UrbMapQuestion, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->map = urb_map_ref (map);
  self->paths = g_strdupv ((char **) paths);
  self->x = x;
  self->y = y;
  self->hits = find_hits (map, x, y);
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
  self->finds = g_ptr_array_new_with_free_func ((GDestroyNotify) urb_map_find_free);
  return self;
}

static void
question_unref (gpointer data)
{
  UrbMapQuestion *self = data;

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  urb_map_unref (self->map);
  g_strfreev (self->paths);
  g_array_unref (self->hits);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
  g_ptr_array_unref (self->finds);
  g_free (self);
}

static gpointer
read_thread (gpointer data)
{
  UrbMapQuestion *self = data;

  urb_map_question_read (self);
  g_mutex_lock (&self->mutex);
  self->is_done = TRUE;
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->mutex);
  question_unref (self);
  return NULL;
}

static void
cancelled_cb (GCancellable *cancellable, gpointer data)
{
  UrbMapQuestion *self = data;

  g_atomic_int_set (&self->stop, TRUE);
  g_mutex_lock (&self->mutex);
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->mutex);
}

static void
ask (UrbMapQuestion *self, GCancellable *cancellable)
{
  gint64 end = g_get_monotonic_time () + TIMEOUT_US;
  gulong id = 0;

  g_atomic_ref_count_inc (&self->ref_count);
  g_thread_unref (g_thread_new ("identify", read_thread, self));
  if (cancellable != NULL)
    id = g_cancellable_connect (cancellable, G_CALLBACK (cancelled_cb), self, NULL);
  g_mutex_lock (&self->mutex);
  while (!self->is_done && !g_atomic_int_get (&self->stop)
         && g_cond_wait_until (&self->changed, &self->mutex, end))
    ;
  g_mutex_unlock (&self->mutex);
  g_atomic_int_set (&self->stop, TRUE);
  g_cancellable_disconnect (cancellable, id);
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
make_objects (UrbMapQuestion *question, GPtrArray *finds)
{
  GPtrArray *objects = g_ptr_array_new_with_free_func ((GDestroyNotify) urb_map_object_free);
  GArray *hits = question->hits;
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

      g_ptr_array_add (objects,
                       object_new (question->map, hit->layer,
                                   urb_map_get_polygon (question->map, hit->polygon)->class_,
                                   urb_map_compute_area_m2 (question->map, hit->polygon), matches[h]));
    }
  g_ptr_array_sort (finds, compare_finds);
  for (f = 0; f < finds->len && objects->len < URB_MAP_MAX_IDENTIFIED; f++)
    {
      UrbMapFind *find = g_ptr_array_index (finds, f);

      if (find->is_area)
        g_ptr_array_add (objects, object_new (question->map, find->layer, URB_CLASS_IGNORE,
                                              find->area_m2, find));
    }
  return objects;
}

GPtrArray *
urb_map_identify (UrbMap *map, const char *const *paths, double x, double y,
                  GCancellable *cancellable, GError **error)
{
  UrbMapQuestion *question;
  g_autoptr(GPtrArray) finds = NULL;
  GPtrArray *objects = NULL;

  g_return_val_if_fail (map != NULL && paths != NULL, NULL);

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  question = question_new (map, paths, x, y);
  if (paths[0] != NULL && isfinite (x) && isfinite (y))
    ask (question, cancellable);
  g_mutex_lock (&question->mutex);
  finds = question->finds;
  question->finds = g_ptr_array_new_with_free_func ((GDestroyNotify) urb_map_find_free);
  g_mutex_unlock (&question->mutex);
  if (!g_cancellable_set_error_if_cancelled (cancellable, error))
    objects = make_objects (question, finds);
  question_unref (question);
  return objects;
}
