/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cities-page-private.h - shared by the files of UrbariumCitiesPage:
 *
 *   cities-page.c          the gallery, one city, a walk, and the generator
 *   cities-page-windows.c  what is done with cities in windows and files
 */
#pragma once

#include "app/cities/cities-page.h"

#include "app/base/job-bar.h"
#include "app/cities/city-options.h"
#include "app/cities/city-panel.h"
#include "app/cities/city-tools.h"
#include "app/cities/city-view.h"
#include "app/cities/city-walk.h"
#include "app/cities/favorites.h"
#include "app/cities/gallery.h"
#include "app/cities/model-chooser.h"
#include "app/cities/realism-panel.h"

G_BEGIN_DECLS

struct _UrbariumCitiesPage
{
  AdwBin                parent_instance;
  UrbariumCitySource   *source;     /* owned */
  GListStore           *cities;     /* owned; of the seed, as many as were scrolled to */
  UrbariumFavorites    *favorites;  /* owned */
  UrbariumGround       *ground;     /* (nullable) owned */
  char                 *checkpoint; /* (nullable) owned; the chosen one */
  gboolean              seen;
  GSettings            *settings;   /* (nullable) owned */
  UrbariumCity         *city;       /* (nullable) owned; shown in the large view */
  gboolean              turn_waits; /* until that city is drawn, then it is turned again */
  guint                 position;   /* of that city in the gallery */
  gint64                asked;      /* index of a city to show as soon as cities can be drawn; 0: none */

  AdwFlap              *flap;
  GtkStack             *panels, *content, *gallery_stack;
  AdwViewStack         *views;
  AdwViewSwitcher      *switcher;
  UrbariumRealismPanel *realism;
  AdwStatusPage        *error_page;
  UrbariumModelChooser *chooser;
  UrbariumGallery      *gallery;
  UrbariumCityView     *view;
  UrbariumCityTools    *tools;
  UrbariumCityPanel    *panel;
  UrbariumCityWalk     *walk;
  UrbariumJobBar       *job_bar;
  UrbariumCityOptions  *options;
  GtkAdjustment        *size_adjustment;
  GtkSwitch            *favorites_switch;
  GtkToggleButton      *vector_button;
  GtkWidget            *star_button, *export_button;
  GtkSpinner           *spinner;
  GtkRevealer          *selection_bar;
  GtkLabel             *selection_label;
};

/* cities-page.c */
/* The cities that are shown alone or selected. (transfer full) (element-type UrbariumCity) */
GPtrArray *urbarium_cities_page_dup_chosen      (UrbariumCitiesPage *self);

/* cities-page-windows.c */
/* Adds the actions that open windows or ask for files. */
void       urbarium_cities_page_install_windows (GtkWidgetClass *widget_class);

G_END_DECLS
