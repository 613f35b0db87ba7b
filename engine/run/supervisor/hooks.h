/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks.h - calls a run's hook at its events, one after the other: a command, or an address to post to.
 *
 * Nothing here waits, except urb_hooks_finish().  A call that fails or takes too long is repeated a bounded
 * number of times; events wait in a queue of bounded length.  What calls print is in hooks.log in the
 * run's folder.
 */
#pragma once

#include "run/store/folder.h"
#include "settings/hook.h"

G_BEGIN_DECLS

typedef struct _UrbHooks UrbHooks;

/* Told when calls begin to fail, and when they succeed again.  @level: "warning" or "info" */
typedef void (*UrbHooksFunc) (const char *level, const char *text, gpointer user_data);

/**
 * urb_hooks_new:
 * @folder: borrowed; outlives it
 * @config: with a hook
 * @retry_ms: the time before a second try; it doubles for the third
 *
 * Returns: %NULL with an error if the log cannot be written, or if there is an address and no program that
 *   can post to it
 */
UrbHooks *urb_hooks_new  (UrbRunFolder *folder, const UrbRunConfig *config, int retry_ms, UrbHooksFunc func,
                          gpointer user_data, GError **error);
/* Drops all calls; kills the one that is under way. */
void      urb_hooks_free (UrbHooks *self);

/* Whether urb_hooks_call() does anything. */
gboolean  urb_hooks_want (UrbHooks *self, UrbHookEvent event);
/**
 * urb_hooks_call:
 * @step: of the event
 * @file: (nullable): of the event, relative to the run's folder
 * @json: the text of an object
 */
void      urb_hooks_call (UrbHooks *self, UrbHookEvent event, gint64 step, const char *file, const char *json);
/* Waits for the calls that are due, at most twice the time that one may take. */
void      urb_hooks_finish (UrbHooks *self);

G_END_DECLS
