/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-name.h - a run's name, to be changed in place.
 *
 * Not a GtkEditableLabel: that of GTK 4.8 crashes when its window is closed
 * within a tenth of a second after it has lost the focus, and does not shorten
 * long names.
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_RUN_NAME (urbarium_run_name_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRunName, urbarium_run_name, URBARIUM, RUN_NAME, AdwBin)

/* Signal "renamed" (string): the user wrote another name, which is not blank. */

void     urbarium_run_name_set_text    (UrbariumRunName *self, const char *text);
void     urbarium_run_name_edit        (UrbariumRunName *self);
/* Without taking what was written. */
void     urbarium_run_name_cancel      (UrbariumRunName *self);
gboolean urbarium_run_name_get_editing (UrbariumRunName *self);

G_END_DECLS
