/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook-call.h - one call of a hook: a process that gets a text, for a limited time.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _UrbHookCall UrbHookCall;

enum { URB_HOOK_MAX_OUTPUT_BYTES = 256 * 1024 };

typedef struct
{
  const char *const *argv;        /* borrowed, as all of them; the program is found by $PATH */
  const char *const *environment;
  const char        *input;
  const char        *folder;      /* to work in; if it is missing, "/" */
  int                timeout_ms;
} UrbHookCallSpec;

/* @how: (nullable): NULL: with exit code 0; else "exited with code 1"
 * @output: what it printed, at most %URB_HOOK_MAX_OUTPUT_BYTES.  The call may be freed here. */
typedef void (*UrbHookCallFunc) (const char *how, const GString *output, gpointer user_data);

/* @func: called once, from the main loop.  Returns: (transfer full): %NULL if there is no such program */
UrbHookCall *urb_hook_call_new  (const UrbHookCallSpec *spec, UrbHookCallFunc func, gpointer user_data,
                                 GError **error);
/* Kills it, and what it has started, if it still runs. */
void         urb_hook_call_free (UrbHookCall *self);

G_END_DECLS
