/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/legend-row.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/ui-path.h"
#include "app/map/swatch.h"

struct _UrbariumLegendRow
{
  AdwActionRow    parent_instance;
  UrbariumSwatch *swatch;
  GtkSwitch      *visible_switch;
};

G_DEFINE_FINAL_TYPE (UrbariumLegendRow, urbarium_legend_row, ADW_TYPE_ACTION_ROW)

static void
urbarium_legend_row_class_init (UrbariumLegendRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  g_type_ensure (URBARIUM_TYPE_SWATCH);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "legend-row.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumLegendRow, swatch);
  gtk_widget_class_bind_template_child (widget_class, UrbariumLegendRow, visible_switch);
}

static void
urbarium_legend_row_init (UrbariumLegendRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
urbarium_legend_row_new (UrbClass class_)
{
  UrbariumLegendRow *self = g_object_new (URBARIUM_TYPE_LEGEND_ROW, NULL);
  /* translators: a switch; %s is a class of the map: Building */
  g_autofree char *name = g_strdup_printf (_ ("Show “%s” on the map"),
                                           urbarium_class_get_title (class_));
  urbarium_swatch_set_class (self->swatch, class_);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), urbarium_class_get_title (class_));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->visible_switch),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->visible_switch), name);
  return GTK_WIDGET (self);
}

void
urbarium_legend_row_set_area (UrbariumLegendRow *self, double area_m2, double total_m2)
{
  g_autofree char *area = urbarium_format_area (area_m2);
  g_autofree char *share = urbarium_format_percent (total_m2 > 0 ? area_m2 / total_m2 : 0);
  g_autofree char *subtitle = g_strdup_printf ("%s · %s", area, share);
  g_return_if_fail (URBARIUM_IS_LEGEND_ROW (self));
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self), subtitle);
}

GtkSwitch *
urbarium_legend_row_get_switch (UrbariumLegendRow *self)
{
  g_return_val_if_fail (URBARIUM_IS_LEGEND_ROW (self), NULL);
  return self->visible_switch;
}
