/* SPDX-License-Identifier: Apache-2.0 */
/*
 * train-page.h - the page "Train".
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_TRAIN_PAGE (urbarium_train_page_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumTrainPage, urbarium_train_page, URBARIUM, TRAIN_PAGE, AdwBin)

/* Properties: session (string, read-write, with notify: the settings and the run in view, to restore
 * at the next start), show-panel (boolean, read-write, with notify: the list of runs is visible).
 *
 * Signals: "show-cities" (UrbariumRun): show its cities on the Cities page; "show-city" (UrbariumRun, int64
 * step, int64 seed, int64 index): the city of a sample grid. */

/* Call once, before the page is shown.  Keeps a reference. */
void urbarium_train_page_set_library (UrbariumTrainPage *self, UrbariumRunLibrary *library);
/* Sets the dataset in the settings of the next run. */
void urbarium_train_page_set_dataset (UrbariumTrainPage *self, const char *path);
/* Selects a run. */
void urbarium_train_page_show_run (UrbariumTrainPage *self, UrbariumRun *run);

G_END_DECLS
