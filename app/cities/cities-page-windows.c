/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/cities-page-private.h"

#include <glib/gi18n.h>

#include "app/base/file-chooser.h"
#include "app/base/message.h"
#include "app/cities/city-export.h"
#include "app/cities/district-window.h"
#include "app/cities/place-window.h"
#include "app/cities/proposals-window.h"

static void
district_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumCitiesPage *self = URBARIUM_CITIES_PAGE (widget);
  const UrbariumCityModel *model = urbarium_city_source_get_last_model (self->source);
  if (model != NULL)
    urbarium_district_window_open (
      widget, model->checkpoint, urbarium_city_options_get_seed (self->options),
      urbarium_shares_get_wish (urbarium_city_options_get_shares (self->options)), self->ground);
}

static void
place_drawn (UrbariumCitiesPage *self, GParamSpec *pspec, UrbariumCity *city)
{
  const char *failure = urbarium_city_get_failure (city);
  if (urbarium_city_get_tile (city) == NULL && failure == NULL)
    return;
  g_signal_handlers_disconnect_by_func (city, place_drawn, self);
  if (urbarium_city_get_tile (city) != NULL)
    urbarium_place_window_open (GTK_WIDGET (self), self->source, city, self->ground);
  else
    {
      g_autoptr(GError) error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED, failure);
      urbarium_message_error (GTK_WIDGET (self), _ ("The city cannot be placed"), error);
    }
  urbarium_city_source_unwant (self->source, city);
}

/* A selected city that was scrolled away may have to be drawn again. */
static void
place_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumCitiesPage *self = URBARIUM_CITIES_PAGE (widget);
  g_autoptr(GPtrArray) chosen = urbarium_cities_page_dup_chosen (self);
  if (chosen->len != 1)
    return;
  if (g_signal_handlers_disconnect_by_func (chosen->pdata[0], place_drawn, self) == 0)
    urbarium_city_source_want (self->source, chosen->pdata[0]);
  g_signal_connect_object (chosen->pdata[0], "notify::drawn", G_CALLBACK (place_drawn), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (chosen->pdata[0], "notify::failure", G_CALLBACK (place_drawn), self, G_CONNECT_SWAPPED);
  place_drawn (self, NULL, chosen->pdata[0]);
}

/* For the area that was outlined. */
static void
propose_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumCitiesPage *self = URBARIUM_CITIES_PAGE (widget);
  const UrbariumCityModel *model = urbarium_city_source_get_last_model (self->source);
  const GArray *outline = urbarium_city_view_get_area (self->view);
  if (outline != NULL && model != NULL && urbarium_city_get_tile (self->city) != NULL)
    {
      urbarium_proposals_window_open (widget, model->checkpoint, self->city, outline);
      return;
    }
  urbarium_city_tools_outline (self->tools);
  urbarium_message_toast (widget, _ ("Click the corners of the area to plan anew, complete it with Enter, "
                                     "and choose Propose again"));
}

static void
site_cb (UrbariumCitiesPage *self, const char *path)
{
  const UrbariumCityModel *model = urbarium_city_source_get_last_model (self->source);
  if (model != NULL)
    urbarium_proposals_window_open_file (GTK_WIDGET (self), model->checkpoint, path);
}

/* For a file that shows what stays. */
static void
site_action (GtkWidget *widget, const char *name, GVariant *param)
{
  GtkFileChooser *chooser = urbarium_file_chooser_new (
    widget, GTK_FILE_CHOOSER_ACTION_OPEN, _ ("Open what stays of an area"), _ ("_Open"));
  urbarium_file_chooser_add_filter (chooser, _ ("Maps and images"), "gpkg", "geojson", "dxf", "shp", "png",
                                    NULL);
  urbarium_file_chooser_show (chooser, widget, G_CALLBACK (site_cb), widget, NULL);
}

static void
export_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumCitiesPage *self = URBARIUM_CITIES_PAGE (widget);
  g_autoptr(GPtrArray) cities = urbarium_cities_page_dup_chosen (self);
  if (cities->len > 0)
    urbarium_city_export_ask (widget, self->source, cities, g_variant_get_string (param, NULL),
                              self->job_bar);
}

void
urbarium_cities_page_install_windows (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "cities.district", NULL, district_action);
  gtk_widget_class_install_action (widget_class, "cities.export", "s", export_action);
  gtk_widget_class_install_action (widget_class, "cities.place", NULL, place_action);
  gtk_widget_class_install_action (widget_class, "cities.propose", NULL, propose_action);
  gtk_widget_class_install_action (widget_class, "cities.site", NULL, site_action);
}
