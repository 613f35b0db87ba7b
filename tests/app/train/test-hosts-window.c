/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-hosts-window.c - a list of hosts that is kept, and what each says of a stand-in for the engine's test.
 */
#include <string.h>

#include <glib/gstdio.h>

#include "app-test.h"
#include "app/train/host-list.h"
#include "app/train/hosts-window.h"
#include "made-up.h"
#include "run-fixture.h"

#define DEVICES \
  "\"devices\": {\"cpu\": {\"cores\": 8}, \"memory_bytes\": 16000000000, \"memory_available_bytes\": 9000000000, "
#define ANSWERS \
  "{\"hosts\": [{\"host\": \"here\", \"ready\": true, \"dataset\": \"same\", " DEVICES "\"gpus\": []}}, " \
  "{\"host\": \"there\", \"ready\": true, \"dataset\": \"missing\", " DEVICES \
  "\"gpus\": [{\"name\": \"A\\n\\u202e <100>\", \"device\": \"cuda:0\", \"memory_bytes\": 80000000000}, {}]}}, " \
  "{\"host\": \"far\", \"ready\": false, \"problem\": \"login\", \"details\": \"Permission denied (publickey).\"}]}"

typedef struct
{
  char       *file;
  GtkWidget  *widget;
  GtkListBox *list;
  GtkSwitch  *use, *send;
  GtkButton  *test;
  int         n_done;
} Scene;

static void
done_cb (Scene *scene)
{
  scene->n_done++;
}

/* @saved: (nullable): the hosts file */
static void
scene_init (Scene *scene, const char *name, const char *saved, const char *dataset)
{
  g_autofree char *folder = run_fixture_path (name);
  g_auto(UrbRunConfig) config = { 0 };
  urb_run_config_init (&config);
  config.train.dataset = g_strdup (dataset);
  *scene = (Scene){ .file = g_build_filename (folder, "hosts", NULL) };
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  if (saved != NULL)
    g_assert_true (g_file_set_contents (scene->file, saved, -1, NULL));
  scene->widget = GTK_WIDGET (urbarium_hosts_window_new (scene->file, &config));
  g_object_add_weak_pointer (G_OBJECT (scene->widget), (gpointer *) &scene->widget);
  scene->list = made_up_part (scene->widget, "list");
  scene->use = made_up_part (scene->widget, "use_switch");
  scene->send = made_up_part (scene->widget, "send_switch");
  scene->test = made_up_part (scene->widget, "test_button");
  g_signal_connect_swapped (scene->widget, "done", G_CALLBACK (done_cb), scene);
  gtk_window_present (GTK_WINDOW (scene->widget));
  test_frames (GTK_WINDOW (scene->widget), 2);
}

static void
scene_clear (Scene *scene)
{
  if (scene->widget != NULL)
    g_object_remove_weak_pointer (G_OBJECT (scene->widget), (gpointer *) &scene->widget);
  g_free (scene->file);
}

static GtkWidget *
find_in_row (Scene *scene, int index, GType type)
{
  GtkListBoxRow *row = gtk_list_box_get_row_at_index (scene->list, index);
  g_assert_nonnull (row);
  return test_find (GTK_WIDGET (row), type);
}

static void
set_row (Scene *scene, int index, const char *name, int n_slots)
{
  gtk_editable_set_text (GTK_EDITABLE (find_in_row (scene, index, GTK_TYPE_ENTRY)), name);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (find_in_row (scene, index, GTK_TYPE_SPIN_BUTTON)), n_slots);
}

/* The line below the name. */
static GtkLabel *
get_label (Scene *scene, int index)
{
  GtkListBoxRow *row = gtk_list_box_get_row_at_index (scene->list, index);
  return GTK_LABEL (gtk_widget_get_last_child (gtk_list_box_row_get_child (row)));
}

static GtkWidget *
get_remove_button (Scene *scene, int index)
{
  GtkListBoxRow *row = gtk_list_box_get_row_at_index (scene->list, index);
  return gtk_widget_get_last_child (gtk_widget_get_first_child (gtk_list_box_row_get_child (row)));
}

static void
assert_says (Scene *scene, int index, const char *text, const char *style)
{
  GtkLabel *label = get_label (scene, index);
  g_assert_cmpstr (gtk_label_get_text (label), ==, text);
  if (style != NULL)
    g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (label), style));
  gtk_test_accessible_assert_property (find_in_row (scene, index, GTK_TYPE_ENTRY), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                       text);
}

static void
click (GtkWidget *button)
{
  g_assert_true (gtk_widget_is_sensitive (button));
  g_signal_emit_by_name (button, "clicked");
}

/* Returns: whether it closed itself */
static void
close_window (Scene *scene, const char *saved)
{
  g_autofree char *text = NULL;
  gtk_window_close (GTK_WINDOW (scene->widget));
  g_assert_cmpint (scene->n_done, ==, 1);
  g_file_get_contents (scene->file, &text, NULL, NULL);
  g_assert_cmpstr (text, ==, saved);
}

static gboolean
is_gone (gpointer data)
{
  return ((Scene *) data)->widget == NULL;
}

static void
apply (Scene *scene, UrbRunConfig *config)
{
  urb_run_config_init (config);
  urbarium_hosts_window_apply (URBARIUM_HOSTS_WINDOW (scene->widget), config);
}

/* This machine comes first and stays; others are added, named and removed. */
static void
test_edit (void)
{
  Scene scene;
  g_auto(UrbRunConfig) config = { 0 };
  scene_init (&scene, "edit", NULL, NULL);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (find_in_row (&scene, 0, GTK_TYPE_ENTRY))), ==,
                   g_get_host_name ());
  g_assert_false (gtk_widget_get_sensitive (find_in_row (&scene, 0, GTK_TYPE_BUTTON)));
  set_row (&scene, 0, "here", 1);
  gtk_widget_activate_action (scene.widget, "hosts.add", NULL);
  gtk_widget_activate_action (scene.widget, "hosts.add", NULL);
  gtk_widget_activate_action (scene.widget, "hosts.add", NULL);
  set_row (&scene, 1, "there", 3);
  set_row (&scene, 2, "gone", 9);
  gtk_test_accessible_assert_property (get_remove_button (&scene, 2), GTK_ACCESSIBLE_PROPERTY_LABEL, "Remove gone");
  gtk_test_accessible_assert_property (find_in_row (&scene, 1, GTK_TYPE_ENTRY), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Name or address of host 2");
  gtk_test_accessible_assert_property (find_in_row (&scene, 1, GTK_TYPE_SPIN_BUTTON), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Slots of there");
  click (get_remove_button (&scene, 2));
  gtk_switch_set_active (scene.use, TRUE);
  apply (&scene, &config);
  g_assert_cmpstr (config.hosts, ==, scene.file);
  g_assert_false (config.train.send_dataset);
  close_window (&scene, "here slots=1\nthere slots=3\n"); /* the row without a name is left out */
  scene_clear (&scene);
}

/* It is there again; nothing is written unless something was changed. */
static void
test_kept (void)
{
  Scene scene;
  g_auto(UrbRunConfig) config = { 0 };
  scene_init (&scene, "kept", "# mine\nhere\nada@10.0.0.7 slots=4\n", NULL);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (find_in_row (&scene, 1, GTK_TYPE_ENTRY))), ==, "ada@10.0.0.7");
  gtk_switch_set_active (scene.send, TRUE);
  apply (&scene, &config);
  g_assert_null (config.hosts);
  gtk_switch_set_active (scene.use, TRUE);
  g_assert_true (config.train.send_dataset);
  close_window (&scene, "# mine\nhere\nada@10.0.0.7 slots=4\n");
  scene_clear (&scene);

  scene_init (&scene, "damaged", "here slots=many\n", NULL);
  assert_says (&scene, 0, "“slots=many” needs a number from 1 to 4096.", "error");
  gtk_switch_set_active (scene.use, TRUE);
  close_window (&scene, "here slots=many\n");
  scene_clear (&scene);
}

static void
assert_unsaved (Scene *scene, const char *why)
{
  gtk_window_close (GTK_WINDOW (scene->widget));
  g_assert_nonnull (strstr (adw_message_dialog_get_body (made_up_find_dialog ()), why));
  made_up_answer ("cancel");
  g_assert_cmpint (scene->n_done, ==, 0);
}

/* A list that is partly damaged: nothing of it is lost when something else is edited. */
static void
test_damaged (void)
{
  static const char saved[] = "# ours\nhere slots=1 max_slots=4 # mine\nthere slots=O\n\nfar\n# end\n";
  Scene scene;
  scene_init (&scene, "partly", saved, NULL);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (find_in_row (&scene, 1, GTK_TYPE_ENTRY))), ==, "there slots=O");
  assert_says (&scene, 1, "“slots=O” needs a number from 1 to 4096.", "error");
  set_row (&scene, 2, "farther", 2);
  assert_says (&scene, 1, "“slots=O” needs a number from 1 to 4096.", "error");
  test_screenshot (GTK_WINDOW (scene.widget), "hosts-damaged");
  assert_unsaved (&scene, "“slots=O” needs a number");
  set_row (&scene, 1, "there", 3);
  assert_says (&scene, 1, "", NULL);
  close_window (&scene, "# ours\nhere slots=1 max_slots=4 # mine\nthere slots=3\n\nfarther slots=2\n# end\n");
  scene_clear (&scene);
}

/* What stands above a host stays when the host goes: removed, or without a name. */
static void
test_comments (void)
{
  static const char saved[] = "# ours\nhere slots=1\n# rack 1\nthere slots=2\n\n# rack 2\nfar slots=4\n# end\n";
  Scene scene;
  scene_init (&scene, "comments", saved, NULL);
  click (get_remove_button (&scene, 1));
  close_window (&scene, "# ours\nhere slots=1\n# rack 1\n\n# rack 2\nfar slots=4\n# end\n");
  scene_clear (&scene);

  scene_init (&scene, "comments", saved, NULL);
  click (get_remove_button (&scene, 2));
  set_row (&scene, 1, "", 2);
  close_window (&scene, "# ours\nhere slots=1\n# rack 1\n\n# rack 2\n# end\n");
  scene_clear (&scene);
}

/* A file that is there, but cannot be read, is not replaced. */
static void
test_unread (void)
{
  g_autofree char *large = g_strnfill (2 << 20, '#');
  Scene scene;
  scene_init (&scene, "unread", large, NULL);
  g_assert_nonnull (strstr (gtk_label_get_text (get_label (&scene, 0)), "is larger than 1 MiB"));
  set_row (&scene, 0, "here", 1);
  assert_unsaved (&scene, "is larger than 1 MiB");
  scene_clear (&scene);
}

/* A name that would be an option of ssh.  The dialog stays until it is mended or given up. */
static void
test_wrong_name (void)
{
  Scene scene;
  scene_init (&scene, "wrong", "here slots=1\n", NULL);
  gtk_widget_activate_action (scene.widget, "hosts.add", NULL);
  set_row (&scene, 1, "-oProxyCommand=x", 1);
  assert_says (&scene, 1, "“-oProxyCommand=x” cannot be the name of a host. A name consists of letters, digits, points "
                          "and hyphens.", "error");
  click (GTK_WIDGET (scene.test));
  gtk_window_close (GTK_WINDOW (scene.widget));
  g_assert_cmpstr (adw_message_dialog_get_heading (made_up_find_dialog ()), ==, "The hosts could not be saved");
  test_frames (GTK_WINDOW (made_up_find_dialog ()), 2);
  test_screenshot (GTK_WINDOW (made_up_find_dialog ()), "hosts-unsaved");
  made_up_answer ("cancel");
  g_assert_cmpint (scene.n_done, ==, 0);
  set_row (&scene, 1, " there ", 1);
  assert_says (&scene, 1, "", NULL);
  close_window (&scene, "here slots=1\nthere slots=1\n");
  scene_clear (&scene);
}

/* Without a name of this machine nothing can be saved, and in a folder that is not one. */
static void
test_given_up (void)
{
  g_autofree char *text = NULL;
  Scene scene;
  scene_init (&scene, "given-up", "here slots=1 # mine\n", NULL);
  set_row (&scene, 0, "", 1);
  gtk_window_close (GTK_WINDOW (scene.widget));
  g_assert_cmpstr (adw_message_dialog_get_body (made_up_find_dialog ()), ==, "A host needs a name or an address.");
  made_up_answer ("accept");
  test_until (is_gone, &scene);
  g_assert_cmpint (scene.n_done, ==, 0);
  g_assert_true (g_file_get_contents (scene.file, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "here slots=1 # mine\n");
  scene_clear (&scene);

  scene_init (&scene, "no-folder", "here slots=1\n", NULL);
  g_assert_cmpint (g_remove (scene.file), ==, 0);
  g_assert_cmpint (g_mkdir (scene.file, 0700), ==, 0);
  set_row (&scene, 0, "there", 1);
  gtk_window_close (GTK_WINDOW (scene.widget));
  made_up_answer ("accept");
  test_until (is_gone, &scene);
  g_assert_cmpint (scene.n_done, ==, 0);
  scene_clear (&scene);
}

static gboolean
has_answers (gpointer data)
{
  Scene *scene = data;
  return strstr (gtk_label_get_text (get_label (scene, 0)), "Being asked") == NULL;
}

/* What each has, and what to do about those that cannot take part. */
static void
test_answers (void)
{
  Scene scene;
  g_autofree char *log = NULL, *free_bytes = g_format_size (9000000000), *bytes = g_format_size (16000000000);
  g_autofree char *gpu = g_format_size (80000000000);
  g_autofree char *machine = g_strdup_printf ("Ready: 8 cores · %s of %s of memory free", free_bytes, bytes);
  g_autofree char *here = g_strconcat (machine, " · no GPU\nIt has the dataset.", NULL);
  g_autofree char *there = g_strdup_printf ("%s · A \uFFFD <100> (%s) · GPU (cannot be used)", machine, gpu);
  g_autofree char *lacks = g_strconcat (there, "\nIt has no dataset of that path: copy it there, or switch on “Send the "
                                        "dataset”.", NULL);
  g_autofree char *gets = g_strconcat (there, "\nThe dataset will be sent to it.", NULL);
  made_up_engine ("echo \"$@\" > \"$LOG\"; cat >> \"$LOG\"; cat <<'END'\n" ANSWERS "\nEND");
  scene_init (&scene, "answers", "here\nthere slots=2\nfar\n", "/data/areas.gpkg");
  g_assert_cmpstr (gtk_button_get_label (scene.test), ==, "_Test connections");
  click (GTK_WIDGET (scene.test));
  g_assert_cmpstr (gtk_button_get_label (scene.test), ==, "_Stop");
  assert_says (&scene, 1, "Being asked…", NULL);
  test_until (has_answers, &scene);
  log = made_up_engine_log ();
  g_assert_cmpstr (log, ==, "devices --json --hosts - --dataset /data/areas.gpkg\n"
                            "here\nthere slots=2\nfar\n");
  g_assert_cmpstr (gtk_button_get_label (scene.test), ==, "_Test connections");
  assert_says (&scene, 0, here, "success");
  assert_says (&scene, 1, lacks, "warning");
  assert_says (&scene, 2, "It would ask for a password. Give it your key with ssh-copy-id. (Permission denied "
                          "(publickey).)", "error");
  test_screenshot (GTK_WINDOW (scene.widget), "hosts");
  gtk_switch_set_active (scene.send, TRUE);
  assert_says (&scene, 1, gets, "success");
  set_row (&scene, 1, "elsewhere", 2); /* nobody was asked there */
  assert_says (&scene, 1, "", NULL);
  close_window (&scene, "here\nelsewhere slots=2\nfar\n");
  scene_clear (&scene);
}

static gboolean
has_dialog (gpointer data)
{
  return made_up_find_dialog () != NULL;
}

/* A change ends the test: no host is being asked any more.  What is wrong with a name stays. */
static void
test_changed (void)
{
  Scene scene;
  made_up_engine ("exec sleep 25");
  scene_init (&scene, "changed", "here\nthere\nfar\n", NULL);
  click (GTK_WIDGET (scene.test));
  set_row (&scene, 1, "a b", 1);
  assert_says (&scene, 2, "", NULL);
  g_assert_cmpstr (gtk_button_get_label (scene.test), ==, "_Test connections");
  gtk_widget_activate_action (scene.widget, "hosts.add", NULL);
  g_assert_true (g_str_has_prefix (gtk_label_get_text (get_label (&scene, 1)), "“a b” cannot be the name of a host."));
  set_row (&scene, 1, "there", 1);
  click (GTK_WIDGET (scene.test));
  assert_says (&scene, 0, "Being asked…", NULL);
  click (get_remove_button (&scene, 1));
  assert_says (&scene, 0, "This machine, by a name or an address that the others can reach", NULL);
  assert_says (&scene, 1, "", NULL);
  set_row (&scene, 1, "far", 2);
  set_row (&scene, 1, "far", 1);
  close_window (&scene, "here\nfar slots=1\n"); /* what the file did not say stays open */
  scene_clear (&scene);
}

static gboolean
tick_cb (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

/* Stopped, closed while hosts are asked, which ends the test, and an engine that fails. */
static void
test_no_answers (void)
{
  guint timer = g_timeout_add (10, tick_cb, NULL); /* a file does not wake the main loop */
  Scene scene;
  made_up_engine ("exec sleep 25");
  scene_init (&scene, "none", "here\nthere\n", NULL);
  click (GTK_WIDGET (scene.test));
  click (GTK_WIDGET (scene.test));
  assert_says (&scene, 1, "", NULL);
  g_assert_cmpstr (gtk_button_get_label (scene.test), ==, "_Test connections");
  made_up_engine ("echo $$ > \"$LOG\"; exec sleep 50");
  click (GTK_WIDGET (scene.test));
  test_until (made_up_engine_runs, NULL);
  close_window (&scene, "here\nthere\n");
  test_until (made_up_engine_ended, NULL);
  g_assert_null (made_up_find_dialog ());
  g_source_remove (timer);
  scene_clear (&scene);

  made_up_engine ("echo 'urbarium-engine devices: no memory' >&2; exit 4");
  scene_init (&scene, "fails", "here\n", NULL);
  click (GTK_WIDGET (scene.test));
  test_until (has_dialog, NULL);
  made_up_answer ("close");
  assert_says (&scene, 0, "This machine, by a name or an address that the others can reach", NULL);
  close_window (&scene, "here\n");
  scene_clear (&scene);
}

int
main (int argc, char **argv)
{
  int status;
  g_setenv ("GTK_A11Y", "test", TRUE);
  test_app_init (&argc, &argv);
  run_fixture_init_empty ();
  g_test_add_func ("/hosts-window/edit", test_edit);
  g_test_add_func ("/hosts-window/kept", test_kept);
  g_test_add_func ("/hosts-window/comments", test_comments);
  g_test_add_func ("/hosts-window/damaged", test_damaged);
  g_test_add_func ("/hosts-window/unread", test_unread);
  g_test_add_func ("/hosts-window/wrong-name", test_wrong_name);
  g_test_add_func ("/hosts-window/given-up", test_given_up);
  g_test_add_func ("/hosts-window/answers", test_answers);
  g_test_add_func ("/hosts-window/changed", test_changed);
  g_test_add_func ("/hosts-window/no-answers", test_no_answers);
  status = g_test_run ();
  run_fixture_clear ();
  return status;
}
