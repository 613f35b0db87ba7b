/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-words.h - what the engine says of a map, for people in front of a window.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Names of files without the folder they all are in, and remedies of the window instead of those
 * of the command line. @paths: (array zero-terminated=1) (nullable). Returns: (transfer full) */
char *urbarium_map_words_make_plain (const char *text, const char *const *paths);

/* Names such as "befestigt.uebrige_befestigte.Parkplatz" break at their joints.
 * Returns: (transfer full) */
char *urbarium_map_words_make_breakable (const char *name);

G_END_DECLS
