/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu-rows.h - one line per GPU of a run: memory, utilization, power and temperature, and a curve of the
 * last minutes.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_GPU_ROWS (urbarium_gpu_rows_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumGpuRows, urbarium_gpu_rows, URBARIUM, GPU_ROWS, GtkBox)

/* @gpus: (nullable): of UrbariumRunGpu; the widget is hidden without any */
void urbarium_gpu_rows_set_gpus (UrbariumGpuRows *self, GListModel *gpus);

G_END_DECLS
