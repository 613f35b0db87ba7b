/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.c - see output.h.
 */
#include "cli/output.h"

#include <stdio.h>

#include "base/atomic-file.h"
#include "base/free-path.h"

void
urb_cli_output_add_options (UrbCliOutput *self, GOptionContext *options, const char *what, const char *arg)
{
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &self->path, what, arg },
    { "force", 0, 0, G_OPTION_ARG_NONE, &self->force, "Replace an existing file", NULL },
    G_OPTION_ENTRY_NULL
  };

  g_option_context_add_main_entries (options, entries, NULL);
}

gboolean
urb_cli_output_check (const UrbCliOutput *self, GError **error)
{
  return self->force
         || urb_free_path_check (self->path, "; choose another name with --output, or replace it with --force", error);
}

gboolean
urb_cli_output_write (const UrbCliOutput *self, const void *data, gsize n_bytes, GError **error)
{
  if (!urb_atomic_file_set_contents (self->path, data, n_bytes, error))
    return FALSE;
  printf ("%s\n", self->path);
  return TRUE;
}

void
urb_cli_output_clear (UrbCliOutput *self)
{
  g_clear_pointer (&self->path, g_free);
}
