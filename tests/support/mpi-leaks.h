/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpi-leaks.h - for tests whose children use MPI.
 */
#pragma once

#include <glib.h>

/* Turns the search for leaks off in children of this process.  Open MPI's plugins are unloaded at the end, so no
 * suppression can name what they leak. */
static inline void
allow_mpi_leaks (void)
{
  const char *options = g_getenv ("ASAN_OPTIONS");
  g_autofree char *all = g_strconcat (options != NULL ? options : "", ":detect_leaks=0", NULL);

  g_setenv ("ASAN_OPTIONS", all, TRUE);
}
