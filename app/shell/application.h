/* SPDX-License-Identifier: Apache-2.0 */
/* application.h - the GApplication: a single instance with one window, and the app actions. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_APPLICATION (urbarium_application_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumApplication, urbarium_application, URBARIUM, APPLICATION,
                      AdwApplication)

/* Sets up the locale and translations.  Call it first in main(). */
void                 urbarium_application_prepare (const char *program);
UrbariumApplication *urbarium_application_new     (void);

G_END_DECLS
