/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-process.h - runs `urbarium-engine draw` as a child: sends lines, receives lines and levels,
 * on the main loop and without blocking.
 */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_CITY_PROCESS (urbarium_city_process_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCityProcess, urbarium_city_process, URBARIUM, CITY_PROCESS, GObject)

/* Callbacks of the owner; none is called after urbarium_city_process_end(). */
typedef struct
{
  void (*replied) (gpointer owner, gint64 id, JsonObject *reply);
  /* The next @count cities of request @id. */
  void (*cities)  (gpointer owner, gint64 id, gint64 count, GBytes *levels);
  /* Of a request that takes long: from 0 to 1. */
  void (*progress) (gpointer owner, gint64 id, double fraction);
  /* What stays, of a request for proposals: polygons (see city/given.h). */
  void (*given)   (gpointer owner, gint64 id, JsonArray *polygons);
  void (*died)    (gpointer owner, const GError *error);
} UrbariumCityProcessFuncs;

/* Returns: (transfer full): NULL with an error if the child could not be started */
UrbariumCityProcess *urbarium_city_process_new (const UrbariumCityProcessFuncs *funcs,
                                                gpointer owner, GError **error);
/* @line: with its newline.  A failed write is reported by died(). */
void        urbarium_city_process_send    (UrbariumCityProcess *self, const char *line);
/* Kills the child. */
void        urbarium_city_process_end     (UrbariumCityProcess *self);
/* Process id as text. */
const char *urbarium_city_process_get_pid (UrbariumCityProcess *self);

G_END_DECLS
