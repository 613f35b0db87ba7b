/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/class-button.h"

#include <glib/gi18n.h>

#include "app/base/ui-path.h"
#include "app/map/swatch.h"

struct _UrbariumClassButton
{
  AdwBin          parent_instance;
  UrbClass        class_;
  GSimpleAction  *choose; /* owned */

  GtkMenuButton  *button;
  UrbariumSwatch *swatch;
  GtkLabel       *label;
};

G_DEFINE_FINAL_TYPE (UrbariumClassButton, urbarium_class_button, ADW_TYPE_BIN)

static guint chosen_signal;

static void
choose_cb (UrbariumClassButton *self, GVariant *param)
{
  int class_ = g_variant_get_int32 (param);
  if (class_ >= 0 && class_ <= URB_CLASS_IGNORE && class_ != (int) self->class_)
    g_signal_emit (self, chosen_signal, 0, class_);
}

static void
create_popup_cb (GtkMenuButton *button, gpointer data)
{
  UrbariumClassButton *self = data;
  g_autoptr(GMenu) menu = g_menu_new ();
  if (gtk_menu_button_get_menu_model (button) != NULL)
    return;
  for (int c = 0; c <= URB_CLASS_IGNORE; c++)
    {
      g_autoptr(GMenuItem) item = g_menu_item_new (urbarium_class_get_title ((UrbClass) c), NULL);
      g_menu_item_set_action_and_target (item, "class.choose", "i", c);
      g_menu_append_item (menu, item);
    }
  gtk_menu_button_set_menu_model (self->button, G_MENU_MODEL (menu));
}

static void
dispose (GObject *object)
{
  UrbariumClassButton *self = URBARIUM_CLASS_BUTTON (object);
  g_clear_object (&self->choose);
  G_OBJECT_CLASS (urbarium_class_button_parent_class)->dispose (object);
}

static void
urbarium_class_button_class_init (UrbariumClassButtonClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  chosen_signal = g_signal_new ("chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT);
  g_type_ensure (URBARIUM_TYPE_SWATCH);
  gtk_widget_class_set_css_name (widget_class, "classbutton");
  gtk_widget_class_set_template_from_resource (widget_class,
                                               URBARIUM_UI_PATH "class-button.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumClassButton, button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumClassButton, swatch);
  gtk_widget_class_bind_template_child (widget_class, UrbariumClassButton, label);
}

static void
urbarium_class_button_init (UrbariumClassButton *self)
{
  g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  self->choose = g_simple_action_new_stateful ("choose", G_VARIANT_TYPE_INT32,
                                               g_variant_new_int32 (URB_CLASS_BUILDING));
  g_signal_connect_object (self->choose, "activate", G_CALLBACK (choose_cb), self,
                           G_CONNECT_SWAPPED);
  g_action_map_add_action (G_ACTION_MAP (group), G_ACTION (self->choose));
  gtk_widget_insert_action_group (GTK_WIDGET (self), "class", G_ACTION_GROUP (group));
  gtk_menu_button_set_create_popup_func (self->button, create_popup_cb, self, NULL);
  urbarium_class_button_set (self, "", URB_CLASS_BUILDING);
}

void
urbarium_class_button_set (UrbariumClassButton *self, const char *what, UrbClass class_)
{
  const char *title = urbarium_class_get_title (class_);
  /* translators: for screen readers; %1$s is an attribute value of the map, %2$s its class */
  g_autofree char *name = g_strdup_printf (_ ("Class of %1$s: %2$s"), what, title);
  GtkWidget *focused = gtk_widget_get_first_child (GTK_WIDGET (self->button));
  g_return_if_fail (URBARIUM_IS_CLASS_BUTTON (self));
  self->class_ = class_;
  gtk_label_set_text (self->label, title);
  urbarium_swatch_set_class (self->swatch, class_);
  g_simple_action_set_state (self->choose, g_variant_new_int32 ((int) class_));
  /* The inner toggle button has the focus. */
  if (focused != NULL)
    gtk_accessible_update_property (GTK_ACCESSIBLE (focused), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                    -1);
}
