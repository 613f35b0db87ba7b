/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/cities-page.h"

#include "app/base/ui-path.h"

struct _UrbariumCitiesPage
{
  AdwBin parent_instance;
};

G_DEFINE_FINAL_TYPE (UrbariumCitiesPage, urbarium_cities_page, ADW_TYPE_BIN)

static void
urbarium_cities_page_class_init (UrbariumCitiesPageClass *klass)
{
  gtk_widget_class_set_template_from_resource (GTK_WIDGET_CLASS (klass),
                                               URBARIUM_UI_PATH "cities-page.ui");
}

static void
urbarium_cities_page_init (UrbariumCitiesPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
urbarium_cities_page_set_library (UrbariumCitiesPage *self, UrbariumRunLibrary *library)
{
}

void
urbarium_cities_page_show_run (UrbariumCitiesPage *self, UrbariumRun *run)
{
}
