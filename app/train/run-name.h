/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-name.h - a run's name, editable in place.
 *
 * GtkEditableLabel of GTK 4.8 crashes if its window is closed within 0.1 s after it lost the focus,
 * and does not ellipsize long names.
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_RUN_NAME (urbarium_run_name_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRunName, urbarium_run_name, URBARIUM, RUN_NAME, AdwBin)

/* Signal "renamed" (string): the user entered another, non-blank name. */

void     urbarium_run_name_set_text    (UrbariumRunName *self, const char *text);
void     urbarium_run_name_edit        (UrbariumRunName *self);
/* Discards the edit. */
void     urbarium_run_name_cancel      (UrbariumRunName *self);
gboolean urbarium_run_name_get_editing (UrbariumRunName *self);

G_END_DECLS
