/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-row.c - updates values that change with every step at most four times a second; state and
 * name at once.
 */
#include "app/train/run-row.h"

#include <glib/gi18n.h>

#include "app/base/ui-path.h"
#include "app/train/run-text.h"

enum { REFRESH_MS = 250 };

struct _UrbariumRunRow
{
  GtkListBoxRow       parent_instance;

  UrbariumRun        *run;     /* owned */
  UrbariumRunLibrary *library; /* owned */
  guint               timeout;
  char               *accessible_name; /* (nullable) owned */

  GtkWidget          *dot;
  GtkLabel           *name_label, *state_label, *speed_label;
  GtkProgressBar     *progress;
};

G_DEFINE_FINAL_TYPE (UrbariumRunRow, urbarium_run_row, GTK_TYPE_LIST_BOX_ROW)

static void
update (UrbariumRunRow *self)
{
  const char *name = urbarium_run_get_name (self->run);
  g_autofree char *state = urbarium_run_text_dup_state (self->run);
  g_autofree char *speed = urbarium_run_text_dup_speed (self->run);
  gboolean active = urbarium_run_text_is_active (self->run);
  const char *classes[] = { "run-dot", urbarium_run_text_dot_class (self->run), NULL };
  g_autofree char *accessible_name = NULL, *trouble = NULL;
  g_object_get (self->run, "trouble", &trouble, NULL);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), trouble);
  gtk_label_set_text (self->name_label, name);
  gtk_label_set_text (self->state_label, state);
  gtk_label_set_text (self->speed_label, speed != NULL && active ? speed : "");
  /* translators: the name of a run and its state */
  accessible_name = g_strdup_printf (_ ("%s, %s"), name, state);
  if (g_strcmp0 (accessible_name, self->accessible_name) != 0) /* not with every step */
    gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                    accessible_name, -1);
  g_free (self->accessible_name);
  self->accessible_name = g_steal_pointer (&accessible_name);
  gtk_widget_set_css_classes (self->dot, classes);
  gtk_widget_set_visible (GTK_WIDGET (self->progress), active);
  gtk_progress_bar_set_fraction (self->progress, urbarium_run_text_get_fraction (self->run));
}

static gboolean
timeout_cb (gpointer data)
{
  UrbariumRunRow *self = data;
  self->timeout = 0;
  update (self);
  return G_SOURCE_REMOVE;
}

static void
notify_cb (UrbariumRunRow *self, GParamSpec *pspec)
{
  const char *const at_once[] = { "name", "state", "state-text", "live", "trouble", "queue-place", NULL };
  if (g_strv_contains (at_once, pspec->name))
    update (self);
  else if (self->timeout == 0)
    self->timeout = g_timeout_add (REFRESH_MS, timeout_cb, self);
}

/* @args: an UrbQueueMove */
static gboolean
move_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  UrbariumRunRow *self = URBARIUM_RUN_ROW (widget);
  UrbQueueMove move = (UrbQueueMove) g_variant_get_int32 (args);
  if (!urbarium_run_can_move (self->run, move))
    return GDK_EVENT_PROPAGATE;
  urbarium_run_library_move (self->library, self->run, move);
  return GDK_EVENT_STOP;
}

UrbariumRun *
urbarium_run_row_get_run (UrbariumRunRow *self)
{
  return self->run;
}

static void
dispose (GObject *object)
{
  UrbariumRunRow *self = URBARIUM_RUN_ROW (object);
  g_clear_handle_id (&self->timeout, g_source_remove);
  g_clear_object (&self->run);
  g_clear_object (&self->library);
  G_OBJECT_CLASS (urbarium_run_row_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  g_free (URBARIUM_RUN_ROW (object)->accessible_name);
  G_OBJECT_CLASS (urbarium_run_row_parent_class)->finalize (object);
}

static void
urbarium_run_row_class_init (UrbariumRunRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "run-row.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunRow, dot);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunRow, name_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunRow, state_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunRow, speed_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunRow, progress);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Up, GDK_ALT_MASK, move_cb, "i", URB_QUEUE_EARLIER);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Down, GDK_ALT_MASK, move_cb, "i", URB_QUEUE_LATER);
}

static void
urbarium_run_row_init (UrbariumRunRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
urbarium_run_row_new (UrbariumRun *run, UrbariumRunLibrary *library)
{
  UrbariumRunRow *self = g_object_new (URBARIUM_TYPE_RUN_ROW, NULL);
  self->run = g_object_ref (run);
  self->library = g_object_ref (library);
  g_signal_connect_object (run, "notify", G_CALLBACK (notify_cb), self, G_CONNECT_SWAPPED);
  update (self);
  return GTK_WIDGET (self);
}
