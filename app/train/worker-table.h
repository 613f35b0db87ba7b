/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker-table.h - the training processes: their activity and last message.
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_WORKER_TABLE (urbarium_worker_table_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumWorkerTable, urbarium_worker_table, URBARIUM, WORKER_TABLE, AdwBin)

/* @workers: (nullable): of UrbariumRunWorker */
void urbarium_worker_table_set_workers (UrbariumWorkerTable *self, GListModel *workers);

G_END_DECLS
