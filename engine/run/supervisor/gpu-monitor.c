/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu-monitor.c - see gpu-monitor.h.
 *
 * The thread may outlive the monitor, if the driver never answers.  So thread and monitor share
 * only a reference-counted object; the main loop delivers the readings, and knows whether the
 * monitor still exists.
 */
#include "run/supervisor/gpu-monitor.h"

#include "run/supervisor/nvml.h"

enum { PATIENCE_MS = 1000 };

typedef struct
{
  gatomicrefcount n_refs;
  GMainContext   *context; /* owned */
  int             interval_ms;
  UrbGpuMonitor  *monitor; /* borrowed; NULL once it is freed; main loop only */

  GMutex          mutex;
  GCond           changed;
  GQueue          wanted;  /* owned; char *: PCI addresses that the thread does not know yet;
                            * locked */
  GQueue          news;    /* owned; News: readings not delivered yet; locked */
  gboolean        stop;    /* locked */
  gboolean        done;    /* the thread calls the driver no more; locked */
} Shared;

struct _UrbGpuMonitor
{
  Shared                 *shared;
  GThread                *thread; /* owned, nullable; from the first GPU on */
  GPtrArray              *added;  /* owned; char * */
  const UrbGpuMonitorOps *ops;
  gpointer                user_data;
};

typedef struct
{
  UrbGpu gpu;
  char  *why; /* owned, nullable: why it is lost */
} News;

static void
news_free (gpointer data)
{
  News *news = data;
  g_free (news->why);
  g_free (news);
}

static Shared *
shared_ref (Shared *shared)
{
  g_atomic_ref_count_inc (&shared->n_refs);
  return shared;
}

static void
shared_unref (gpointer data)
{
  Shared *shared = data;
  if (!g_atomic_ref_count_dec (&shared->n_refs))
    return;
  g_queue_clear_full (&shared->wanted, g_free);
  g_queue_clear_full (&shared->news, news_free);
  g_main_context_unref (shared->context);
  g_mutex_clear (&shared->mutex);
  g_cond_clear (&shared->changed);
  g_free (shared);
}

/* ------------------------------------------------------------------------ */
/* What was read                                                             */

static gboolean
news_cb (gpointer data)
{
  Shared *shared = data;
  UrbGpuMonitor *monitor = shared->monitor;
  News *news;
  g_mutex_lock (&shared->mutex);
  news = g_queue_pop_head (&shared->news);
  g_mutex_unlock (&shared->mutex);
  if (monitor != NULL && news->why != NULL)
    monitor->ops->lost (&news->gpu, news->why, monitor->user_data);
  else if (monitor != NULL)
    monitor->ops->read (&news->gpu, monitor->user_data);
  news_free (news);
  return G_SOURCE_REMOVE;
}

/* Through a queue under our lock: ThreadSanitizer does not see that of a main context.
 * Takes @why. */
static void
queue_reading (Shared *shared, const UrbGpu *gpu, char *why)
{
  News *news = g_new (News, 1);
  GSource *source = g_idle_source_new ();
  *news = (News){ *gpu, why };
  g_mutex_lock (&shared->mutex);
  g_queue_push_tail (&shared->news, news);
  g_mutex_unlock (&shared->mutex);
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, news_cb, shared_ref (shared), shared_unref);
  g_source_attach (source, shared->context);
  g_source_unref (source);
}

/* ------------------------------------------------------------------------ */
/* The thread                                                                */

/* Takes the new addresses, and waits until the next reading is due.   Returns: FALSE to stop */
static gboolean
wait_for_turn (Shared *shared, GArray *gpus, gint64 until_us)
{
  UrbGpu gpu = { .index = -1, .load = URB_GPU_LOAD_UNKNOWN };
  gboolean stop;
  char *pci;
  g_mutex_lock (&shared->mutex);
  while (!shared->stop && g_queue_is_empty (&shared->wanted)
         && (gpus->len > 0 ? g_cond_wait_until (&shared->changed, &shared->mutex, until_us)
                           : (g_cond_wait (&shared->changed, &shared->mutex), TRUE)))
    ;
  while ((pci = g_queue_pop_head (&shared->wanted)) != NULL)
    {
      g_strlcpy (gpu.pci, pci, sizeof gpu.pci);
      g_array_append_val (gpus, gpu);
      g_free (pci);
    }
  stop = shared->stop;
  g_mutex_unlock (&shared->mutex);
  return !stop;
}

static void
watch (Shared *shared, UrbNvml *nvml)
{
  g_autoptr(GArray) gpus = g_array_new (FALSE, FALSE, sizeof (UrbGpu));
  gint64 until_us = 0;
  while (wait_for_turn (shared, gpus, until_us))
    {
      until_us = g_get_monotonic_time () + shared->interval_ms * (gint64) 1000;
      for (guint i = gpus->len; i-- > 0;)
        {
          UrbGpu *gpu = &g_array_index (gpus, UrbGpu, i);
          char *why = NULL;
          UrbNvmlResult result = urb_nvml_read (nvml, gpu->pci, gpu, &why);
          if (result != URB_NVML_ABSENT)
            queue_reading (shared, gpu, why);
          if (result != URB_NVML_READ)
            g_array_remove_index (gpus, i);
        }
    }
}

static gpointer
thread_main (gpointer data)
{
  Shared *shared = data;
  UrbNvml *nvml = urb_nvml_open ();
  if (nvml != NULL)
    watch (shared, nvml);
  urb_nvml_close (nvml);
  g_mutex_lock (&shared->mutex);
  shared->done = TRUE;
  g_cond_broadcast (&shared->changed);
  g_mutex_unlock (&shared->mutex);
  shared_unref (shared);
  return NULL;
}

/* ------------------------------------------------------------------------ */
/* Public                                                                    */

UrbGpuMonitor *
urb_gpu_monitor_new (int interval_ms, const UrbGpuMonitorOps *ops, gpointer user_data)
{
  UrbGpuMonitor *self = g_new0 (UrbGpuMonitor, 1);
  self->shared = g_new0 (Shared, 1);
  g_atomic_ref_count_init (&self->shared->n_refs);
  g_mutex_init (&self->shared->mutex);
  g_cond_init (&self->shared->changed);
  g_queue_init (&self->shared->wanted);
  g_queue_init (&self->shared->news);
  self->shared->context = g_main_context_ref_thread_default ();
  self->shared->interval_ms = interval_ms;
  self->shared->monitor = self;
  self->added = g_ptr_array_new_with_free_func (g_free);
  self->ops = ops;
  self->user_data = user_data;
  return self;
}

/* Returns: whether the thread ended */
static gboolean
stop_thread (Shared *shared)
{
  gint64 until_us = g_get_monotonic_time () + PATIENCE_MS * (gint64) 1000;
  gboolean done;
  g_mutex_lock (&shared->mutex);
  shared->stop = TRUE;
  g_cond_broadcast (&shared->changed);
  while (!shared->done && g_cond_wait_until (&shared->changed, &shared->mutex, until_us))
    ;
  done = shared->done;
  g_mutex_unlock (&shared->mutex);
  return done;
}

void
urb_gpu_monitor_free (UrbGpuMonitor *self)
{
  if (self == NULL)
    return;
  self->shared->monitor = NULL;
  if (self->thread != NULL && stop_thread (self->shared))
    g_thread_join (self->thread);
  else if (self->thread != NULL)
    g_thread_unref (self->thread);
  shared_unref (self->shared);
  g_ptr_array_unref (self->added);
  g_free (self);
}

static gboolean
is_same (gconstpointer a, gconstpointer b)
{
  return g_ascii_strcasecmp (a, b) == 0;
}

void
urb_gpu_monitor_add (UrbGpuMonitor *self, const char *pci)
{
  if (g_ptr_array_find_with_equal_func (self->added, pci, is_same, NULL))
    return;
  g_ptr_array_add (self->added, g_strdup (pci));
  g_mutex_lock (&self->shared->mutex);
  g_queue_push_tail (&self->shared->wanted, g_strdup (pci));
  g_cond_broadcast (&self->shared->changed);
  g_mutex_unlock (&self->shared->mutex);
  if (self->thread != NULL)
    return;
  /* If no thread can be started, there are no readings. */
  self->thread = g_thread_try_new ("gpu-monitor", thread_main, shared_ref (self->shared), NULL);
  if (self->thread == NULL)
    shared_unref (self->shared);
}
