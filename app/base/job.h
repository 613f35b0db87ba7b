/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job.h - a long job: work in a thread, progress and cancelling in the window.
 *
 * The worker function has the engine's shape (progress, cancellable, GError);
 * properties change on the main loop only, at most some thirty times a second.
 * A job that has been superseded is cancelled and forgotten: cancel it, drop the
 * reference, and its late answer reaches only its own callback, as
 * G_IO_ERROR_CANCELLED.
 */
#pragma once

#include <gio/gio.h>

#include "base/progress.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_JOB (urbarium_job_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumJob, urbarium_job, URBARIUM, JOB, GObject)

/**
 * UrbariumJobFunc:
 * @input: what was given to urbarium_job_run()
 * @job: hand it to the engine as `urbarium_job_progress, job`
 *
 * Runs in a thread.
 *
 * Returns: (transfer full) (nullable): the result; %NULL with @error set if it failed
 */
typedef gpointer (*UrbariumJobFunc) (gpointer input, UrbariumJob *job, GCancellable *cancellable,
                                     GError **error);

/* @title: translated: "Opening the map".
 *
 * Properties, all read-only, with notify on the main loop:
 *  title (string), what (string: what it is doing now), fraction (double; negative: unknown),
 *  running (boolean), seconds-left (double; negative: unknown) */
UrbariumJob *urbarium_job_new (const char *title);

/* Before it begins: the program goes on until it has ended although its windows are closed:
 * what somebody asked to be written is written. */
void urbarium_job_outlive_window (UrbariumJob *self);

/**
 * urbarium_job_run:
 * @input: (transfer full): freed with @free_input on the main loop, after @func
 * @free_result: (nullable): frees a result nobody took
 * @callback: called on the main loop; take the result with urbarium_job_finish()
 *
 * Once per job.  Keeps the job alive until the callback.
 */
void     urbarium_job_run    (UrbariumJob *self, UrbariumJobFunc func, gpointer input,
                              GDestroyNotify free_input, GDestroyNotify free_result,
                              GAsyncReadyCallback callback, gpointer user_data);
/* Returns: (transfer full): the result; %NULL with the error, which is
 * G_IO_ERROR_CANCELLED whenever the job was cancelled before this call. */
gpointer urbarium_job_finish (UrbariumJob *self, GAsyncResult *result, GError **error);

/* Where the main loop has to prepare what the thread needs: it runs from here on, as the window
 * shows it; then either urbarium_job_run(), or, if there is nothing to run, urbarium_job_end(). */
void          urbarium_job_begin           (UrbariumJob *self);
void          urbarium_job_end             (UrbariumJob *self);

void          urbarium_job_cancel          (UrbariumJob *self);
GCancellable *urbarium_job_get_cancellable (UrbariumJob *self);
gboolean      urbarium_job_get_running     (UrbariumJob *self);

/* UrbProgressFunc: call it from the job's thread, or before it runs. */
void urbarium_job_progress (double fraction, const char *what, gpointer job);

G_END_DECLS
