/* SPDX-License-Identifier: Apache-2.0 */
/* test-class-button.c - the menu is created late, and only the user's choices are reported. */
#include "app/map/class-button.h"
#include "map-fixture.h"

typedef struct
{
  UrbariumClassButton *button; /* borrowed */
  GtkMenuButton       *menu_button;
  GtkWindow           *window;
  int                  n_chosen, class_; /* by the signal */
} Fixture;

static void
chosen_cb (UrbariumClassButton *button, int class_, Fixture *self)
{
  self->n_chosen++;
  self->class_ = class_;
}

static void
set_up (Fixture *self, gconstpointer data)
{
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_CLASS_BUTTON, NULL);
  self->button = URBARIUM_CLASS_BUTTON (widget);
  self->menu_button = GTK_MENU_BUTTON (test_find (widget, GTK_TYPE_MENU_BUTTON));
  g_signal_connect (widget, "chosen", G_CALLBACK (chosen_cb), self);
  self->window = test_window_new (widget, 300, 200);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  test_window_destroy (self->window);
}

static GtkWidget *
get_toggle (Fixture *self)
{
  return gtk_widget_get_first_child (GTK_WIDGET (self->menu_button));
}

static void
assert_label (Fixture *self, const char *title)
{
  GtkWidget *label = test_find (GTK_WIDGET (self->menu_button), GTK_TYPE_LABEL);
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (label)), ==, title);
}

/* Opens and closes the menu; "Building [Road] Other Ignored": the active item in brackets. */
static void
assert_menu (Fixture *self, const char *expected)
{
  GString *found = g_string_new (NULL);
  g_autoptr(GPtrArray) items = NULL;
  gtk_menu_button_popup (self->menu_button);
  test_frames (self->window, 3);
  items = map_fixture_list (GTK_WIDGET (gtk_menu_button_get_popover (self->menu_button)),
                            g_type_from_name ("GtkModelButton"));
  for (guint i = 0; i < items->len; i++)
    {
      g_autofree char *text = NULL;
      gboolean is_marked;
      g_object_get (items->pdata[i], "text", &text, "active", &is_marked, NULL);
      g_string_append_printf (found, is_marked ? "%s[%s]" : "%s%s", i > 0 ? " " : "", text);
    }
  g_assert_cmpstr (found->str, ==, expected);
  g_string_free (found, TRUE);
  gtk_menu_button_popdown (self->menu_button);
}

/* A list has hundreds of them, and few are ever opened. */
static void
test_menu (Fixture *self, gconstpointer data)
{
  g_assert_null (gtk_menu_button_get_popover (self->menu_button));
  g_assert_null (gtk_menu_button_get_menu_model (self->menu_button));
  for (int i = 0; i < 2; i++)
    assert_menu (self, "[Building] Road Other Ignored");
  urbarium_class_button_set (self->button, "forest", URB_CLASS_IGNORE);
  assert_menu (self, "Building Road Other [Ignored]");
  g_assert_cmpint (self->n_chosen, ==, 0);
}

static void
test_set (Fixture *self, gconstpointer data)
{
  static const char *const titles[] = { "Building", "Road", "Other", "Ignored" };
  assert_label (self, "Building");
  for (int c = 0; c <= URB_CLASS_IGNORE; c++)
    {
      g_autofree char *name = g_strdup_printf ("Class of <b>%d & %%s: %s", c, titles[c]);
      g_autofree char *what = g_strdup_printf ("<b>%d & %%s", c);
      urbarium_class_button_set (self->button, what, (UrbClass) c);
      assert_label (self, titles[c]);
      gtk_test_accessible_assert_property (GTK_ACCESSIBLE (get_toggle (self)),
                                           GTK_ACCESSIBLE_PROPERTY_LABEL, name);
    }
  g_assert_cmpint (self->n_chosen, ==, 0);
}

static void
test_choose (Fixture *self, gconstpointer data)
{
  map_fixture_choose (GTK_WIDGET (self->button), "Ignored");
  g_assert_cmpint (self->n_chosen, ==, 1);
  g_assert_cmpint (self->class_, ==, URB_CLASS_IGNORE);
  /* The button keeps its class until its owner changes it. */
  assert_label (self, "Building");
  assert_menu (self, "[Building] Road Other Ignored");
  map_fixture_choose (GTK_WIDGET (self->button), "Building");
  g_assert_cmpint (self->n_chosen, ==, 1);
  urbarium_class_button_set (self->button, "forest", URB_CLASS_IGNORE);
  map_fixture_choose (GTK_WIDGET (self->button), "Road");
  g_assert_cmpint (self->n_chosen, ==, 2);
  g_assert_cmpint (self->class_, ==, URB_CLASS_ROAD);
}

/* Classes that no menu offers. */
static void
test_no_class (Fixture *self, gconstpointer data)
{
  static const int no_classes[] = { -1, URB_CLASS_IGNORE + 1, G_MAXINT, G_MININT };
  for (guint i = 0; i < G_N_ELEMENTS (no_classes); i++)
    gtk_widget_activate_action (GTK_WIDGET (self->menu_button), "class.choose", "i",
                                no_classes[i]);
  g_assert_cmpint (self->n_chosen, ==, 0);
  assert_label (self, "Building");
}

static void
test_focus (Fixture *self, gconstpointer data)
{
  gtk_window_set_focus (self->window, NULL);
  g_assert_true (gtk_widget_child_focus (GTK_WIDGET (self->button), GTK_DIR_TAB_FORWARD));
  g_assert_true (gtk_window_get_focus (self->window) == get_toggle (self));
  /* A single tab stop. */
  g_assert_false (gtk_widget_child_focus (GTK_WIDGET (self->button), GTK_DIR_TAB_FORWARD));
}

int
main (int argc, char **argv)
{
#define ADD(name, func) \
  g_test_add ("/app/class-button/" name, Fixture, NULL, set_up, func, tear_down)
  test_app_init (&argc, &argv);
  ADD ("menu", test_menu);
  ADD ("set", test_set);
  ADD ("choose", test_choose);
  ADD ("no-class", test_no_class);
  ADD ("focus", test_focus);
  return g_test_run ();
}
