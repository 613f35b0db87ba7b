/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made-up.h - runs without training: the test sets what a widget should show.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

/* A run of 1,000 steps, stopped before the first; its folder does not exist. */
UrbariumRun *made_up_run    (const char *name);
/* The same in an existing folder, for example with sample images. */
UrbariumRun *made_up_run_in (const char *folder);

void made_up_run_rename     (UrbariumRun *run, const char *name);
/* Sets the supervisor, the state, and progress and speed. */
void made_up_run_stands     (UrbariumRun *run, gboolean live, UrbRunState state);
/* For the runs in these folders. */
void made_up_run_waits_for  (UrbariumRun *run, const char *const *folders);
void made_up_run_progress   (UrbariumRun *run, gint64 step, double images_per_s);
/* Records, as from a supervisor. The losses of step i are i and -i. */
void made_up_run_step       (UrbariumRun *run, gint64 step);
void made_up_run_score      (UrbariumRun *run, gint64 step, double score);
void made_up_run_event      (UrbariumRun *run, const char *level, const char *code,
                             const char *text, gint64 step);
/* An event "score" for the cities of @step, a while later.  @score: NaN: as older engines wrote it */
/* With details. */
void made_up_run_event_about (UrbariumRun *run, const char *code, const char *text, const char *subject);
void made_up_run_scored (UrbariumRun *run, gint64 step, double score, gboolean is_best, const char *text);
void made_up_run_checkpoint (UrbariumRun *run, gint64 step, gint64 n_bytes);
void made_up_run_sample     (UrbariumRun *run, gint64 step, const char *path);

/* Runs in a folder of run_fixture_path(), already read, in the order of @names, which are sorted. */
UrbariumRunLibrary *made_up_library (const char *folder, const char *const *names);

/* Replaces urbarium-engine by a shell script, which can write to the file $LOG. */
void made_up_engine (const char *script);
/* The content of $LOG. (transfer full) */
char *made_up_engine_log (void);
/* Conditions: whether it runs, or has run and ended, if it wrote its process id to $LOG: echo $$. */
gboolean made_up_engine_runs  (gpointer unused);
gboolean made_up_engine_ended (gpointer unused);

/* A child of the widget's template. */
gpointer made_up_part (GtkWidget *widget, const char *name);
/* A visible label with that text, or NULL. */
GtkWidget *made_up_find_text (GtkWidget *root, const char *text);
/* The first descendant with that name, shown or not, or NULL. */
GtkWidget *made_up_find_named (GtkWidget *root, const char *name);
guint made_up_count_children (GtkWidget *widget);
/* The open dialog, or NULL. */
AdwMessageDialog *made_up_find_dialog (void);
/* Emits its "response". */
void made_up_answer (const char *response);

G_END_DECLS
