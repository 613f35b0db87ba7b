/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/value-row.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/ui-path.h"
#include "app/map/class-button.h"
#include "app/map/map-words.h"

struct _UrbariumValueRow
{
  AdwActionRow         parent_instance;
  UrbariumMapDocument *document;     /* owned */
  char                *layer;        /* owned */
  char                *value;        /* owned; nullable until set_info() */
  char                *amount;       /* owned; nullable */
  UrbClass             read_class;
  gboolean             known;

  GtkButton           *reset;
  UrbariumClassButton *class_button;
};

G_DEFINE_FINAL_TYPE (UrbariumValueRow, urbarium_value_row, ADW_TYPE_ACTION_ROW)

static void
chosen_cb (UrbariumValueRow *self, int class_)
{
  urbarium_map_document_set_class (self->document, self->layer, self->value, (UrbClass) class_);
}

static void
reset_cb (UrbariumValueRow *self)
{
  /* The reset button will be hidden. */
  gtk_widget_child_focus (GTK_WIDGET (self->class_button), GTK_DIR_TAB_FORWARD);
  urbarium_map_document_reset_class (self->document, self->layer, self->value);
}

/* The displayed name of the value. */
static char *
make_name (UrbariumValueRow *self)
{
  if (*self->value == '\0')
    return g_strdup (self->layer);
  if (g_str_equal (self->value, "(none)"))
    return g_strdup (_ ("No value"));
  if (g_str_equal (self->value, "(more values)"))
    return g_strdup (_ ("All other values"));
  return g_utf8_make_valid (self->value, -1);
}

static void
set_style (UrbariumValueRow *self, const char *name, gboolean is_set)
{
  if (is_set)
    gtk_widget_add_css_class (GTK_WIDGET (self), name);
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), name);
}

void
urbarium_value_row_update (UrbariumValueRow *self)
{
  g_autofree char *name = make_name (self);
  g_autofree char *subtitle = NULL;
  UrbClass class_ = self->read_class;
  gboolean is_by_hand
    = urbarium_map_document_get_class (self->document, self->layer, self->value, &class_);
  const char *note = is_by_hand ? _ ("by hand") : self->known ? NULL : _ ("unknown value");
  g_return_if_fail (URBARIUM_IS_VALUE_ROW (self) && self->value != NULL);
  urbarium_class_button_set (self->class_button, name, class_);
  gtk_widget_set_visible (GTK_WIDGET (self->reset), is_by_hand);
  subtitle = note == NULL ? g_strdup (self->amount)
                          : g_strdup_printf ("%s · %s", self->amount, note);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self), subtitle);
  set_style (self, "by-hand", is_by_hand);
  set_style (self, "unknown", !is_by_hand && !self->known);
}

void
urbarium_value_row_set_info (UrbariumValueRow *self, const UrbariumValueInfo *info)
{
  g_autofree char *count = urbarium_format_count (info->n_features);
  g_autofree char *objects
    = g_strdup_printf (ngettext ("%s object", "%s objects", (gulong) info->n_features), count);
  g_autofree char *area = urbarium_format_area (info->area_m2);
  g_autofree char *name = NULL;
  g_autofree char *title = NULL;
  g_return_if_fail (URBARIUM_IS_VALUE_ROW (self));
  g_free (self->value);
  g_free (self->amount);
  self->value = g_strdup (info->value);
  self->amount = info->area_m2 > 0 ? g_strdup_printf ("%s · %s", objects, area)
                                   : g_steal_pointer (&objects);
  self->read_class = info->class_;
  self->known = info->known;
  name = make_name (self);
  title = urbarium_map_words_make_breakable (name);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  urbarium_value_row_update (self);
}

static void
dispose (GObject *object)
{
  g_clear_object (&URBARIUM_VALUE_ROW (object)->document);
  G_OBJECT_CLASS (urbarium_value_row_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumValueRow *self = URBARIUM_VALUE_ROW (object);
  g_free (self->layer);
  g_free (self->value);
  g_free (self->amount);
  G_OBJECT_CLASS (urbarium_value_row_parent_class)->finalize (object);
}

static void
urbarium_value_row_class_init (UrbariumValueRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  g_type_ensure (URBARIUM_TYPE_CLASS_BUTTON);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "value-row.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumValueRow, reset);
  gtk_widget_class_bind_template_child (widget_class, UrbariumValueRow, class_button);
  gtk_widget_class_bind_template_callback (widget_class, reset_cb);
  gtk_widget_class_bind_template_callback (widget_class, chosen_cb);
}

static void
urbarium_value_row_init (UrbariumValueRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
urbarium_value_row_new (UrbariumMapDocument *document, const char *layer)
{
  UrbariumValueRow *self = g_object_new (URBARIUM_TYPE_VALUE_ROW, NULL);
  self->document = g_object_ref (document);
  self->layer = g_strdup (layer);
  return GTK_WIDGET (self);
}
