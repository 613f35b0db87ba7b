/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-filter.h - finds runs by words of their name, note and state, and by tags: words of the note that begin
 * with #.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * urbarium_run_filter_matches:
 * @words: what was typed, with spaces between
 * @note: (nullable)
 *
 * Whether every word is part of one of the texts, in any case.  A word that begins with # is a whole tag.
 */
gboolean urbarium_run_filter_matches (const char *words, const char *name, const char *note, const char *state);

G_END_DECLS
