/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook.h - what calls a run's hook, and what a hook is.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum
{
  URB_HOOK_START,      /* the first worker of this supervisor is ready */
  URB_HOOK_SAMPLE,     /* a sample grid was drawn */
  URB_HOOK_CHECKPOINT, /* a checkpoint was saved */
  URB_HOOK_BEST,       /* a checkpoint has the best score so far */
  URB_HOOK_END,        /* the run has finished, or was stopped */
  URB_HOOK_FAILURE,    /* the run has failed or diverged */
  URB_N_HOOK_EVENTS
} UrbHookEvent;

extern const char *const urb_hook_event_names[];

/* @hook: (nullable); "" and "none" are none */
gboolean urb_hook_is_given (const char *hook);
/* Whether it is an address to post to, rather than a command. */
gboolean urb_hook_is_url   (const char *hook);

/**
 * urb_hook_parse_events:
 * @text: (nullable): names with commas between them; %NULL or "all": each
 * @events: (out): bits 1 << UrbHookEvent
 *
 * Returns: %FALSE with %URB_TRAIN_ERROR_OPTIONS if a name is unknown
 */
gboolean urb_hook_parse_events (const char *text, guint *events, GError **error);

G_END_DECLS
