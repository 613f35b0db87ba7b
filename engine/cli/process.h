/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - what a program of this folder does before all else.
 */
#pragma once

#include <glib.h>

/* Threads that spin no longer than they should, the user's language, and numbers with a point.
 * Starts this program once more with the same @argv where that is needed, if it @computes itself. */
void urb_cli_prepare_process (char **argv, gboolean computes);
