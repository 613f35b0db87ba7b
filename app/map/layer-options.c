/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/layer-options.h"

#include <glib/gi18n.h>

#include "app/base/ui-path.h"
#include "app/map/map-words.h"
#include "app/map/profile-row.h"

struct _UrbariumLayerOptions
{
  AdwBin               parent_instance;
  UrbariumMapDocument *document; /* owned */
  char                *layer;    /* owned */

  GtkMenuButton       *button;
  UrbariumProfileRow  *profile_row; /* (nullable) borrowed, as the next */
  AdwEntryRow         *crs_row;
};

G_DEFINE_FINAL_TYPE (UrbariumLayerOptions, urbarium_layer_options, ADW_TYPE_BIN)

static void
profile_selected_cb (UrbariumLayerOptions *self)
{
  urbarium_map_document_set_layer_profile (self->document, self->layer,
                                           urbarium_profile_row_get_profile (self->profile_row));
  /* Other values get other rows: this one will be replaced. */
  gtk_menu_button_popdown (self->button);
}

static void
crs_applied_cb (UrbariumLayerOptions *self)
{
  g_autofree char *crs
    = urbarium_map_words_make_crs (gtk_editable_get_text (GTK_EDITABLE (self->crs_row)));
  urbarium_map_document_set_layer_crs (self->document, self->layer, crs);
}

/* A map has hundreds of layers, and few of their popovers are ever opened. */
static void
create_popup_cb (GtkMenuButton *button, gpointer data)
{
  UrbariumLayerOptions *self = data;
  AdwPreferencesGroup *group;
  GtkWidget *popover;
  if (self->profile_row != NULL)
    return;
  self->profile_row = g_object_new (URBARIUM_TYPE_PROFILE_ROW, "title", _ ("Read as"), NULL);
  /* translators: the kind of a layer, if none is chosen */
  urbarium_profile_row_fill (self->profile_row, _ ("As the map"));
  self->crs_row = g_object_new (ADW_TYPE_ENTRY_ROW, "title", _ ("Coordinate system, whatever the file states"),
                                "show-apply-button", TRUE, NULL);
  group = ADW_PREFERENCES_GROUP (adw_preferences_group_new ());
  adw_preferences_group_add (group, GTK_WIDGET (self->profile_row));
  adw_preferences_group_add (group, GTK_WIDGET (self->crs_row));
  popover = g_object_new (GTK_TYPE_POPOVER, "width-request", 340, "child", group, NULL);
  urbarium_layer_options_update (self);
  g_signal_connect_object (self->profile_row, "notify::selected", G_CALLBACK (profile_selected_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->crs_row, "apply", G_CALLBACK (crs_applied_cb), self, G_CONNECT_SWAPPED);
  gtk_menu_button_set_popover (button, popover);
}

void
urbarium_layer_options_update (UrbariumLayerOptions *self)
{
  UrbMapLayerOptions chosen;
  gboolean is_chosen;
  g_return_if_fail (URBARIUM_IS_LAYER_OPTIONS (self));
  chosen = urbarium_map_document_get_layer (self->document, self->layer);
  is_chosen = *chosen.profile != '\0' || *chosen.crs != '\0';
  if (self->profile_row != NULL)
    {
      urbarium_profile_row_set_profile (self->profile_row, chosen.profile);
      if (!g_str_equal (gtk_editable_get_text (GTK_EDITABLE (self->crs_row)), chosen.crs))
        gtk_editable_set_text (GTK_EDITABLE (self->crs_row), chosen.crs);
    }
  if (is_chosen)
    gtk_widget_add_css_class (GTK_WIDGET (self->button), "accent");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->button), "accent");
}

static void
set_layer (UrbariumLayerOptions *self, UrbariumMapDocument *document, const char *layer)
{
  /* translators: for screen readers; %s is a layer of the map */
  g_autofree char *name = g_strdup_printf (_ ("How “%s” is read"), layer);
  GtkWidget *focused = gtk_widget_get_first_child (GTK_WIDGET (self->button));
  self->layer = g_strdup (layer);
  /* The inner toggle button has the focus. */
  if (focused != NULL)
    gtk_accessible_update_property (GTK_ACCESSIBLE (focused), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  self->document = g_object_ref (document);
  urbarium_layer_options_update (self);
}

static void
dispose (GObject *object)
{
  UrbariumLayerOptions *self = URBARIUM_LAYER_OPTIONS (object);
  g_clear_object (&self->document);
  G_OBJECT_CLASS (urbarium_layer_options_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  g_free (URBARIUM_LAYER_OPTIONS (object)->layer);
  G_OBJECT_CLASS (urbarium_layer_options_parent_class)->finalize (object);
}

static void
urbarium_layer_options_class_init (UrbariumLayerOptionsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "layer-options.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumLayerOptions, button);
}

static void
urbarium_layer_options_init (UrbariumLayerOptions *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_menu_button_set_create_popup_func (self->button, create_popup_cb, self, NULL);
}

GtkWidget *
urbarium_layer_options_new (UrbariumMapDocument *document, const char *layer)
{
  UrbariumLayerOptions *self = g_object_new (URBARIUM_TYPE_LAYER_OPTIONS, NULL);
  set_layer (self, document, layer);
  return GTK_WIDGET (self);
}
