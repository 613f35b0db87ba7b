/* SPDX-License-Identifier: Apache-2.0 */
/* tensorboard-view.h - shows a run in TensorBoard, a program that the user has installed, in the browser. */
#pragma once

#include <gtk/gtk.h>

#include "app/runs/run.h"

G_BEGIN_DECLS

/* Starts TensorBoard, or shows that which it has started for the run; it ends
 * when @run is freed, as when it is deleted, and when this program ends, however that happens. */
void urbarium_tensorboard_view_open (GtkWidget *where, UrbariumRun *run);

G_END_DECLS
