/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notifier.h - tells, outside the window, that a run has finished, has failed or was lost.
 */
#pragma once

#include <gio/gio.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_NOTIFIER (urbarium_notifier_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumNotifier, urbarium_notifier, URBARIUM, NOTIFIER, GObject)

/* @application: borrowed; it has the action app.show-run (s).
 *
 * Property: quiet (boolean): the window is active, so that there is nothing to tell. */
UrbariumNotifier *urbarium_notifier_new (GApplication *application, UrbariumRunLibrary *library);

G_END_DECLS
