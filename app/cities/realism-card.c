/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/realism-card.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/base/ui-path.h"
#include "app/cities/realism-words.h"
#include "app/plot/distribution.h"

GtkWidget *
urbarium_realism_card_new (const UrbariumRealismMeasure *measure)
{
  UrbariumRealismLevel level = urbarium_realism_get_level (measure);
  g_autofree char *untrained = urbarium_realism_dup_times (measure->untrained_rho);
  g_autofree char *train = urbarium_realism_dup_times (measure->train_rho);
  /* translators: distances from real areas in multiples of chance: “Before training 16 × · training
   * areas 1.1 ×” */
  g_autofree char *text = g_strdup_printf (_ ("Before training %s · training areas %s"), untrained,
                                           train);
  g_autoptr(GtkBuilder) builder = NULL;
  const UrbariumDistributionData data = {
    .title = urbarium_realism_get_title (measure),
    .unit = *measure->unit != '\0' ? measure->unit : NULL,
    /* Log scale: half as large is as far as twice as large. */
    .log_x = strcmp (measure->unit, "m²") == 0,
    .real = measure->real,
    .generated = measure->generated,
    .ends = measure->ends,
    .rho = measure->rho,
  };
  GtkWidget *references;
  g_type_ensure (URBARIUM_TYPE_DISTRIBUTION);
  builder = gtk_builder_new_from_resource (URBARIUM_UI_PATH "realism-card.ui");
  urbarium_distribution_set (
    URBARIUM_DISTRIBUTION (gtk_builder_get_object (builder, "distribution")), &data);
  gtk_widget_add_css_class (GTK_WIDGET (gtk_builder_get_object (builder, "verdict_box")),
                            urbarium_realism_get_style (level));
  g_object_set (gtk_builder_get_object (builder, "verdict_icon"), "icon-name",
                urbarium_realism_get_icon (level), NULL);
  g_object_set (gtk_builder_get_object (builder, "verdict"), "label",
                urbarium_realism_get_verdict (level), NULL);
  references = GTK_WIDGET (gtk_builder_get_object (builder, "references"));
  gtk_label_set_label (GTK_LABEL (references), text);
  gtk_widget_set_visible (references, level != URBARIUM_REALISM_UNKNOWN);
  return GTK_WIDGET (g_object_ref (gtk_builder_get_object (builder, "card")));
}
