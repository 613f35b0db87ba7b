/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/parcel.h"

/* Cairo strokes about this many edges in a millisecond. */
enum { MAX_OUTLINE = 5000 };

typedef struct
{
  UrbMap *map;   /* owned */
  char  **paths; /* owned */
  char   *address; /* (nullable) owned */
  double  x, y;
} Request;

static void
request_free (gpointer data)
{
  Request *self = data;
  urb_map_unref (self->map);
  g_strfreev (self->paths);
  g_free (self->address);
  g_free (self);
}

void
urbarium_parcel_free (UrbariumParcel *self)
{
  g_clear_pointer (&self->objects, g_ptr_array_unref);
  g_array_unref (self->outline);
  g_array_unref (self->ring_sizes);
  g_free (self);
}

/* By the even-odd rule over all rings. */
static gboolean
contains (UrbMap *map, const UrbMapPolygon *polygon, double x, double y)
{
  gboolean is_inside = FALSE;
  for (guint32 r = 0; r < polygon->n_rings; r++)
    {
      gint64 n;
      const double *xy = urb_map_get_ring (map, polygon->first_ring + r, &n);
      for (gint64 i = 0, j = n - 1; i < n; j = i++)
        {
          const double *a = xy + 2 * i, *b = xy + 2 * j;
          if ((a[1] > y) != (b[1] > y) && x < (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]) + a[0])
            is_inside = !is_inside;
        }
    }
  return is_inside;
}

static void
copy_outline (UrbariumParcel *self, UrbMap *map, const UrbMapPolygon *polygon)
{
  for (guint32 r = 0; r < polygon->n_rings; r++)
    {
      gint64 n;
      const double *xy = urb_map_get_ring (map, polygon->first_ring + r, &n);
      guint size = (guint) MIN (n, MAX_OUTLINE + 1);
      if (size + self->outline->len / 2 > MAX_OUTLINE)
        {
          g_array_set_size (self->outline, 0);
          g_array_set_size (self->ring_sizes, 0);
          return;
        }
      g_array_append_vals (self->outline, xy, 2 * size);
      g_array_append_val (self->ring_sizes, size);
    }
}

static void
find_outline (UrbariumParcel *self, UrbMap *map)
{
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (gint64));
  urb_map_query (map, (UrbBox) { self->x, self->y, self->x, self->y }, found);
  for (guint i = found->len; i > 0; i--)
    {
      const UrbMapPolygon *polygon
        = urb_map_get_polygon (map, g_array_index (found, gint64, i - 1));
      if (contains (map, polygon, self->x, self->y))
        {
          copy_outline (self, map, polygon);
          return;
        }
    }
}

static void
find_func (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Request *request = data;
  UrbariumParcel *self = g_new0 (UrbariumParcel, 1);
  GError *error = NULL;
  self->x = request->x;
  self->y = request->y;
  self->outline = g_array_new (FALSE, FALSE, sizeof (double));
  self->ring_sizes = g_array_new (FALSE, FALSE, sizeof (guint));
  find_outline (self, request->map);
  self->objects = urb_map_identify (request->map, (const char *const *) request->paths, request->address,
                                    self->x, self->y, cancellable, &error);
  if (self->objects != NULL)
    {
      g_task_return_pointer (task, self, (GDestroyNotify) urbarium_parcel_free);
      return;
    }
  urbarium_parcel_free (self);
  g_task_return_error (task, error);
}

void
urbarium_parcel_find_async (UrbMap *map, const char *const *paths, const char *address, double x,
                            double y, GCancellable *cancellable, GAsyncReadyCallback callback,
                            gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  Request *request = g_new (Request, 1);
  *request = (Request) { urb_map_ref (map), g_strdupv ((char **) paths), g_strdup (address), x, y };
  g_task_set_source_tag (task, urbarium_parcel_find_async);
  g_task_set_task_data (task, request, request_free);
  g_task_run_in_thread (task, find_func);
}

UrbariumParcel *
urbarium_parcel_find_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

char *
urbarium_parcel_make_text (const UrbariumParcel *self)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < self->objects->len; i++)
    {
      const UrbMapObject *object = self->objects->pdata[i];
      g_string_append_printf (text, "%s%s\n", i > 0 ? "\n" : "", object->layer);
      for (guint j = 0; j < object->attributes->len; j++)
        {
          const UrbMapAttribute *attribute = object->attributes->pdata[j];
          g_string_append_printf (text, "%s: %s\n", attribute->name, attribute->value);
        }
    }
  return g_string_free (text, FALSE);
}
