/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-fixture.h - small made-up maps, and a document that opens them.
 */
#pragma once

#include "app-test.h"
#include "app/map/map-document.h"

G_BEGIN_DECLS

typedef struct
{
  UrbariumUndo        *undo;     /* owned */
  UrbariumMapDocument *document; /* owned */
} MapFixture;

/* For g_test_add(). */
void map_fixture_set_up    (MapFixture *self, gconstpointer data);
void map_fixture_tear_down (MapFixture *self, gconstpointer data);

/* Writes the layer @name: a row of objects, @y_m above the first, with @values of the attribute
 * "class": squares of 100 m²; after a '~' lines, after a '*' points; "" has no attribute.
 * Returns: (transfer full): the path of NAME.geojson */
char *map_fixture_write (const char *name, int y_m, const char *const *values);
/* Until it is read.  Fails the test if it cannot be. */
void  map_fixture_open  (MapFixture *self, const char *const *paths);
/* Until what was just chosen by hand is read. */
void  map_fixture_reread (MapFixture *self);

/* Until all rows are there that are made when there is time, and drawn. */
void  map_fixture_settle (GtkWindow *window);

/* All descendants of @type that are mapped, as they stand. (transfer full) */
GPtrArray  *map_fixture_list (GtkWidget *root, GType type);
/* A title without its break marks. (transfer full) */
char       *map_fixture_unbreak (const char *text);
/* Clicks the toggle button within a class button, and the item of @title. */
void        map_fixture_choose (GtkWidget *class_button, const char *title);

G_END_DECLS
