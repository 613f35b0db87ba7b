/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made-up.h - runs that nobody trains: what a widget is to show is put into them by hand.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

/* A run of 1,000 steps that has stopped before the first; its folder is not there. */
UrbariumRun *made_up_run    (const char *name);
/* The same in a folder that is there, such as of its pictures. */
UrbariumRun *made_up_run_in (const char *folder);

void made_up_run_rename     (UrbariumRun *run, const char *name);
/* Whether it has a supervisor, how it stands, and how far and fast it is. */
void made_up_run_stands     (UrbariumRun *run, gboolean live, UrbRunState state);
void made_up_run_progress   (UrbariumRun *run, gint64 step, double images_per_s);
/* What its supervisor would tell.  The loss of step i is i, and -i the other one. */
void made_up_run_step       (UrbariumRun *run, gint64 step);
void made_up_run_event      (UrbariumRun *run, const char *level, const char *code,
                             const char *text, gint64 step);
void made_up_run_checkpoint (UrbariumRun *run, gint64 step, gint64 n_bytes);
void made_up_run_sample     (UrbariumRun *run, gint64 step, const char *path);

/* Runs in a folder of run_fixture_path(), in the order of @names, which are sorted; peeked at. */
UrbariumRunLibrary *made_up_library (const char *folder, const char *const *names);

/* From now on urbarium-engine is this shell script; it has $LOG, a file, to write to. */
void made_up_engine (const char *script);
/* What it wrote there. (transfer full) */
char *made_up_engine_log (void);

/* A child of the widget's template. */
gpointer made_up_part (GtkWidget *widget, const char *name);
/* A label that can be seen; NULL if none has the text. */
GtkWidget *made_up_find_text (GtkWidget *root, const char *text);
guint made_up_count_children (GtkWidget *widget);
/* The dialog over the windows; NULL if there is none. */
AdwMessageDialog *made_up_find_dialog (void);
/* As its buttons do. */
void made_up_answer (const char *response);

G_END_DECLS
