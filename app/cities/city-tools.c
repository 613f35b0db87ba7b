/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/city-tools.h"

#include "app/base/ui-path.h"
#include "app/cities/city-view.h"
#include "app/plot/wrap-layout.h"

struct _UrbariumCityTools
{
  AdwBin            parent_instance;
  UrbariumCityView *view; /* owned */

  GtkToggleButton  *building_button, *road_button, *other_button;
  GtkToggleButton  *distance_button, *area_button;
};

G_DEFINE_FINAL_TYPE (UrbariumCityTools, urbarium_city_tools, ADW_TYPE_BIN)

enum
{
  PROP_VIEW = 1,
  N_PROPS
};

static void
classes_cb (UrbariumCityTools *self)
{
  GtkToggleButton *const buttons[URB_N_CLASSES] = {
    [URB_CLASS_BUILDING] = self->building_button,
    [URB_CLASS_ROAD] = self->road_button,
    [URB_CLASS_OTHER] = self->other_button,
  };
  guint classes = 0;
  for (int c = 0; c < URB_N_CLASSES; c++)
    if (gtk_toggle_button_get_active (buttons[c]))
      classes |= 1u << c;
  g_object_set (self->view, "classes", classes, NULL);
}

/* The two tools are exclusive, and both may be off. */
static void
tool_cb (UrbariumCityTools *self, GtkToggleButton *button)
{
  GtkToggleButton *other
    = button == self->distance_button ? self->area_button : self->distance_button;
  UrbariumMeasureTool tool = URBARIUM_MEASURE_NONE;
  if (gtk_toggle_button_get_active (button))
    gtk_toggle_button_set_active (other, FALSE);
  if (gtk_toggle_button_get_active (self->distance_button))
    tool = URBARIUM_MEASURE_DISTANCE;
  else if (gtk_toggle_button_get_active (self->area_button))
    tool = URBARIUM_MEASURE_AREA;
  urbarium_city_view_set_tool (self->view, tool);
  if (tool != URBARIUM_MEASURE_NONE)
    gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

void
urbarium_city_tools_outline (UrbariumCityTools *self)
{
  g_return_if_fail (URBARIUM_IS_CITY_TOOLS (self));
  gtk_toggle_button_set_active (self->area_button, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_VIEW)
    g_value_set_object (value, URBARIUM_CITY_TOOLS (object)->view);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_VIEW)
    URBARIUM_CITY_TOOLS (object)->view = g_value_dup_object (value);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
dispose (GObject *object)
{
  g_clear_object (&URBARIUM_CITY_TOOLS (object)->view);
  G_OBJECT_CLASS (urbarium_city_tools_parent_class)->dispose (object);
}

static void
urbarium_city_tools_class_init (UrbariumCityToolsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  object_class->get_property = get_property;
  object_class->set_property = set_property;
  object_class->dispose = dispose;
  g_object_class_install_property (
    object_class, PROP_VIEW,
    g_param_spec_object ("view", NULL, NULL, URBARIUM_TYPE_CITY_VIEW,
                         G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS));
  g_type_ensure (URBARIUM_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "city-tools.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityTools, building_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityTools, road_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityTools, other_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityTools, distance_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityTools, area_button);
  gtk_widget_class_bind_template_callback (widget_class, classes_cb);
  gtk_widget_class_bind_template_callback (widget_class, tool_cb);
}

static void
urbarium_city_tools_init (UrbariumCityTools *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
