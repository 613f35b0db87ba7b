/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repeat.h - how a run differs from the default, and the command that repeats it.
 */
#pragma once

#include "settings/run-config.h"

G_BEGIN_DECLS

/* The settings of a run without what follows from its preset and recipe: what remains is set on purpose.
 * @preset: (nullable): of a run whose preset is a file, that file; %NULL: as config names it
 * @out: (out): valid, or zeros */
void  urb_repeat_find_chosen (const UrbRunConfig *config, const char *preset, UrbRunConfig *out);

/* A setting's value as text, of files the name alone.  (transfer full) (nullable): NULL: none */
char *urb_repeat_dup_value   (const UrbSetting *setting, const UrbRunConfig *config);

/**
 * urb_repeat_dup_command:
 * @chosen: of urb_repeat_find_chosen()
 * @name: of the folder
 *
 * `urbarium-engine train …` with the run's settings and its dataset, quoted for a shell.  Files have no
 * folders, and secrets are left out, since others may read it.
 *
 * Returns: (transfer full): UTF-8
 */
char *urb_repeat_dup_command (const UrbRunConfig *chosen, const char *name);

G_END_DECLS
