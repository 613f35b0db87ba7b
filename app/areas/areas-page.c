/* SPDX-License-Identifier: Apache-2.0 */
#include "app/areas/areas-page.h"

#include "app/base/ui-path.h"

struct _UrbariumAreasPage
{
  AdwBin parent_instance;
};

G_DEFINE_FINAL_TYPE (UrbariumAreasPage, urbarium_areas_page, ADW_TYPE_BIN)

static void
urbarium_areas_page_class_init (UrbariumAreasPageClass *klass)
{
  gtk_widget_class_set_template_from_resource (GTK_WIDGET_CLASS (klass),
                                               URBARIUM_UI_PATH "areas-page.ui");
}

static void
urbarium_areas_page_init (UrbariumAreasPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
urbarium_areas_page_set_document (UrbariumAreasPage *self, UrbariumMapDocument *document,
                                  UrbariumUndo *undo)
{
}
