/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-error.h - an engine's error in the words of the window.
 *
 * The engine writes for a terminal: its remedies are options of a command.  What went wrong it says
 * as a domain and a code too; from those come the sentences here, whose remedies are what the
 * window offers.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Where the person is who reads it, and so what can be done about it there. */
typedef enum
{
  URBARIUM_RUN_ERROR_SETTINGS, /* of a new run, which can still be changed */
  URBARIUM_RUN_ERROR_RUN       /* a run that is there: its settings stand */
} UrbariumRunErrorPlace;

/* Returns: (transfer full): of the same domain and code; of one that nothing is known of, with the
 * engine's text */
GError *urbarium_run_error_translate (const GError *error, UrbariumRunErrorPlace place);

G_END_DECLS
