/* SPDX-License-Identifier: Apache-2.0 */
/* tested-ask.h - asks before a dataset is saved that trains on test areas of an earlier one. */
#pragma once

#include <gtk/gtk.h>

#include "app/areas/curation.h"

G_BEGIN_DECLS

/**
 * urbarium_tested_ask:
 * @curation: with a result
 * @places: (array zero-terminated=1): folders of runs, or of one run
 * @callback: take the answer with urbarium_tested_ask_finish()
 *
 * Looks in a thread whether areas for training overlap test areas of a dataset that a run used, and asks
 * in the window of @where if so.
 */
void     urbarium_tested_ask        (GtkWidget *where, UrbariumCuration *curation,
                                     const char *const *places, GAsyncReadyCallback callback,
                                     gpointer user_data);
/* Returns: whether to save; %FALSE if the window was closed without an answer */
gboolean urbarium_tested_ask_finish (GtkWidget *where, GAsyncResult *result);

G_END_DECLS
