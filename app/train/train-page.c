/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/train-page.h"

#include "app/base/ui-path.h"

struct _UrbariumTrainPage
{
  AdwBin parent_instance;
};

G_DEFINE_FINAL_TYPE (UrbariumTrainPage, urbarium_train_page, ADW_TYPE_BIN)

static void
urbarium_train_page_class_init (UrbariumTrainPageClass *klass)
{
  gtk_widget_class_set_template_from_resource (GTK_WIDGET_CLASS (klass),
                                               URBARIUM_UI_PATH "train-page.ui");
}

static void
urbarium_train_page_init (UrbariumTrainPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
urbarium_train_page_set_library (UrbariumTrainPage *self, UrbariumRunLibrary *library)
{
}

void
urbarium_train_page_set_dataset (UrbariumTrainPage *self, const char *path)
{
}

void
urbarium_train_page_show_run (UrbariumTrainPage *self, UrbariumRun *run)
{
}
