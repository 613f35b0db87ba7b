/* SPDX-License-Identifier: Apache-2.0 */
/* app-test.h - common functions of widget tests. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* Replaces g_test_init(); also initializes GTK and libadwaita, and disables animations. */
void test_app_init (int *argc, char ***argv);

/* Shows a window around @child (floating or not), and returns when its first frame is drawn.
 * Destroy it with test_window_destroy(), which also checks that @child was finalized. */
GtkWindow *test_window_new     (GtkWidget *child, int width, int height);
void       test_window_destroy (GtkWindow *window);

/* Runs the main loop until @condition holds; fails the test after 30 seconds (five times as many
 * under a sanitizer). test_until (job_done, job); */
typedef gboolean (*TestCondition) (gpointer data);
void test_until (TestCondition condition, gpointer data);
/* Waits for a number of frames of the window's clock. */
void test_frames (GtkWindow *window, int n);

/* Writes a screenshot of the window to $URBARIUM_SCREENSHOTS/@name.png, if the variable is set. */
void test_screenshot (GtkWindow *window, const char *name);

/* Allocations in between do not count as leaks: GTK's file chooser calls libcloudproviders, which
 * leaks the paths of its folders; no suppression can name it, since the stack ends in GLib. */
void test_file_chooser_begin (void);
void test_file_chooser_end   (void);
/* Accepts the name that the open file chooser proposes, in @folder. */
void test_file_chooser_save  (GtkWindow *window, const char *folder);

/* Drops the caller's reference, which must be the last. */
#define test_assert_last_unref(object) test_last_unref (G_OBJECT (object), #object)
void test_last_unref (GObject *object, const char *name);

/* A file of the real maps; NULL, with the test skipped, if it is missing. (transfer full) */
char *test_data (const char *name);

/* Texts are in this language from now on; "C": in English.
 * Returns: %FALSE, with the test skipped, if no translations have been built */
gboolean test_speak (const char *language);

/* The first descendant of a type, depth first; NULL if there is none. */
GtkWidget *test_find (GtkWidget *root, GType type);
/* All of them, in that order, @root included. (transfer container) */
GPtrArray *test_list (GtkWidget *root, GType type);
/* A window of a type; NULL if there is none. (transfer none) */
gpointer   test_find_window (GType type);

G_END_DECLS
