/* SPDX-License-Identifier: Apache-2.0 */
/* window.h - the window: four pages, in the order of the workflow. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_WINDOW (urbarium_window_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumWindow, urbarium_window, URBARIUM, WINDOW, AdwApplicationWindow)

UrbariumWindow *urbarium_window_new (AdwApplication *application);

/* Shows the run on the Train page; adds it to the library if needed. */
void urbarium_window_show_run (UrbariumWindow *self, const char *folder);
/* Opens a map, dataset, run or checkpoint, and shows its page. */
void urbarium_window_open (UrbariumWindow *self, GFile **files, int n_files);

G_END_DECLS
