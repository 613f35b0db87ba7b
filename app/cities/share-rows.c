/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slider that was not touched stands at the mean of the map and reads "as in the map": every city
 * then has the shares of some real area.
 */
#include "app/cities/share-rows.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/base/format.h"
#include "app/base/ui-path.h"

typedef struct
{
  GtkWidget *scale, *value, *reset;
} Row;

struct _UrbariumShareRows
{
  AdwBin               parent_instance;
  UrbariumShares      *shares; /* (nullable) owned */
  gboolean             showing; /* the sliders move, but not by the user */
  Row                  rows[URBARIUM_N_SHARES];

  AdwPreferencesGroup *group;
};

G_DEFINE_FINAL_TYPE (UrbariumShareRows, urbarium_share_rows, ADW_TYPE_BIN)

enum
{
  PROP_SHARES = 1,
  N_PROPS
};

static void
show_row (UrbariumShareRows *self, UrbariumShare share)
{
  const UrbariumShareRange *range = &urbarium_shares_get_ranges (self->shares)[share];
  double wish = urbarium_shares_get_wish (self->shares)->share[share];
  g_autofree char *percent = urbarium_format_percent (wish);
  const char *text = wish < 0 ? _ ("as in the map") : percent;
  Row *row = &self->rows[share];
  GtkAdjustment *adjustment = gtk_range_get_adjustment (GTK_RANGE (row->scale));
  gtk_adjustment_configure (adjustment, 100 * (wish < 0 ? range->mean : wish), 100 * range->low,
                            100 * range->high, 1, 5, 0);
  gtk_widget_set_sensitive (row->scale, range->high > range->low);
  gtk_widget_set_sensitive (row->reset, wish >= 0);
  gtk_widget_set_opacity (row->reset, wish >= 0 ? 1 : 0);
  gtk_label_set_label (GTK_LABEL (row->value), text);
  if (wish < 0)
    gtk_widget_add_css_class (row->value, "dim-label");
  else
    gtk_widget_remove_css_class (row->value, "dim-label");
  gtk_accessible_update_property (GTK_ACCESSIBLE (row->scale), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                  text, -1);
}

static void
show (UrbariumShareRows *self)
{
  gboolean there = self->shares != NULL && urbarium_shares_get_ranges (self->shares) != NULL;
  gtk_widget_set_visible (GTK_WIDGET (self->group), there);
  self->showing = TRUE;
  for (int i = 0; i < URBARIUM_N_SHARES && there; i++)
    show_row (self, (UrbariumShare) i);
  self->showing = FALSE;
}

static UrbariumShare
find_row (UrbariumShareRows *self, gpointer widget)
{
  int i = 0;
  while (i < URBARIUM_N_SHARES - 1 && self->rows[i].scale != widget && self->rows[i].reset != widget)
    i++;
  return (UrbariumShare) i;
}

/* A thousandth is as exact as the label. */
static void
moved_cb (GtkRange *scale, UrbariumShareRows *self)
{
  if (!self->showing)
    urbarium_shares_set_wish (self->shares, find_row (self, scale),
                              rint (10 * gtk_range_get_value (scale)) / 1000);
}

static void
reset_cb (GtkButton *button, UrbariumShareRows *self)
{
  UrbariumShare share = find_row (self, button);
  gtk_widget_grab_focus (self->rows[share].scale); /* the button becomes insensitive */
  urbarium_shares_set_wish (self->shares, share, -1);
}

static GtkWidget *
make_head (Row *row, const char *title)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *label = gtk_label_new (title);
  g_autofree char *name
    /* translators: of a button; %s is a share: built, roads, large buildings */
    = g_strdup_printf (_ ("%s: as in the map"), title);
  row->value = gtk_label_new (NULL);
  row->reset = gtk_button_new_from_icon_name ("edit-clear-symbolic");
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (row->value, "numeric");
  gtk_widget_add_css_class (row->reset, "flat");
  gtk_widget_set_tooltip_text (row->reset, _ ("As in the map"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (row->reset), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), row->value);
  gtk_box_append (GTK_BOX (box), row->reset);
  return box;
}

static void
add_row (UrbariumShareRows *self, Row *row, const char *title)
{
  GtkWidget *widget = adw_preferences_row_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  row->scale = gtk_scale_new (GTK_ORIENTATION_HORIZONTAL, NULL);
  gtk_widget_add_css_class (box, "share-row");
  gtk_box_append (GTK_BOX (box), make_head (row, title));
  gtk_box_append (GTK_BOX (box), row->scale);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (widget), box);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (widget), FALSE);
  gtk_widget_set_focusable (widget, FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (widget), title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row->scale), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  g_signal_connect_object (row->scale, "value-changed", G_CALLBACK (moved_cb), self, 0);
  g_signal_connect_object (row->reset, "clicked", G_CALLBACK (reset_cb), self, 0);
  adw_preferences_group_add (self->group, widget);
}

static void
set_shares (UrbariumShareRows *self, UrbariumShares *shares)
{
  if (self->shares != NULL)
    g_signal_handlers_disconnect_by_data (self->shares, self);
  g_set_object (&self->shares, shares);
  if (shares != NULL)
    g_object_connect (shares, "swapped-object-signal::changed", show, self,
                      "swapped-object-signal::ranges-changed", show, self, NULL);
  show (self);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_SHARES)
    g_value_set_object (value, URBARIUM_SHARE_ROWS (object)->shares);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_SHARES)
    set_shares (URBARIUM_SHARE_ROWS (object), g_value_get_object (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
dispose (GObject *object)
{
  UrbariumShareRows *self = URBARIUM_SHARE_ROWS (object);
  if (self->shares != NULL)
    g_signal_handlers_disconnect_by_data (self->shares, self);
  g_clear_object (&self->shares);
  G_OBJECT_CLASS (urbarium_share_rows_parent_class)->dispose (object);
}

static void
urbarium_share_rows_class_init (UrbariumShareRowsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  object_class->get_property = get_property;
  object_class->set_property = set_property;
  object_class->dispose = dispose;
  g_object_class_install_property (object_class, PROP_SHARES,
                                   g_param_spec_object ("shares", NULL, NULL, URBARIUM_TYPE_SHARES,
                                                        G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "share-rows.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumShareRows, group);
}

static void
urbarium_share_rows_init (UrbariumShareRows *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  for (int i = 0; i < URBARIUM_N_SHARES; i++)
    add_row (self, &self->rows[i], _ (urbarium_share_titles[i]));
  show (self);
}
