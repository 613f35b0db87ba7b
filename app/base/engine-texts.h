/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine-texts.h - sentences of the engine in the user's language.
 *
 * The engine is English: what it says is also kept in files, sent by other processes, and read by people at a terminal.  A
 * sentence whose format it marks by N_ () is translated where the window shows it.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* @text: an error or a note
 * Returns: (transfer full) (nullable): NULL if its format is not known, or English is the user's language */
char *urbarium_engine_texts_translate (const char *text);

/* The same for the message of @error, which stays as it is otherwise.  @error: (nullable) */
void  urbarium_engine_texts_translate_error (GError *error);

G_END_DECLS
