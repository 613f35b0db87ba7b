/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-process.h - `urbarium-engine draw` as a child: lines to it, lines and
 * levels from it, all on the main loop and never waiting.
 */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_CITY_PROCESS (urbarium_city_process_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCityProcess, urbarium_city_process, URBARIUM, CITY_PROCESS, GObject)

/* Who owns the process hears of it; nothing after urbarium_city_process_end(). */
typedef struct
{
  void (*replied) (gpointer owner, gint64 id, JsonObject *reply);
  /* Some cities of request @id: @count of them, the next ones. */
  void (*cities)  (gpointer owner, gint64 id, gint64 count, GBytes *levels);
  void (*died)    (gpointer owner, const GError *error);
} UrbariumCityProcessFuncs;

/* Returns: (transfer full): or NULL if it could not be started */
UrbariumCityProcess *urbarium_city_process_new (const UrbariumCityProcessFuncs *funcs,
                                                gpointer owner, GError **error);
/* @line: with its newline.  What cannot be sent is heard of as a death. */
void        urbarium_city_process_send    (UrbariumCityProcess *self, const char *line);
/* Ends the child at once. */
void        urbarium_city_process_end     (UrbariumCityProcess *self);
/* Its process id, as text. */
const char *urbarium_city_process_get_pid (UrbariumCityProcess *self);

G_END_DECLS
