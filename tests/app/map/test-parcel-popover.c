/* SPDX-License-Identifier: Apache-2.0 */
/* test-parcel-popover.c - searching, nothing, or objects with their attributes, to read and to
 * copy. */
#include "app/map/parcel-popover.h"
#include "app/map/swatch.h"
#include "map-fixture.h"

enum { MAX_ATTRIBUTES = 100 };

typedef struct
{
  UrbariumParcelPopover *popover; /* borrowed by the button */
  GtkWidget             *button;  /* at the point; borrowed by the window */
  GtkWindow             *window;
  UrbariumParcel        *parcel; /* owned */
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  self->parcel = g_new0 (UrbariumParcel, 1);
  self->parcel->objects
    = g_ptr_array_new_with_free_func ((GDestroyNotify) urb_map_object_free);
  self->parcel->outline = g_array_new (FALSE, FALSE, sizeof (double));
  self->parcel->ring_sizes = g_array_new (FALSE, FALSE, sizeof (guint));
  self->popover = g_object_new (URBARIUM_TYPE_PARCEL_POPOVER, NULL);
  self->button = gtk_menu_button_new ();
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (self->button), GTK_WIDGET (self->popover));
  self->window = test_window_new (self->button, 600, 500);
  gtk_menu_button_popup (GTK_MENU_BUTTON (self->button));
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  GObject *popover = g_object_ref (G_OBJECT (self->popover));
  gtk_menu_button_popdown (GTK_MENU_BUTTON (self->button));
  test_frames (self->window, 2);
  test_window_destroy (self->window);
  test_assert_last_unref (popover);
  urbarium_parcel_free (self->parcel);
}

static void
attribute_free (gpointer data)
{
  UrbMapAttribute *attribute = data;
  g_free (attribute->name);
  g_free (attribute->value);
  g_free (attribute);
}

static UrbMapObject *
add_object (Fixture *self, const char *layer, UrbClass class_, double area_m2)
{
  UrbMapObject *object = g_new0 (UrbMapObject, 1);
  object->layer = g_strdup (layer);
  object->source = g_strdup ("town.gpkg");
  object->class_ = class_;
  object->area_m2 = area_m2;
  object->is_read = TRUE;
  object->attributes = g_ptr_array_new_with_free_func (attribute_free);
  g_ptr_array_add (self->parcel->objects, object);
  return object;
}

static void
add_attribute (UrbMapObject *object, const char *name, const char *value)
{
  UrbMapAttribute *attribute = g_new (UrbMapAttribute, 1);
  attribute->name = g_strdup (name);
  attribute->value = g_strdup (value);
  g_ptr_array_add (object->attributes, attribute);
}

static void
show (Fixture *self)
{
  urbarium_parcel_popover_set_parcel (self->popover, self->parcel);
  test_frames (self->window, 3);
}

/* All visible labels, one per line, except the button's. (transfer full) */
static char *
read_labels (Fixture *self)
{
  g_autoptr(GPtrArray) labels
    = map_fixture_list (GTK_WIDGET (self->popover), GTK_TYPE_LABEL);
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < labels->len; i++)
    if (gtk_widget_get_ancestor (labels->pdata[i], GTK_TYPE_BUTTON) == NULL)
      g_string_append_printf (text, "%s\n", gtk_label_get_text (labels->pdata[i]));
  return g_string_free (text, FALSE);
}

static void
assert_labels (Fixture *self, const char *expected)
{
  g_autofree char *text = read_labels (self);
  g_autofree char *unbroken = map_fixture_unbreak (text);
  g_assert_cmpstr (unbroken, ==, expected);
}

/* NULL if nothing was copied. (transfer full) */
static char *
read_clipboard (Fixture *self)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (self->popover));
  GdkContentProvider *content = gdk_clipboard_get_content (clipboard);
  g_auto(GValue) value = G_VALUE_INIT;
  if (content == NULL)
    return NULL;
  g_value_init (&value, G_TYPE_STRING);
  g_assert_true (gdk_content_provider_get_value (content, &value, NULL));
  return g_value_dup_string (&value);
}

static void
copy (Fixture *self)
{
  g_autoptr(GPtrArray) buttons
    = map_fixture_list (GTK_WIDGET (self->popover), GTK_TYPE_BUTTON);
  g_assert_cmpuint (buttons->len, ==, 1);
  g_assert_cmpstr (gtk_button_get_label (buttons->pdata[0]), ==, "_Copy");
  g_signal_emit_by_name (buttons->pdata[0], "clicked");
}

static void
test_states (Fixture *self, gconstpointer data)
{
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (self->popover),
                                       GTK_ACCESSIBLE_PROPERTY_LABEL, "Objects at this point");
  urbarium_parcel_popover_set_parcel (self->popover, NULL);
  test_frames (self->window, 2);
  assert_labels (self, "Reading the attributes…\n");
  show (self);
  assert_labels (self, "Nothing here\n");
  add_object (self, "forest", URB_CLASS_OTHER, 1234567);
  show (self);
  assert_labels (self, "forest\nOther · 1.23 km²\n");
  urbarium_parcel_popover_set_parcel (self->popover, NULL);
  test_frames (self->window, 2);
  assert_labels (self, "Reading the attributes…\n");
}

static void
test_objects (Fixture *self, gconstpointer data)
{
  UrbMapObject *house = add_object (self, "houses", URB_CLASS_BUILDING, 120), *gone;
  g_autoptr(GPtrArray) swatches = NULL;
  add_attribute (house, "name", "<b>Town hall</b> & more");
  add_attribute (house, "street_name", "Main.street/2-4");
  add_object (self, "borders", URB_CLASS_IGNORE, 0)->is_read = FALSE;
  gone = add_object (self, "walls", URB_CLASS_BUILDING, 2);
  gone->is_read = FALSE;
  gone->problem = g_strdup ("'https://h:443/wfs' cannot be opened: no server answers at this host and port.");
  add_object (self, "<i>grass", URB_CLASS_OTHER, 850);
  show (self);
  assert_labels (self, "houses\nBuilding · 120 m²\n"
                       "name\n<b>Town hall</b> & more\nstreet_name\nMain.street/2-4\n"
                       "borders\nIgnored\n" /* no area: a line */
                       "The attributes could not be read in time.\n"
                       "walls\nBuilding · 2 m²\n"
                       "“https://h:443/wfs” cannot be opened: no server answers at this host and port.\n"
                       "<i>grass\nOther · 850 m²\n");
  swatches = map_fixture_list (GTK_WIDGET (self->popover), URBARIUM_TYPE_SWATCH);
  g_assert_cmpuint (swatches->len, ==, 4);
  show (self); /* replaces the previous objects */
  assert_labels (self, "houses\nBuilding · 120 m²\n"
                       "name\n<b>Town hall</b> & more\nstreet_name\nMain.street/2-4\n"
                       "borders\nIgnored\n"
                       "The attributes could not be read in time.\n"
                       "walls\nBuilding · 2 m²\n"
                       "“https://h:443/wfs” cannot be opened: no server answers at this host and port.\n"
                       "<i>grass\nOther · 850 m²\n");
}

/* A source may have hundreds; the clipboard gets all of them. */
static void
test_many_attributes (Fixture *self, gconstpointer data)
{
  UrbMapObject *object = add_object (self, "houses", URB_CLASS_BUILDING, 120);
  g_autoptr(GPtrArray) labels = NULL;
  g_autofree char *text = NULL;
  g_auto(GStrv) lines = NULL;
  for (int i = 0; i < 3 * MAX_ATTRIBUTES; i++)
    add_attribute (object, "a", "a value that is much longer than the popover is wide, and more");
  show (self);
  labels = map_fixture_list (test_find (GTK_WIDGET (self->popover), GTK_TYPE_GRID),
                             GTK_TYPE_LABEL);
  g_assert_cmpuint (labels->len, ==, 2 * MAX_ATTRIBUTES);
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (self->popover)), <, 500);
  g_assert_cmpint (gtk_widget_get_height (GTK_WIDGET (self->popover)), <, 480);
  copy (self);
  text = read_clipboard (self);
  lines = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 1 + 3 * MAX_ATTRIBUTES + 1);
}

static void
test_copy (Fixture *self, gconstpointer data)
{
  UrbMapObject *house = add_object (self, "houses", URB_CLASS_BUILDING, 120);
  g_autofree char *text = NULL, *same = NULL;
  add_attribute (house, "name", "Zürich_2");
  add_object (self, "grass", URB_CLASS_OTHER, 850);
  show (self);
  copy (self);
  text = read_clipboard (self);
  g_assert_cmpstr (text, ==, "houses\nname: Zürich_2\n\ngrass\n"); /* without zero-width spaces */
  /* By its mnemonic, after the parcel was released: nothing to copy. */
  urbarium_parcel_popover_set_parcel (self->popover, NULL);
  g_signal_emit_by_name (test_find (GTK_WIDGET (self->popover), GTK_TYPE_BUTTON), "clicked");
  same = read_clipboard (self);
  g_assert_cmpstr (same, ==, text);
}

int
main (int argc, char **argv)
{
#define ADD(name, func) \
  g_test_add ("/app/parcel-popover/" name, Fixture, NULL, set_up, func, tear_down)
  test_app_init (&argc, &argv);
  ADD ("states", test_states);
  ADD ("objects", test_objects);
  ADD ("many-attributes", test_many_attributes);
  ADD ("copy", test_copy);
  return g_test_run ();
}
