/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace-parts.h - the timelines of workers that do not go in step: each writes its own, and in
 * the end they become one, on the clock that all of them have.
 */
#pragma once

#include "run/folder.h"

G_BEGIN_DECLS

/* The worker's, in the run's folder @folder; urb_run_folder_sweep() removes it. */
char    *urb_trace_parts_dup_path (const char *folder, int rank);

/* All there are become %URB_RUN_TRACE_NAME.
 * @text: (out): a sentence that sums it up; NULL: there are none, and nothing is written */
gboolean urb_trace_parts_join (UrbRunFolder *folder, int n_workers, char **text, GError **error);

G_END_DECLS
