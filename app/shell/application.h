/* SPDX-License-Identifier: Apache-2.0 */
/*
 * application.h - the program: one instance, one window, its actions.
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_APPLICATION (urbarium_application_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumApplication, urbarium_application, URBARIUM, APPLICATION,
                      AdwApplication)

/* Locale and translations; first thing in main(). */
void                 urbarium_application_prepare (const char *program);
UrbariumApplication *urbarium_application_new     (void);

G_END_DECLS
