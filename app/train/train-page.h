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

/* Once, before it is shown.  A reference is kept.
 *
 * Property "session" (string, read-write, with notify): the settings and what is in view, as text
 * to keep and to set at the next start.
 * Property "show-panel" (boolean, read-write, with notify): the list of runs is seen.
 *
 * Signal "show-cities" (UrbariumRun): of this run, on the Cities page. */
void urbarium_train_page_set_library (UrbariumTrainPage *self, UrbariumRunLibrary *library);
/* Offers @path, a dataset, in the settings of the next run. */
void urbarium_train_page_set_dataset (UrbariumTrainPage *self, const char *path);
/* Selects a run. */
void urbarium_train_page_show_run (UrbariumTrainPage *self, UrbariumRun *run);

G_END_DECLS
