/* SPDX-License-Identifier: Apache-2.0 */
/*
 * processor-load.h - what a run's processes do on the processor of this machine: cores and memory that they
 * use, now and as a curve.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/runs/run.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_PROCESSOR_LOAD (urbarium_processor_load_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumProcessorLoad, urbarium_processor_load, URBARIUM, PROCESSOR_LOAD, GtkBox)

/* @run: (nullable); the widget is hidden while it has no process */
void urbarium_processor_load_set_run (UrbariumProcessorLoad *self, UrbariumRun *run);

G_END_DECLS
