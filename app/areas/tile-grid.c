/* SPDX-License-Identifier: Apache-2.0 */
#include "app/areas/tile-grid.h"

#include <glib/gi18n.h>

#include "app/areas/area-list.h"
#include "app/areas/area-tile.h"
#include "app/base/ui-path.h"

struct _UrbariumTileGrid
{
  GtkWidget           parent_instance;
  UrbariumCuration   *curation;  /* owned */
  UrbariumTileSource *source;    /* owned */
  GtkSingleSelection *selection;
  GtkStack           *stack;
};

G_DEFINE_FINAL_TYPE (UrbariumTileGrid, urbarium_tile_grid, GTK_TYPE_WIDGET)

static guint area_selected;

static void
setup_cb (UrbariumTileGrid *self, GtkListItem *item)
{
  gtk_list_item_set_child (item, urbarium_area_tile_new (self->source));
}

static void
bind_cb (UrbariumTileGrid *self, GtkListItem *item)
{
  urbarium_area_tile_set_item (URBARIUM_AREA_TILE (gtk_list_item_get_child (item)),
                               gtk_list_item_get_item (item));
}

static void
unbind_cb (UrbariumTileGrid *self, GtkListItem *item)
{
  urbarium_area_tile_set_item (URBARIUM_AREA_TILE (gtk_list_item_get_child (item)), NULL);
}

static void
selected_cb (UrbariumTileGrid *self)
{
  guint selected = gtk_single_selection_get_selected (self->selection);
  g_signal_emit (self, area_selected, 0,
                 selected == GTK_INVALID_LIST_POSITION ? (gint64) -1 : (gint64) selected);
}

static void
activate_cb (UrbariumTileGrid *self, guint position)
{
  g_signal_emit (self, area_selected, 0, (gint64) position);
}

static void
remove_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumTileGrid *self = URBARIUM_TILE_GRID (widget);
  UrbariumAreaItem *item = gtk_single_selection_get_selected_item (self->selection);
  if (item != NULL)
    urbarium_curation_remove (self->curation, urbarium_area_item_get_area (item)->id);
}

static void
update_stack (UrbariumTileGrid *self)
{
  gboolean any = g_list_model_get_n_items (G_LIST_MODEL (self->selection)) > 0;
  gtk_stack_set_visible_child_name (self->stack, any ? "tiles" : "none");
}

/* With another encoding, all visible tiles are requested again. */
static void
result_changed_cb (UrbariumTileGrid *self)
{
  urbarium_tile_source_set_ranked (self->source, urbarium_curation_get_ranked (self->curation));
}

void
urbarium_tile_grid_set_curation (UrbariumTileGrid *self, UrbariumCuration *curation,
                                 UrbariumTileSource *source)
{
  g_autoptr(UrbariumAreaList) list = urbarium_area_list_new (curation);
  g_return_if_fail (URBARIUM_IS_TILE_GRID (self) && self->curation == NULL);
  self->curation = g_object_ref (curation);
  self->source = g_object_ref (source);
  g_signal_connect_object (curation, "result-changed", G_CALLBACK (result_changed_cb), self,
                           G_CONNECT_SWAPPED);
  result_changed_cb (self);
  gtk_single_selection_set_model (self->selection, G_LIST_MODEL (list));
}

static void
dispose (GObject *object)
{
  UrbariumTileGrid *self = URBARIUM_TILE_GRID (object);
  if (self->stack != NULL)
    gtk_widget_unparent (GTK_WIDGET (self->stack));
  self->stack = NULL;
  g_clear_object (&self->source);
  g_clear_object (&self->curation);
  G_OBJECT_CLASS (urbarium_tile_grid_parent_class)->dispose (object);
}

static void
urbarium_tile_grid_class_init (UrbariumTileGridClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  area_selected = g_signal_new ("area-selected", URBARIUM_TYPE_TILE_GRID, G_SIGNAL_RUN_LAST, 0,
                                NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT64);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "tile-grid.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumTileGrid, stack);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTileGrid, selection);
  gtk_widget_class_bind_template_callback (widget_class, activate_cb);
  gtk_widget_class_bind_template_callback (widget_class, bind_cb);
  gtk_widget_class_bind_template_callback (widget_class, selected_cb);
  gtk_widget_class_bind_template_callback (widget_class, setup_cb);
  gtk_widget_class_bind_template_callback (widget_class, unbind_cb);
  gtk_widget_class_bind_template_callback (widget_class, update_stack);
  gtk_widget_class_install_action (widget_class, "tiles.remove", NULL, remove_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Delete, 0, "tiles.remove", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_KP_Delete, 0, "tiles.remove", NULL);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
}

static void
urbarium_tile_grid_init (UrbariumTileGrid *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
