/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/surface-cache.h"

#include <glib/gi18n.h>

typedef struct
{
  char            *path;    /* owned */
  gint64           version;
  cairo_surface_t *surface; /* (nullable) owned */
} Image;

struct _UrbariumSurfaceCache
{
  GObject parent_instance;
  GQueue  images; /* (element-type Image) owned; most recently used first */
  gsize   size, limit;
};

G_DEFINE_FINAL_TYPE (UrbariumSurfaceCache, urbarium_surface_cache, G_TYPE_OBJECT)

static void
image_free (gpointer data)
{
  Image *self = data;
  g_free (self->path);
  g_clear_pointer (&self->surface, cairo_surface_destroy);
  g_free (self);
}

static gsize
get_n_bytes (cairo_surface_t *surface)
{
  return (gsize) cairo_image_surface_get_stride (surface)
         * (gsize) cairo_image_surface_get_height (surface);
}

cairo_surface_t *
urbarium_surface_cache_lookup (UrbariumSurfaceCache *self, const char *path, gint64 version)
{
  for (GList *link = self->images.head; link != NULL; link = link->next)
    {
      Image *image = link->data;
      if (image->version != version || !g_str_equal (image->path, path))
        continue;
      g_queue_unlink (&self->images, link);
      g_queue_push_head_link (&self->images, link);
      return cairo_surface_reference (image->surface);
    }
  return NULL;
}

static void
load_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Image *image = data;
  cairo_status_t status;
  if (g_task_return_error_if_cancelled (task))
    return;
  image->surface = cairo_image_surface_create_from_png (image->path);
  status = cairo_surface_status (image->surface);
  if (status == CAIRO_STATUS_SUCCESS)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_FAILED,
                             _ ("The image “%s” cannot be read: %s."), image->path,
                             cairo_status_to_string (status));
}

void
urbarium_surface_cache_load_async (UrbariumSurfaceCache *self, const char *path, gint64 version,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new (self, cancellable, callback, user_data);
  Image *image = g_new0 (Image, 1);
  image->path = g_strdup (path);
  image->version = version;
  g_task_set_task_data (task, image, image_free);
  g_task_run_in_thread (task, load_thread);
}

cairo_surface_t *
urbarium_surface_cache_load_finish (UrbariumSurfaceCache *self, GAsyncResult *result,
                                    GError **error)
{
  const Image *loaded = g_task_get_task_data (G_TASK (result));
  cairo_surface_t *known;
  Image *image;
  if (!g_task_propagate_boolean (G_TASK (result), error))
    return NULL;
  known = urbarium_surface_cache_lookup (self, loaded->path, loaded->version);
  if (known != NULL)
    return known; /* it was requested twice */
  image = g_new0 (Image, 1);
  image->path = g_strdup (loaded->path);
  image->version = loaded->version;
  image->surface = cairo_surface_reference (loaded->surface);
  self->size += get_n_bytes (image->surface);
  g_queue_push_head (&self->images, image);
  while (self->size > self->limit && self->images.length > 1)
    {
      Image *oldest = g_queue_pop_tail (&self->images);
      self->size -= get_n_bytes (oldest->surface);
      image_free (oldest);
    }
  return cairo_surface_reference (loaded->surface);
}

gsize
urbarium_surface_cache_get_size (UrbariumSurfaceCache *self)
{
  return self->size;
}

static void
finalize (GObject *object)
{
  UrbariumSurfaceCache *self = URBARIUM_SURFACE_CACHE (object);
  g_queue_clear_full (&self->images, image_free);
  G_OBJECT_CLASS (urbarium_surface_cache_parent_class)->finalize (object);
}

static void
urbarium_surface_cache_class_init (UrbariumSurfaceCacheClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
urbarium_surface_cache_init (UrbariumSurfaceCache *self)
{
  g_queue_init (&self->images);
}

UrbariumSurfaceCache *
urbarium_surface_cache_new (gsize n_bytes)
{
  UrbariumSurfaceCache *self = g_object_new (URBARIUM_TYPE_SURFACE_CACHE, NULL);
  self->limit = n_bytes;
  return self;
}
