/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-run-name.c - editing in place: Return and leaving commit, Escape cancels.
 */
#include "app-test.h"
#include "app/train/run-name.h"
#include "controllers.h"
#include "made-up.h"

typedef struct
{
  GtkWidget *widget, *label, *entry;
  GtkWindow *window;
  int        n_renamed;
  char      *name; /* (nullable) owned: last emitted */
} Scene;

static void
renamed_cb (UrbariumRunName *self, const char *name, Scene *scene)
{
  scene->n_renamed++;
  g_free (scene->name);
  scene->name = g_strdup (name);
}

/* Next to another focusable widget. */
static void
scene_init (Scene *scene)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  *scene = (Scene){ .widget = g_object_new (URBARIUM_TYPE_RUN_NAME, NULL) };
  scene->label = made_up_part (scene->widget, "label");
  scene->entry = made_up_part (scene->widget, "entry");
  gtk_box_append (GTK_BOX (box), scene->widget);
  gtk_box_append (GTK_BOX (box), gtk_button_new_with_label ("Elsewhere"));
  urbarium_run_name_set_text (URBARIUM_RUN_NAME (scene->widget), "Delft");
  g_signal_connect (scene->widget, "renamed", G_CALLBACK (renamed_cb), scene);
  scene->window = test_window_new (box, 300, 120);
}

static void
scene_clear (Scene *scene)
{
  g_object_add_weak_pointer (G_OBJECT (scene->widget), (gpointer *) &scene->widget);
  test_window_destroy (scene->window);
  g_assert_null (scene->widget);
  g_free (scene->name);
}

static gboolean
is_editing (Scene *scene)
{
  gboolean editing = urbarium_run_name_get_editing (URBARIUM_RUN_NAME (scene->widget));
  g_assert_cmpint (gtk_widget_get_mapped (scene->entry), ==, editing);
  g_assert_cmpint (gtk_widget_get_mapped (scene->label), ==, !editing);
  return editing;
}

static void
write_name (Scene *scene, const char *text)
{
  gtk_widget_activate_action (scene->widget, "name.edit", NULL);
  g_assert_true (is_editing (scene));
  gtk_editable_set_text (GTK_EDITABLE (scene->entry), text);
}

static void
test_renamed (void)
{
  Scene scene;
  scene_init (&scene);
  g_assert_false (is_editing (&scene));
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (scene.label)), ==, "Delft");
  g_assert_cmpstr (gtk_widget_get_tooltip_text (scene.label), ==, "Delft");

  g_signal_emit_by_name (test_find (scene.widget, GTK_TYPE_BUTTON), "clicked");
  g_assert_true (is_editing (&scene));
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (scene.entry)), ==, "Delft");
  g_assert_true (gtk_widget_is_ancestor (gtk_window_get_focus (scene.window), scene.entry));
  gtk_editable_set_text (GTK_EDITABLE (scene.entry), "  Delft by night ");
  g_signal_emit_by_name (scene.entry, "activate");
  g_assert_false (is_editing (&scene));
  g_assert_cmpint (scene.n_renamed, ==, 1);
  g_assert_cmpstr (scene.name, ==, "Delft by night");
  /* The run's owner confirms the new name. */
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (scene.label)), ==, "Delft");
  scene_clear (&scene);
}

static void
test_not_renamed (void)
{
  Scene scene;
  scene_init (&scene);
  write_name (&scene, " \t ");
  g_signal_emit_by_name (scene.entry, "activate");
  g_assert_false (is_editing (&scene));
  write_name (&scene, " Delft ");
  g_signal_emit_by_name (scene.entry, "activate");
  g_assert_false (is_editing (&scene));
  write_name (&scene, "Rotterdam");
  urbarium_run_name_cancel (URBARIUM_RUN_NAME (scene.widget));
  g_assert_false (is_editing (&scene));
  urbarium_run_name_cancel (URBARIUM_RUN_NAME (scene.widget));

  write_name (&scene, "Rotterdam");
  g_assert_false (test_key (scene.entry, GDK_KEY_a, 0));
  g_assert_true (is_editing (&scene));
  g_assert_true (test_key (scene.entry, GDK_KEY_Escape, 0));
  g_assert_false (is_editing (&scene));
  g_assert_false (test_key (scene.entry, GDK_KEY_Escape, 0)); /* not handled */
  g_assert_cmpint (scene.n_renamed, ==, 0);

  /* A cancelled edit is discarded. */
  gtk_widget_activate_action (scene.widget, "name.edit", NULL);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (scene.entry)), ==, "Delft");
  scene_clear (&scene);
}

/* Emitted once, although the entry loses the focus again when hidden. */
static void
test_left (void)
{
  Scene scene;
  scene_init (&scene);
  write_name (&scene, "Rotterdam");
  gtk_widget_grab_focus (gtk_widget_get_next_sibling (scene.widget));
  g_assert_false (is_editing (&scene));
  g_assert_cmpint (scene.n_renamed, ==, 1);
  g_assert_cmpstr (scene.name, ==, "Rotterdam");
  scene_clear (&scene);
}

/* A very long name does not widen the window. */
static void
test_long (void)
{
  Scene scene;
  int min_width;
  g_autofree char *name = g_strnfill (200, 'W');
  scene_init (&scene);
  urbarium_run_name_set_text (URBARIUM_RUN_NAME (scene.widget), name);
  test_frames (scene.window, 2);
  gtk_widget_measure (scene.widget, GTK_ORIENTATION_HORIZONTAL, -1, &min_width, NULL, NULL, NULL);
  g_assert_cmpint (min_width, <=, 300);
  g_assert_true (pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (scene.label))));
  g_assert_cmpstr (gtk_widget_get_tooltip_text (scene.label), ==, name);
  gtk_test_accessible_assert_property (scene.entry, GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Name of the run");
  gtk_test_accessible_assert_property (test_find (scene.widget, GTK_TYPE_BUTTON),
                                       GTK_ACCESSIBLE_PROPERTY_LABEL, "Rename the run");
  scene_clear (&scene);
}

/* Closing the window while editing. */
static void
test_closed_while_editing (void)
{
  Scene scene;
  scene_init (&scene);
  write_name (&scene, "Rotterdam");
  scene_clear (&scene);
}

int
main (int argc, char **argv)
{
  g_setenv ("GTK_A11Y", "test", TRUE);
  test_app_init (&argc, &argv);
  g_test_add_func ("/run-name/renamed", test_renamed);
  g_test_add_func ("/run-name/not-renamed", test_not_renamed);
  g_test_add_func ("/run-name/left", test_left);
  g_test_add_func ("/run-name/long", test_long);
  g_test_add_func ("/run-name/closed-while-editing", test_closed_while_editing);
  return g_test_run ();
}
