/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/gpu-rows.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/base/format.h"
#include "app/runs/run.h"
#include "app/train/load-row.h"

struct _UrbariumGpuRows
{
  GtkBox      parent_instance;

  GListModel *gpus; /* (nullable) owned */
};

G_DEFINE_FINAL_TYPE (UrbariumGpuRows, urbarium_gpu_rows, GTK_TYPE_BOX)

static void
add_number (GPtrArray *parts, const char *format, double value)
{
  g_autofree char *number = isnan (value) ? NULL : urbarium_format_number (value, 0);
  if (number != NULL)
    g_ptr_array_add (parts, g_strdup_printf (format, number));
}

/* "NVIDIA H200 · 98.2 GB of 151 GB · 97 % busy · 412 W · 61 °C", without unknown parts. */
static char *
dup_text (UrbariumRunGpu *gpu, gboolean with_index)
{
  const UrbGpuLoad *load = urbarium_run_gpu_get_load (gpu);
  const char *name = urbarium_run_gpu_get_name (gpu);
  int index = urbarium_run_gpu_get_index (gpu);
  g_autofree char *used = urbarium_format_bytes (load->memory_used_bytes);
  g_autofree char *total = urbarium_format_bytes (load->memory_bytes);
  g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (parts, with_index ? g_strdup_printf ("%d: %s", index, name) : g_strdup (name));
  if (load->memory_used_bytes >= 0 && load->memory_bytes > 0)
    /* translators: how much of a GPU's memory is used: "5 GB of 80 GB" */
    g_ptr_array_add (parts, g_strdup_printf (_ ("%s of %s"), used, total));
  /* translators: GPU utilization: "97 % busy" */
  add_number (parts, _ ("%s %% busy"), load->utilization_percent);
  add_number (parts, "%s W", load->power_w);
  add_number (parts, "%s °C", load->temperature_c);
  if (parts->len == 1)
    /* translators: a GPU */
    g_ptr_array_add (parts, g_strdup (_ ("does not answer")));
  g_ptr_array_add (parts, NULL);
  return g_strjoinv (" · ", (char **) parts->pdata);
}

/* (nullable) */
static GtkWidget *
get_row (UrbariumGpuRows *self, guint i)
{
  GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (self));
  for (; i > 0 && row != NULL; i--)
    row = gtk_widget_get_next_sibling (row);
  return row;
}

static void
show_text (UrbariumGpuRows *self, guint i, guint n)
{
  g_autoptr(UrbariumRunGpu) gpu = g_list_model_get_item (self->gpus, i);
  g_autofree char *text = dup_text (gpu, n > 1);
  urbarium_load_row_set_text (URBARIUM_LOAD_ROW (get_row (self, i)), text);
}

static void
add_sample (UrbariumGpuRows *self, guint i)
{
  g_autoptr(UrbariumRunGpu) gpu = g_list_model_get_item (self->gpus, i);
  const UrbGpuLoad *load = urbarium_run_gpu_get_load (gpu);
  urbarium_load_row_add (URBARIUM_LOAD_ROW (get_row (self, i)), load->utilization_percent / 100, urb_gpu_load_get_memory_share (load));
}

/* Keeps the rows: their curves grow, and screen readers would restart at new ones every few seconds. */
static void
items_changed_cb (UrbariumGpuRows *self, guint position, guint n_removed, guint n_added)
{
  guint n = self->gpus != NULL ? g_list_model_get_n_items (self->gpus) : 0;
  for (guint i = n_added; i < n_removed; i++)
    gtk_box_remove (GTK_BOX (self), get_row (self, position));
  for (guint i = n_removed; i < n_added; i++)
    gtk_box_insert_child_after (GTK_BOX (self), g_object_new (URBARIUM_TYPE_LOAD_ROW, NULL),
                                position > 0 ? get_row (self, position - 1) : NULL);
  for (guint i = 0; i < n; i++)
    show_text (self, i, n);
  for (guint i = position; i < position + n_added; i++)
    add_sample (self, i);
  gtk_widget_set_visible (GTK_WIDGET (self), n > 0);
}

void
urbarium_gpu_rows_set_gpus (UrbariumGpuRows *self, GListModel *gpus)
{
  guint n_before = self->gpus != NULL ? g_list_model_get_n_items (self->gpus) : 0;
  if (self->gpus != NULL)
    g_signal_handlers_disconnect_by_data (self->gpus, self);
  g_clear_object (&self->gpus);
  items_changed_cb (self, 0, n_before, 0);
  if (gpus == NULL)
    return;
  self->gpus = g_object_ref (gpus);
  g_signal_connect_object (gpus, "items-changed", G_CALLBACK (items_changed_cb), self, G_CONNECT_SWAPPED);
  items_changed_cb (self, 0, 0, g_list_model_get_n_items (gpus));
}

static void
dispose (GObject *object)
{
  g_clear_object (&URBARIUM_GPU_ROWS (object)->gpus);
  G_OBJECT_CLASS (urbarium_gpu_rows_parent_class)->dispose (object);
}

static void
urbarium_gpu_rows_class_init (UrbariumGpuRowsClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = dispose;
}

static void
urbarium_gpu_rows_init (UrbariumGpuRows *self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}
