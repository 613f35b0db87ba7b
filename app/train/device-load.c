/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device-load.c - looks at all running runs once a second while it is mapped, since several may share a device.
 *
 * Only a run that is followed tells what it does.
 */
#include "app/train/device-load.h"

#include "app/train/load-curve.h"
#include "app/train/worker-sum.h"

enum { WIDTH_PX = 72 }; /* beside the name of a device, in a narrow window */

struct _UrbariumDeviceLoad
{
  GtkBox              parent_instance;

  UrbariumRunLibrary *library;  /* (nullable) owned */
  char               *pci;      /* (nullable) owned */
  GPtrArray          *followed; /* (element-type UrbariumRun) owned */
  UrbariumRunGpu     *last;     /* (nullable) owned: whose load was added last */
  guint               timer;    /* 0: not mapped */
  UrbariumLoadCurve  *curve;    /* borrowed */
};

G_DEFINE_FINAL_TYPE (UrbariumDeviceLoad, urbarium_device_load, GTK_TYPE_BOX)

static gboolean
is_running (UrbariumRun *run)
{
  return urbarium_run_get_live (run) && urbarium_run_get_state (run) == URB_RUN_RUNNING;
}

static void
unfollow (gpointer run)
{
  urbarium_run_unfollow (run);
  g_object_unref (run);
}

/* Follows the runs that have begun, and no more those that have ended. */
static void
update_followed (UrbariumDeviceLoad *self)
{
  guint n = self->library != NULL ? g_list_model_get_n_items (G_LIST_MODEL (self->library)) : 0;
  g_autoptr(GPtrArray) before = g_steal_pointer (&self->followed);
  self->followed = g_ptr_array_new_with_free_func (unfollow);
  for (guint i = 0; i < n; i++)
    {
      UrbariumRun *run = g_list_model_get_item (G_LIST_MODEL (self->library), i);
      if (!is_running (run))
        {
          g_object_unref (run);
          continue;
        }
      urbarium_run_follow (run);
      g_ptr_array_add (self->followed, run);
    }
}

static void
show (UrbariumDeviceLoad *self, gboolean is_used)
{
  if (!is_used && gtk_widget_get_visible (GTK_WIDGET (self->curve)))
    urbarium_load_curve_clear (self->curve);
  gtk_widget_set_visible (GTK_WIDGET (self->curve), is_used);
}

static void
look_at_processor (UrbariumDeviceLoad *self)
{
  UrbariumWorkerSum sum = { 0 };
  for (guint i = 0; i < self->followed->len; i++)
    urbarium_worker_sum_add (&sum, self->followed->pdata[i]);
  show (self, sum.n_alive > 0);
  if (sum.n_alive > 0)
    urbarium_load_curve_add (self->curve, urbarium_worker_sum_get_load (&sum), urbarium_worker_sum_get_memory (&sum));
}

/* Returns: (transfer full) (nullable): what a run says of the GPU */
static UrbariumRunGpu *
find_gpu (UrbariumDeviceLoad *self, UrbariumRun *run)
{
  GListModel *gpus = urbarium_run_get_gpus (run);
  for (guint i = 0; i < g_list_model_get_n_items (gpus); i++)
    {
      g_autoptr(UrbariumRunGpu) gpu = g_list_model_get_item (gpus, i);
      if (g_ascii_strcasecmp (urbarium_run_gpu_get_pci (gpu), self->pci) == 0)
        return g_steal_pointer (&gpu);
    }
  return NULL;
}

/* Its driver tells the load of all that runs there, so one run is enough.  A reading that was added is left. */
static void
look_at_gpu (UrbariumDeviceLoad *self)
{
  g_autoptr(UrbariumRunGpu) gpu = NULL;
  const UrbGpuLoad *load;
  for (guint i = 0; i < self->followed->len && gpu == NULL; i++)
    gpu = find_gpu (self, self->followed->pdata[i]);
  show (self, gpu != NULL);
  if (gpu == NULL || !g_set_object (&self->last, gpu))
    return;
  load = urbarium_run_gpu_get_load (gpu);
  urbarium_load_curve_add (self->curve, load->utilization_percent / 100, urb_gpu_load_get_memory_share (load));
}

static gboolean
look_cb (gpointer data)
{
  UrbariumDeviceLoad *self = data;
  update_followed (self);
  if (self->pci != NULL)
    look_at_gpu (self);
  else
    look_at_processor (self);
  return G_SOURCE_CONTINUE;
}

static void
map (GtkWidget *widget)
{
  UrbariumDeviceLoad *self = URBARIUM_DEVICE_LOAD (widget);
  GTK_WIDGET_CLASS (urbarium_device_load_parent_class)->map (widget);
  self->timer = g_timeout_add_seconds (1, look_cb, self);
  look_cb (self);
}

/* What a device did while nobody looked is not known: the curve begins again. */
static void
unmap (GtkWidget *widget)
{
  UrbariumDeviceLoad *self = URBARIUM_DEVICE_LOAD (widget);
  g_source_remove (self->timer);
  self->timer = 0;
  g_ptr_array_set_size (self->followed, 0);
  g_clear_object (&self->last);
  show (self, FALSE);
  GTK_WIDGET_CLASS (urbarium_device_load_parent_class)->unmap (widget);
}

void
urbarium_device_load_set_gpu (UrbariumDeviceLoad *self, const char *pci)
{
  g_free (self->pci);
  self->pci = g_strdup (pci);
}

void
urbarium_device_load_set_library (UrbariumDeviceLoad *self, UrbariumRunLibrary *library)
{
  g_set_object (&self->library, library);
}

static void
dispose (GObject *object)
{
  g_clear_object (&URBARIUM_DEVICE_LOAD (object)->library);
  G_OBJECT_CLASS (urbarium_device_load_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumDeviceLoad *self = URBARIUM_DEVICE_LOAD (object);
  g_ptr_array_unref (self->followed);
  g_free (self->pci);
  G_OBJECT_CLASS (urbarium_device_load_parent_class)->finalize (object);
}

static void
urbarium_device_load_class_init (UrbariumDeviceLoadClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  GTK_WIDGET_CLASS (klass)->map = map;
  GTK_WIDGET_CLASS (klass)->unmap = unmap;
}

static void
urbarium_device_load_init (UrbariumDeviceLoad *self)
{
  self->followed = g_ptr_array_new_with_free_func (unfollow);
  self->curve = g_object_new (URBARIUM_TYPE_LOAD_CURVE, "visible", FALSE, "width-request", WIDTH_PX, NULL);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->curve));
  gtk_widget_set_valign (GTK_WIDGET (self), GTK_ALIGN_CENTER);
}
