/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.h - the file that a command about a run writes: --output and --force.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  char    *path; /* owned; NULL: not given */
  gboolean force;
} UrbCliOutput;

/* @what: for help: "The page (…)"
 * @arg: "FILE.html" */
void     urb_cli_output_add_options (UrbCliOutput *self, GOptionContext *options, const char *what, const char *arg);
/* Whether the file may be written: does not exist, is empty, or --force was given. */
gboolean urb_cli_output_check       (const UrbCliOutput *self, GError **error);
/* Writes the file, and prints its name. */
gboolean urb_cli_output_write       (const UrbCliOutput *self, const void *data, gsize n_bytes, GError **error);
void     urb_cli_output_clear       (UrbCliOutput *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbCliOutput, urb_cli_output_clear)

G_END_DECLS
