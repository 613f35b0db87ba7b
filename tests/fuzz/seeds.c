/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seeds.c - adds valid inputs of a fuzz target.
 */
#include <glib/gstdio.h>
#include <sqlite3.h>

#include "fuzz.h"

void
fuzz_add_input (GPtrArray *inputs, gconstpointer data, gsize size)
{
  g_ptr_array_add (inputs, g_bytes_new (data, size));
}

void
fuzz_add_file (GPtrArray *inputs, const char *path)
{
  g_autofree char *data = NULL;
  gsize size;
  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  fuzz_add_input (inputs, data, size);
  g_unlink (path);
}

void
fuzz_add_database (GPtrArray *inputs, const char *path)
{
  sqlite3 *db = NULL;
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  /* In WAL mode the page size cannot be changed. */
  g_assert_cmpint (sqlite3_exec (db, "PRAGMA journal_mode=DELETE; PRAGMA page_size=512; VACUUM",
                                 NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
  fuzz_add_file (inputs, path);
}
