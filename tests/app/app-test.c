/* SPDX-License-Identifier: Apache-2.0 */
#include "app-test.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <locale.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { TIMEOUT_S = 300 };
#else
enum { TIMEOUT_S = 60 };
#endif

#if GTK_CHECK_VERSION (4, 10, 0)
const char *__lsan_default_options (void);

/* GTK 4.18 leaks the list of a widget's mnemonic labels, for every row of a list, and no
 * suppression can name it, since the stack ends in GLib.  On GTK 4.8, which does not, leaks are
 * checked. */
const char *
__lsan_default_options (void)
{
  return "detect_leaks=0";
}
#endif

#ifdef __SANITIZE_ADDRESS__
/* Allocations while libraries are loaded are not ours: GLib leaks its first table of quarks when it
 * needs a second one, and no suppression can name that either. */
static void
begin_loading (void)
{
  __lsan_disable ();
}

__attribute__ ((section (".preinit_array"), used)) static void (*const before_libraries) (void)
  = begin_loading;
#endif

void
test_app_init (int *argc, char ***argv)
{
#ifdef __SANITIZE_ADDRESS__
  __lsan_enable ();
#endif
  g_test_init (argc, argv, NULL);
  gtk_init ();
  adw_init ();
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
}

gboolean
test_speak (const char *language)
{
  g_setenv ("LANGUAGE", language, TRUE);
  setlocale (LC_MESSAGES, "C");
  setlocale (LC_MESSAGES, "C.UTF-8"); /* C disables translation; a change makes gettext look at the variable again */
  bindtextdomain (GETTEXT_PACKAGE, g_getenv ("TRANSLATIONS"));
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  if (g_str_equal (language, "C") || !g_str_equal (_ ("Move the cursor sideways"), "Move the cursor sideways"))
    return TRUE;
  g_test_skip ("no translations have been built");
  return FALSE;
}

static gboolean
timeout_cb (gpointer data)
{
  g_error ("the test waited %d seconds in vain", TIMEOUT_S);
  return G_SOURCE_REMOVE;
}

void
test_until (TestCondition condition, gpointer data)
{
  guint timeout = g_timeout_add_seconds (TIMEOUT_S, timeout_cb, NULL);
  while (!condition (data))
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (timeout);
}

static gboolean
tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  int *n = data;
  return --*n > 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static gboolean
no_frames_left (gpointer data)
{
  return *(int *) data <= 0;
}

void
test_frames (GtkWindow *window, int n)
{
  gtk_widget_add_tick_callback (GTK_WIDGET (window), tick_cb, &n, NULL);
  test_until (no_frames_left, &n);
}

GtkWindow *
test_window_new (GtkWidget *child, int width, int height)
{
  GtkWindow *window = GTK_WINDOW (adw_window_new ());
  gtk_window_set_default_size (window, width, height);
  adw_window_set_content (ADW_WINDOW (window), child);
  gtk_window_present (window);
  test_frames (window, 3);
  return window;
}

static gboolean
is_null (gpointer weak)
{
  return *(gpointer *) weak == NULL;
}

static gboolean
look_again_cb (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

/* A thread may hold the last reference for a moment, and does not wake us when it drops it. */
static void
wait_for_finalize (gpointer *weak)
{
  guint timer = g_timeout_add (10, look_again_cb, NULL);
  test_until (is_null, weak);
  g_source_remove (timer);
}

void
test_window_destroy (GtkWindow *window)
{
  GtkWidget *child = adw_window_get_content (ADW_WINDOW (window));
  g_object_add_weak_pointer (G_OBJECT (child), (gpointer *) &child);
  g_test_message ("finalizing the %s", G_OBJECT_TYPE_NAME (child));
  gtk_window_destroy (window);
  wait_for_finalize ((gpointer *) &child);
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

void
test_file_chooser_begin (void)
{
#ifdef __SANITIZE_ADDRESS__
  __lsan_disable ();
#endif
}

void
test_file_chooser_end (void)
{
#ifdef __SANITIZE_ADDRESS__
  __lsan_enable ();
#endif
}

static GtkFileChooser *
find_file_chooser (void)
{
  GtkFileChooser *chooser = test_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG);
  g_assert_nonnull (chooser);
  return chooser;
}

static gboolean
is_in_folder (gpointer folder)
{
  g_autoptr(GFile) file = gtk_file_chooser_get_current_folder (find_file_chooser ());
  return file != NULL && g_file_equal (file, folder);
}

void
test_file_chooser_save (GtkWindow *window, const char *folder)
{
  g_autoptr(GFile) file = g_file_new_for_path (folder);
  test_frames (window, 3);
  gtk_file_chooser_set_current_folder (find_file_chooser (), file, NULL);
  test_until (is_in_folder, file);
  gtk_dialog_response (GTK_DIALOG (find_file_chooser ()), GTK_RESPONSE_ACCEPT);
}

void
test_screenshot (GtkWindow *window, const char *name)
{
  const char *folder = g_getenv ("URBARIUM_SCREENSHOTS");
  g_autofree char *path = NULL;
  g_autoptr(GdkPaintable) paintable = NULL;
  g_autoptr(GtkSnapshot) snapshot = NULL;
  g_autoptr(GskRenderNode) node = NULL;
  g_autoptr(GdkTexture) texture = NULL;
  int width = gtk_widget_get_width (GTK_WIDGET (window));
  int height = gtk_widget_get_height (GTK_WIDGET (window));
  if (folder == NULL)
    return;
  g_mkdir_with_parents (folder, 0755);
  path = g_strdup_printf ("%s/%s.png", folder, name);
  paintable = gtk_widget_paintable_new (GTK_WIDGET (window));
  test_frames (window, 2); /* a window has nothing to draw before its layout */
  snapshot = gtk_snapshot_new ();
  gdk_paintable_snapshot (paintable, snapshot, width, height);
  node = gtk_snapshot_free_to_node (g_steal_pointer (&snapshot));
  g_assert_nonnull (node);
  texture = gsk_renderer_render_texture (gtk_native_get_renderer (GTK_NATIVE (window)), node, NULL);
  g_assert_true (gdk_texture_save_to_png (texture, path));
}

void
test_last_unref (GObject *object, const char *name)
{
  gpointer weak = object;
  g_object_add_weak_pointer (object, &weak);
  g_test_message ("finalizing %s", name);
  g_object_unref (object);
  wait_for_finalize (&weak);
}

char *
test_data (const char *name)
{
  const char *folder = g_getenv ("URBARIUM_TEST_DATA");
  g_autofree char *path = folder == NULL ? NULL : g_canonicalize_filename (name, folder);
  if (path == NULL || !g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("URBARIUM_TEST_DATA has no real maps");
      return NULL;
    }
  return g_canonicalize_filename (path, NULL);
}

GtkWidget *
test_find (GtkWidget *root, GType type)
{
  if (g_type_is_a (G_OBJECT_TYPE (root), type))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = test_find (child, type);
      if (found != NULL)
        return found;
    }
  return NULL;
}

static void
collect (GtkWidget *root, GType type, GPtrArray *found)
{
  if (g_type_is_a (G_OBJECT_TYPE (root), type))
    g_ptr_array_add (found, root);
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    collect (child, type, found);
}

GPtrArray *
test_list (GtkWidget *root, GType type)
{
  GPtrArray *found = g_ptr_array_new ();
  collect (root, type, found);
  return found;
}

gpointer
test_find_window (GType type)
{
  g_autoptr(GList) windows = gtk_window_list_toplevels ();
  for (GList *window = windows; window != NULL; window = window->next)
    if (g_type_is_a (G_OBJECT_TYPE (window->data), type))
      return window->data;
  return NULL;
}
