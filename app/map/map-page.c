/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/map-page.h"

#include "app/base/ui-path.h"

struct _UrbariumMapPage
{
  AdwBin parent_instance;
};

G_DEFINE_FINAL_TYPE (UrbariumMapPage, urbarium_map_page, ADW_TYPE_BIN)

static void
urbarium_map_page_class_init (UrbariumMapPageClass *klass)
{
  gtk_widget_class_set_template_from_resource (GTK_WIDGET_CLASS (klass),
                                               URBARIUM_UI_PATH "map-page.ui");
}

static void
urbarium_map_page_init (UrbariumMapPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
urbarium_map_page_set_document (UrbariumMapPage *self, UrbariumMapDocument *document)
{
}
