/* SPDX-License-Identifier: Apache-2.0 */
/*
 * processor-load.c - the curve grows with each heartbeat of rank 0: once a second.
 */
#include "app/train/processor-load.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/train/load-row.h"
#include "app/train/worker-sum.h"

struct _UrbariumProcessorLoad
{
  GtkBox           parent_instance;

  UrbariumRun     *run; /* (nullable) owned */
  UrbariumLoadRow *row; /* borrowed */
};

G_DEFINE_FINAL_TYPE (UrbariumProcessorLoad, urbarium_processor_load, GTK_TYPE_BOX)

static void
show_sum (UrbariumProcessorLoad *self, const UrbariumWorkerSum *sum)
{
  int n_cores = (int) g_get_num_processors ();
  g_autofree char *busy = urbarium_format_number (sum->cores_busy, 1);
  g_autofree char *bytes = urbarium_format_bytes (sum->memory_bytes);
  g_autofree char *text = g_strdup_printf (
    /* translators: a number of processor cores, with decimals; how many there are; an amount of memory */
    ngettext ("Processor · %s of %d core busy · %s", "Processor · %s of %d cores busy · %s", n_cores), busy, n_cores,
    bytes);
  urbarium_load_row_set_text (self->row, text);
  urbarium_load_row_add (self->row, urbarium_worker_sum_get_load (sum), urbarium_worker_sum_get_memory (sum));
}

/* A worker has sent a heartbeat, or has ended. */
static void
worker_changed_cb (UrbariumProcessorLoad *self, GParamSpec *pspec, UrbariumRunWorker *worker)
{
  UrbariumWorkerSum sum = { 0 };
  int rank;
  urbarium_worker_sum_add (&sum, self->run);
  g_object_get (worker, "rank", &rank, NULL);
  gtk_widget_set_visible (GTK_WIDGET (self), sum.n_alive > 0);
  if (sum.n_alive == 0)
    urbarium_load_row_clear (self->row);
  else if (rank == 0)
    show_sum (self, &sum);
}

static void
watch_workers_cb (UrbariumProcessorLoad *self, guint position, guint n_removed, guint n_added, GListModel *workers)
{
  for (guint i = position; i < position + n_added; i++)
    {
      g_autoptr(UrbariumRunWorker) worker = g_list_model_get_item (workers, i);
      g_signal_connect_object (worker, "notify::last-sign", G_CALLBACK (worker_changed_cb), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (worker, "notify::alive", G_CALLBACK (worker_changed_cb), self, G_CONNECT_SWAPPED);
    }
}

/* Of the run that is shown no more. */
static void
unwatch (UrbariumProcessorLoad *self)
{
  GListModel *workers = self->run != NULL ? urbarium_run_get_workers (self->run) : NULL;
  guint n = workers != NULL ? g_list_model_get_n_items (workers) : 0;
  for (guint i = 0; i < n; i++)
    {
      g_autoptr(UrbariumRunWorker) worker = g_list_model_get_item (workers, i);
      g_signal_handlers_disconnect_by_data (worker, self);
    }
  if (workers != NULL)
    g_signal_handlers_disconnect_by_data (workers, self);
  g_clear_object (&self->run);
}

void
urbarium_processor_load_set_run (UrbariumProcessorLoad *self, UrbariumRun *run)
{
  GListModel *workers;
  if (self->run == run)
    return;
  unwatch (self);
  urbarium_load_row_clear (self->row);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
  if (run == NULL)
    return;
  self->run = g_object_ref (run);
  workers = urbarium_run_get_workers (run);
  g_signal_connect_object (workers, "items-changed", G_CALLBACK (watch_workers_cb), self, G_CONNECT_SWAPPED);
  watch_workers_cb (self, 0, 0, g_list_model_get_n_items (workers), workers);
}

static void
dispose (GObject *object)
{
  unwatch (URBARIUM_PROCESSOR_LOAD (object));
  G_OBJECT_CLASS (urbarium_processor_load_parent_class)->dispose (object);
}

static void
urbarium_processor_load_class_init (UrbariumProcessorLoadClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = dispose;
}

static void
urbarium_processor_load_init (UrbariumProcessorLoad *self)
{
  self->row = g_object_new (URBARIUM_TYPE_LOAD_ROW, "hexpand", TRUE, NULL);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->row));
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}
