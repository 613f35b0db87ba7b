/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.h - the figures of a run as a table of comma-separated values.
 */
#pragma once

#include "run/store/run-db.h"

G_BEGIN_DECLS

/* Takes a part of the table, which ends with a line. */
typedef gboolean (*UrbFiguresFunc) (const char *text, gsize n_bytes, gpointer user_data, GError **error);

/**
 * urb_figures_write:
 *
 * A line of names, then a line for each step by ascending steps: its metrics, and its scores if it was scored.
 * Numbers are those of run.db to the last bit; what is unknown or not finite is empty.  Blocks.
 *
 * Returns: %FALSE with the error of the database or of @func
 */
gboolean urb_figures_write (UrbRunDb *db, UrbFiguresFunc func, gpointer user_data, GError **error);

G_END_DECLS
