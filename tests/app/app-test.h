/* SPDX-License-Identifier: Apache-2.0 */
/*
 * app-test.h - what the tests of widgets share.
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* Instead of g_test_init(): also GTK, libadwaita, no animations. */
void test_app_init (int *argc, char ***argv);

/* A window around @child (floating or not), shown; returns when its first frame is drawn.
 * Destroy it with test_window_destroy(), which also checks that @child was finalized. */
GtkWindow *test_window_new     (GtkWidget *child, int width, int height);
void       test_window_destroy (GtkWindow *window);

/* Runs the main loop until @condition says so; fails the test after 30 seconds
 * (five times as many under a sanitizer).
 * test_until (job_done, job); */
typedef gboolean (*TestCondition) (gpointer data);
void test_until (TestCondition condition, gpointer data);
/* A number of frames of the window's clock. */
void test_frames (GtkWindow *window, int n);

/* Writes what the window shows to $URBARIUM_SCREENSHOTS/@name.png; does nothing where the
 * variable is not set. */
void test_screenshot (GtkWindow *window, const char *name);

/* What is allocated between them is no leak of ours: GTK's file chooser asks libcloudproviders,
 * which forgets the paths of its folders; no suppression can name it, for the stack ends in GLib. */
void test_file_chooser_begin (void);
void test_file_chooser_end   (void);

/* Drops the caller's reference, which must be the last. */
#define test_assert_last_unref(object) test_last_unref (G_OBJECT (object), #object)
void test_last_unref (GObject *object, const char *name);

/* A file of the real maps, or NULL after having skipped the test. (transfer full) */
char *test_data (const char *name);

/* The first descendant of a type, depth first; NULL if there is none. */
GtkWidget *test_find (GtkWidget *root, GType type);

G_END_DECLS
