/* SPDX-License-Identifier: Apache-2.0 */
/*
 * window.h - the window: four pages in the order of the work.
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_WINDOW (urbarium_window_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumWindow, urbarium_window, URBARIUM, WINDOW, AdwApplicationWindow)

UrbariumWindow *urbarium_window_new (AdwApplication *application);

/* On the Train page; adds it to the library if it is not there. */
void urbarium_window_show_run (UrbariumWindow *self, const char *folder);
/* Opens what the files are: a map, a dataset, a run, its weights; and shows the page of it. */
void urbarium_window_open (UrbariumWindow *self, GFile **files, int n_files);

G_END_DECLS
