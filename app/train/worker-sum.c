/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/worker-sum.h"

#include <math.h>
#include <unistd.h>

void
urbarium_worker_sum_add (UrbariumWorkerSum *self, UrbariumRun *run)
{
  GListModel *workers = urbarium_run_get_workers (run);
  guint n = g_list_model_get_n_items (workers);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr(UrbariumRunWorker) worker = g_list_model_get_item (workers, i);
      double cores_busy;
      gint64 memory_bytes;
      gboolean alive;
      g_object_get (worker, "cores-busy", &cores_busy, "memory-bytes", &memory_bytes, "alive", &alive, NULL);
      self->cores_busy += cores_busy;
      self->memory_bytes += memory_bytes;
      self->n_alive += alive && memory_bytes > 0;
    }
}

double
urbarium_worker_sum_get_load (const UrbariumWorkerSum *self)
{
  return self->cores_busy / (double) g_get_num_processors ();
}

double
urbarium_worker_sum_get_memory (const UrbariumWorkerSum *self)
{
  double memory = (double) sysconf (_SC_PHYS_PAGES) * (double) sysconf (_SC_PAGESIZE);
  return memory > 0 ? (double) self->memory_bytes / memory : NAN;
}
