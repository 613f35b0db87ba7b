/* SPDX-License-Identifier: Apache-2.0 */
/* notifier.h - desktop notifications for runs that finished, failed or were interrupted. */
#pragma once

#include <gio/gio.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_NOTIFIER (urbarium_notifier_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumNotifier, urbarium_notifier, URBARIUM, NOTIFIER, GObject)

/* @application: borrowed; must have the action app.show-run (s).
 *
 * Property: quiet (boolean): suppress notifications while the window is active.
 * Signal: ended (UrbariumRun): a run that was active has finished, was stopped, or has failed; also while quiet. */
UrbariumNotifier *urbarium_notifier_new (GApplication *application, UrbariumRunLibrary *library);

G_END_DECLS
