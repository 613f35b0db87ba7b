/* SPDX-License-Identifier: Apache-2.0 */
/*
 * surface-cache.h - an LRU cache of PNG images, decoded in threads.
 */
#pragma once

#include <cairo.h>
#include <gio/gio.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_SURFACE_CACHE (urbarium_surface_cache_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumSurfaceCache, urbarium_surface_cache, URBARIUM, SURFACE_CACHE,
                      GObject)

/* @n_bytes: limit of the cache, not counting surfaces that callers hold */
UrbariumSurfaceCache *urbarium_surface_cache_new (gsize n_bytes);

/* @version: of the file's content
 * Returns: (transfer full) (nullable): NULL if it is not cached */
cairo_surface_t *urbarium_surface_cache_lookup (UrbariumSurfaceCache *self, const char *path,
                                                gint64 version);

/* Reads a PNG in a thread. */
void             urbarium_surface_cache_load_async  (UrbariumSurfaceCache *self, const char *path,
                                                     gint64 version, GCancellable *cancellable,
                                                     GAsyncReadyCallback callback,
                                                     gpointer user_data);
/* Returns: (transfer full) */
cairo_surface_t *urbarium_surface_cache_load_finish (UrbariumSurfaceCache *self,
                                                     GAsyncResult *result, GError **error);
gsize            urbarium_surface_cache_get_size    (UrbariumSurfaceCache *self); /* bytes */

G_END_DECLS
