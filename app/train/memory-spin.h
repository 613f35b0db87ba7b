/* SPDX-License-Identifier: Apache-2.0 */
/* memory-spin.h - a spin button for an amount of memory in GB, of which 0 is no limit. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Makes @spin show its value with its unit, and 0 as words; it reads a number with its unit or without, or nothing. */
void urbarium_memory_spin_set_up (GtkSpinButton *spin);

G_END_DECLS
