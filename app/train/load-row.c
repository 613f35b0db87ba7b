/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/load-row.h"

#include "app/train/load-curve.h"

struct _UrbariumLoadRow
{
  GtkBox             parent_instance;

  GtkLabel          *label; /* borrowed, as is the next */
  UrbariumLoadCurve *curve;
};

G_DEFINE_FINAL_TYPE (UrbariumLoadRow, urbarium_load_row, GTK_TYPE_BOX)

void
urbarium_load_row_set_text (UrbariumLoadRow *self, const char *text)
{
  gtk_label_set_text (self->label, text);
}

void
urbarium_load_row_add (UrbariumLoadRow *self, double load, double memory)
{
  urbarium_load_curve_add (self->curve, load, memory);
}

void
urbarium_load_row_clear (UrbariumLoadRow *self)
{
  urbarium_load_curve_clear (self->curve);
}

static void
urbarium_load_row_class_init (UrbariumLoadRowClass *klass)
{
}

static void
urbarium_load_row_init (UrbariumLoadRow *self)
{
  static const char *const classes[] = { "numeric", "dim-label", NULL };
  self->label = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0, "wrap", TRUE, "hexpand", TRUE, "css-classes", classes, NULL);
  self->curve = g_object_new (URBARIUM_TYPE_LOAD_CURVE, "valign", GTK_ALIGN_CENTER, NULL);
  gtk_box_set_spacing (GTK_BOX (self), 12);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->label));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->curve));
}
