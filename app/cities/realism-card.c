/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/realism-card.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/cities/realism-words.h"
#include "app/plot/distribution.h"

enum { PLOT_HEIGHT_PX = 220 };

static GtkWidget *
make_verdict (UrbariumRealismLevel level)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *icon = gtk_image_new_from_icon_name (urbarium_realism_get_icon (level));
  GtkWidget *label = gtk_label_new (urbarium_realism_get_verdict (level));
  gtk_widget_add_css_class (box, urbarium_realism_get_style (level));
  gtk_widget_add_css_class (label, "heading");
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_box_append (GTK_BOX (box), icon);
  gtk_box_append (GTK_BOX (box), label);
  return box;
}

static GtkWidget *
make_yardsticks (const UrbariumRealismMeasure *measure)
{
  g_autofree char *untrained = urbarium_realism_dup_times (measure->untrained_rho);
  g_autofree char *train = urbarium_realism_dup_times (measure->train_rho);
  /* translators: distances from real areas in multiples of chance: “Before training 16 × · training
   * areas 1.1 ×” */
  g_autofree char *text = g_strdup_printf (_ ("Before training %s · training areas %s"), untrained,
                                           train);
  GtkWidget *label = gtk_label_new (text);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_widget_add_css_class (label, "dim-label");
  gtk_widget_add_css_class (label, "caption");
  return label;
}

static GtkWidget *
make_distribution (const UrbariumRealismMeasure *measure)
{
  GtkWidget *plot = urbarium_distribution_new ();
  UrbariumDistribution *distribution = URBARIUM_DISTRIBUTION (plot);
  /* Log scale: half as large is as far as twice as large. */
  gboolean log_x = strcmp (measure->key, "footprint_area") == 0;
  g_object_set (plot, "title", urbarium_realism_get_title (measure), "unit", measure->unit, "log-x",
                log_x, NULL);
  urbarium_distribution_set_values (distribution, (const double *) measure->real->data,
                                    measure->real->len, (const double *) measure->generated->data,
                                    measure->generated->len);
  if (measure->ends->len > 0)
    urbarium_distribution_set_band (distribution, (const guint *) measure->ends->data,
                                    measure->ends->len);
  urbarium_distribution_set_verdict (distribution, measure->rho, NULL);
  gtk_widget_set_size_request (plot, -1, PLOT_HEIGHT_PX);
  gtk_widget_set_vexpand (plot, TRUE);
  return plot;
}

GtkWidget *
urbarium_realism_card_new (const UrbariumRealismMeasure *measure)
{
  UrbariumRealismLevel level = urbarium_realism_get_level (measure->rho);
  GtkWidget *card = adw_bin_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *words = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  gtk_widget_add_css_class (card, "card");
  gtk_widget_add_css_class (card, "realism-card");
  gtk_widget_add_css_class (words, "realism-words");
  gtk_box_append (GTK_BOX (words), make_verdict (level));
  if (level != URBARIUM_REALISM_UNKNOWN)
    gtk_box_append (GTK_BOX (words), make_yardsticks (measure));
  gtk_box_append (GTK_BOX (box), make_distribution (measure));
  gtk_box_append (GTK_BOX (box), words);
  adw_bin_set_child (ADW_BIN (card), box);
  return card;
}
