/* SPDX-License-Identifier: Apache-2.0 */
/* map-fixture.h - small artificial maps, and a document that opens them. */
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

/* The same with the panel that shows the map, in a window of its own. */
typedef struct
{
  MapFixture map;
  GtkWidget *panel; /* borrowed */
  GtkWindow *window;
} MapPanelFixture;

void map_panel_fixture_set_up    (MapPanelFixture *self, gconstpointer data);
void map_panel_fixture_tear_down (MapPanelFixture *self, gconstpointer data);

/* Writes the layer @name: a row of objects, @y_m above the first, with @values of the attribute
 * "class": squares of 100 m²; after a '~' lines, after a '*' points; "" has no attribute. Returns:
 * (transfer full): the path of NAME.geojson */
char *map_fixture_write (const char *name, int y_m, const char *const *values);
/* Waits until the map is read; fails the test if it cannot be read. */
void  map_fixture_open  (MapFixture *self, const char *const *paths);
/* Waits until the map is read again with the classes chosen by hand. */
void  map_fixture_reread (MapFixture *self);

/* Waits until all deferred rows are created and drawn. */
void  map_fixture_settle (GtkWindow *window);

/* All mapped descendants of @type, in order. (transfer full) */
GPtrArray  *map_fixture_list (GtkWidget *root, GType type);
/* A title without zero-width spaces. (transfer full) */
char       *map_fixture_unbreak (const char *text);
/* Clicks the toggle button of a class button, and the item @title. */
void        map_fixture_choose (GtkWidget *class_button, const char *title);

G_END_DECLS
