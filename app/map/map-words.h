/* SPDX-License-Identifier: Apache-2.0 */
/* map-words.h - adapts the engine's messages about a map to the window. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Removes folders from file names, and replaces advice on command-line options by advice on the
 * window.  @paths: (array zero-terminated=1) (nullable).  Returns: (transfer full) */
char *urbarium_map_words_make_plain (const char *text, const char *const *paths);

/* What a user typed for a coordinate system; a bare number is an EPSG code.  Returns: (transfer full) */
char *urbarium_map_words_make_crs (const char *text);

/* Allows line breaks after . _ - and / in names such as "befestigt.uebrige_befestigte.Parkplatz".
 * Returns: (transfer full) */
char *urbarium_map_words_make_breakable (const char *name);

G_END_DECLS
