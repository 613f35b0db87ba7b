/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.h - tells the machines that share a home from each other.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A hash of the machine's id and its name, from which neither can be read. (transfer full) */
char  *urb_machine_dup_id        (void);
/* When it was started, in seconds since 1970; 0: not known. */
double urb_machine_get_boot_time (void);

G_END_DECLS
