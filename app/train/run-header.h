/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-header.h - a run's name, state and actions.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_RUN_HEADER (urbarium_run_header_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRunHeader, urbarium_run_header, URBARIUM, RUN_HEADER, AdwBin)

/* Actions: run.pause, run.resume, run.stop, run.checkpoint, run.sample, run.extend, run.rename, run.note,
 * run.delete; actions that do not apply are disabled. */

/* @library: (nullable): the library of @run */
void urbarium_run_header_set_run (UrbariumRunHeader *self, UrbariumRun *run,
                                  UrbariumRunLibrary *library);

G_END_DECLS
