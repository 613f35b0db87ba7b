/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/parcel-popover.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/ui-path.h"
#include "app/map/map-words.h"
#include "app/map/swatch.h"

/* Per object; a source may have hundreds. */
enum { MAX_ATTRIBUTES = 100 };

struct _UrbariumParcelPopover
{
  GtkPopover            parent_instance;
  const UrbariumParcel *parcel; /* borrowed; nullable */

  GtkStack             *stack;
  GtkBox               *objects;
};

G_DEFINE_FINAL_TYPE (UrbariumParcelPopover, urbarium_parcel_popover, GTK_TYPE_POPOVER)

static void
copy_cb (UrbariumParcelPopover *self)
{
  g_autofree char *text = NULL;
  if (self->parcel == NULL)
    return;
  text = urbarium_parcel_make_text (self->parcel);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
}

static GtkWidget *
make_label (const char *text, const char *style)
{
  GtkWidget *label = gtk_label_new (text);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_set_valign (label, GTK_ALIGN_START);
  if (style != NULL)
    gtk_widget_add_css_class (label, style);
  return label;
}

static GtkWidget *
make_head (const UrbMapObject *object)
{
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *lines = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *swatch = g_object_new (URBARIUM_TYPE_SWATCH, NULL);
  const char *class_ = urbarium_class_get_title (object->class_);
  g_autofree char *area = urbarium_format_area (object->area_m2);
  g_autofree char *subtitle = object->area_m2 > 0 ? g_strdup_printf ("%s · %s", class_, area)
                                                  : g_strdup (class_);
  urbarium_swatch_set_class (URBARIUM_SWATCH (swatch), object->class_);
  gtk_box_append (GTK_BOX (head), swatch);
  gtk_box_append (GTK_BOX (lines), make_label (object->layer, "heading"));
  gtk_box_append (GTK_BOX (lines), make_label (subtitle, "dim-label"));
  gtk_box_append (GTK_BOX (head), lines);
  return head;
}

/* Makes the label as wide as its text, up to @n_chars.  A scrolled window measures its height for
 * the minimum width, so that must not be narrower. */
static void
set_width (GtkWidget *label, int n_chars)
{
  int n = (int) g_utf8_strlen (gtk_label_get_text (GTK_LABEL (label)), -1);
  gtk_label_set_width_chars (GTK_LABEL (label), MIN (n, n_chars));
  gtk_label_set_max_width_chars (GTK_LABEL (label), n_chars);
}

static GtkWidget *
make_attributes (const UrbMapObject *object)
{
  GtkWidget *grid = gtk_grid_new ();
  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 3);
  for (guint i = 0; i < MIN (object->attributes->len, MAX_ATTRIBUTES); i++)
    {
      const UrbMapAttribute *attribute = object->attributes->pdata[i];
      GtkWidget *name = make_label (attribute->name, "dim-label");
      g_autofree char *text = urbarium_map_words_make_breakable (attribute->value);
      GtkWidget *value = make_label (text, NULL);
      set_width (name, 16);
      set_width (value, 28);
      gtk_widget_set_hexpand (value, TRUE);
      gtk_accessible_update_property (GTK_ACCESSIBLE (value), GTK_ACCESSIBLE_PROPERTY_LABEL, attribute->value, -1);
      gtk_accessible_update_relation (GTK_ACCESSIBLE (value), GTK_ACCESSIBLE_RELATION_DESCRIBED_BY,
                                      name, NULL, -1);
      gtk_grid_attach (GTK_GRID (grid), name, 0, (int) i, 1, 1);
      gtk_grid_attach (GTK_GRID (grid), value, 1, (int) i, 1, 1);
    }
  return grid;
}

/* Why there are no attributes. */
static GtkWidget *
make_problem (const UrbMapObject *object)
{
  g_autofree char *plain = object->problem != NULL ? urbarium_map_words_make_plain (object->problem, NULL) : NULL;
  GtkWidget *label = make_label (plain != NULL ? plain : _ ("The attributes could not be read in time."), "dim-label");
  set_width (label, 44);
  return label;
}

static void
add_object (UrbariumParcelPopover *self, const UrbMapObject *object)
{
  if (gtk_widget_get_first_child (GTK_WIDGET (self->objects)) != NULL)
    gtk_box_append (self->objects, gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append (self->objects, make_head (object));
  if (!object->is_read)
    gtk_box_append (self->objects, make_problem (object));
  else if (object->attributes->len > 0)
    gtk_box_append (self->objects, make_attributes (object));
}

void
urbarium_parcel_popover_set_parcel (UrbariumParcelPopover *self, const UrbariumParcel *parcel)
{
  GtkWidget *child;
  g_return_if_fail (URBARIUM_IS_PARCEL_POPOVER (self));
  self->parcel = parcel;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->objects))) != NULL)
    gtk_box_remove (self->objects, child);
  if (parcel == NULL)
    gtk_stack_set_visible_child_name (self->stack, "looking");
  else if (parcel->objects->len == 0)
    gtk_stack_set_visible_child_name (self->stack, "nothing");
  else
    {
      for (guint i = 0; i < parcel->objects->len; i++)
        add_object (self, parcel->objects->pdata[i]);
      gtk_stack_set_visible_child_name (self->stack, "found");
    }
}

static void
urbarium_parcel_popover_class_init (UrbariumParcelPopoverClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               URBARIUM_UI_PATH "parcel-popover.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumParcelPopover, stack);
  gtk_widget_class_bind_template_child (widget_class, UrbariumParcelPopover, objects);
  gtk_widget_class_bind_template_callback (widget_class, copy_cb);
}

static void
urbarium_parcel_popover_init (UrbariumParcelPopover *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
