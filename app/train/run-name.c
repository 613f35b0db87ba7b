/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/run-name.h"

#include "app/base/ui-path.h"

struct _UrbariumRunName
{
  AdwBin    parent_instance;

  gboolean  editing;

  GtkStack *stack;
  GtkLabel *label;
  GtkEntry *entry;
};

G_DEFINE_FINAL_TYPE (UrbariumRunName, urbarium_run_name, ADW_TYPE_BIN)

enum { RENAMED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* Clears the flag first: changing the page moves the focus, which would commit. */
static void
stop_editing (UrbariumRunName *self)
{
  self->editing = FALSE;
  gtk_stack_set_visible_child_name (self->stack, "label");
}

static void
commit (UrbariumRunName *self)
{
  g_autofree char *text = NULL;
  if (!self->editing)
    return;
  text = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->entry))));
  stop_editing (self);
  if (*text != '\0' && g_strcmp0 (text, gtk_label_get_text (self->label)) != 0)
    g_signal_emit (self, signals[RENAMED], 0, text);
}

void
urbarium_run_name_set_text (UrbariumRunName *self, const char *text)
{
  gtk_label_set_text (self->label, text);
}

void
urbarium_run_name_edit (UrbariumRunName *self)
{
  gtk_editable_set_text (GTK_EDITABLE (self->entry), gtk_label_get_text (self->label));
  gtk_stack_set_visible_child_name (self->stack, "entry");
  gtk_widget_grab_focus (GTK_WIDGET (self->entry));
  self->editing = TRUE;
}

void
urbarium_run_name_cancel (UrbariumRunName *self)
{
  if (self->editing)
    stop_editing (self);
}

gboolean
urbarium_run_name_get_editing (UrbariumRunName *self)
{
  return self->editing;
}

static gboolean
key_cb (UrbariumRunName *self, guint key)
{
  if (key != GDK_KEY_Escape || !self->editing)
    return GDK_EVENT_PROPAGATE;
  stop_editing (self);
  return GDK_EVENT_STOP;
}

static void
edit_action (GtkWidget *widget, const char *name, GVariant *param)
{
  urbarium_run_name_edit (URBARIUM_RUN_NAME (widget));
}

static void
urbarium_run_name_class_init (UrbariumRunNameClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  signals[RENAMED] = g_signal_new ("renamed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "run-name.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunName, stack);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunName, label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunName, entry);
  gtk_widget_class_bind_template_callback (widget_class, commit);
  gtk_widget_class_bind_template_callback (widget_class, key_cb);
  gtk_widget_class_install_action (widget_class, "name.edit", NULL, edit_action);
}

static void
urbarium_run_name_init (UrbariumRunName *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
