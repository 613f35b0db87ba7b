/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-message.c - toasts whose button does something; warnings are fatal.
 */
#include <adwaita.h>

#include "app-test.h"
#include "app/base/message.h"

typedef struct
{
  GtkWidget *overlay, *label;
  GtkWindow *window;
  char      *went; /* owned */
  const char *wanted; /* label of the button to wait for */
} Scene;

static void
go_cb (Scene *scene, GVariant *where)
{
  g_free (scene->went);
  scene->went = g_variant_dup_string (where, NULL);
}

static void
scene_init (Scene *scene)
{
  g_autoptr(GSimpleAction) go = g_simple_action_new ("go", G_VARIANT_TYPE_STRING);
  g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new ();
  *scene = (Scene){ .overlay = adw_toast_overlay_new (), .label = gtk_label_new ("here") };
  g_signal_connect_swapped (go, "activate", G_CALLBACK (go_cb), scene);
  g_action_map_add_action (G_ACTION_MAP (group), G_ACTION (go));
  gtk_widget_insert_action_group (scene->overlay, "test", G_ACTION_GROUP (group));
  adw_toast_overlay_set_child (ADW_TOAST_OVERLAY (scene->overlay), scene->label);
  scene->window = test_window_new (scene->overlay, 400, 200);
}

static void
press (Scene *scene)
{
  test_frames (scene->window, 2);
  g_signal_emit_by_name (test_find (scene->overlay, GTK_TYPE_BUTTON), "clicked");
}

/* An action with a target. */
static void
test_action (void)
{
  Scene scene;
  scene_init (&scene);
  urbarium_message_toast_action (scene.label, "A <b> & C", "Go", "test.go::there");
  press (&scene);
  g_assert_cmpstr (scene.went, ==, "there");
  test_window_destroy (scene.window);
  g_free (scene.went);
}

static void
undo_cb (GtkWidget *label)
{
  gtk_label_set_text (GTK_LABEL (label), "undone");
}

static void
test_undo (void)
{
  Scene scene;
  scene_init (&scene);
  urbarium_message_toast_undo (scene.label, "Changed", G_CALLBACK (undo_cb), scene.label);
  press (&scene);
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (scene.label)), ==, "undone");
  test_window_destroy (scene.window);
}

static gboolean
shows (gpointer data)
{
  const Scene *scene = data;
  GtkWidget *toast = test_find (scene->overlay, GTK_TYPE_BUTTON);
  return toast != NULL && gtk_button_get_label (GTK_BUTTON (toast)) != NULL
         && g_str_equal (gtk_button_get_label (GTK_BUTTON (toast)), scene->wanted);
}

/* It waits behind a shorter toast, and is there again after that. */
static void
test_offer (void)
{
  Scene scene;
  scene_init (&scene);
  scene.wanted = "Continue";
  urbarium_message_toast_offer (scene.label, "Two runs", "Continue", G_CALLBACK (undo_cb), scene.label);
  test_until (shows, &scene);
  urbarium_message_toast_action (scene.label, "Saved", "Go", "test.go::there");
  scene.wanted = "Go";
  test_until (shows, &scene);
  press (&scene);
  scene.wanted = "Continue";
  test_until (shows, &scene);
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (scene.label)), ==, "here");
  press (&scene);
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (scene.label)), ==, "undone");
  test_window_destroy (scene.window);
  g_free (scene.went);
}

/* Outside of a window. */
static void
test_nowhere (void)
{
  g_autoptr(GtkWidget) label = g_object_ref_sink (gtk_label_new ("here"));
  urbarium_message_toast (label, "Nobody sees it");
  urbarium_message_toast_undo (label, "Nobody sees it", G_CALLBACK (undo_cb), label);
  urbarium_message_toast_offer (label, "Nobody sees it", "Continue", G_CALLBACK (undo_cb), label);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/message/action", test_action);
  g_test_add_func ("/message/undo", test_undo);
  g_test_add_func ("/message/offer", test_offer);
  g_test_add_func ("/message/nowhere", test_nowhere);
  return g_test_run ();
}
