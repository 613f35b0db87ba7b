/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job.h - a long job: works in a thread; the window shows its progress and can cancel it.
 *
 * Properties change on the main loop only, at most about 30 times a second.  To supersede a job,
 * cancel it and drop the reference: its callback then gets G_IO_ERROR_CANCELLED.
 */
#pragma once

#include <gio/gio.h>

#include "base/progress.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_JOB (urbarium_job_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumJob, urbarium_job, URBARIUM, JOB, GObject)

/**
 * UrbariumJobFunc:
 * @input: the @input of urbarium_job_run()
 * @job: pass it to the engine as `urbarium_job_progress, job`
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
 *  title (string), what (string: the current step), fraction (double; negative: unknown),
 *  running (boolean), seconds-left (double; negative: unknown) */
UrbariumJob *urbarium_job_new (const char *title);

/* Call it before the job begins: the program then keeps running until the job has ended, even if
 * its windows are closed, so that files are written completely. */
void urbarium_job_outlive_window (UrbariumJob *self);

/**
 * urbarium_job_run:
 * @input: (transfer full): freed with @free_input on the main loop, after @func
 * @free_result: (nullable): frees a result that was not taken
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

/* Optional, if the main loop has to prepare the input: the job counts as running from here on.
 * Then call urbarium_job_run(), or urbarium_job_end() if there is nothing to run. */
void          urbarium_job_begin           (UrbariumJob *self);
void          urbarium_job_end             (UrbariumJob *self);

void          urbarium_job_cancel          (UrbariumJob *self);
GCancellable *urbarium_job_get_cancellable (UrbariumJob *self);
gboolean      urbarium_job_get_running     (UrbariumJob *self);

/* A UrbProgressFunc; call it in the job's thread, or before the thread starts. */
void urbarium_job_progress (double fraction, const char *what, gpointer job);

G_END_DECLS
