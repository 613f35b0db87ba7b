/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rapl.h - the energy of this machine's processors, as their own counters tell it (RAPL, of Intel and AMD).
 *
 * It is that of all programs, not of the run alone.  Linux lets only root read the counters, unless the administrator
 * allows more.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define URB_RAPL_FOLDER "/sys/class/powercap"

typedef struct _UrbRapl UrbRapl;

/* @folder: %URB_RAPL_FOLDER, or one like it.  (transfer full) (nullable): %NULL if no counter of a processor can be read */
UrbRapl *urb_rapl_open  (const char *folder);
void     urb_rapl_close (UrbRapl *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbRapl, urb_rapl_close)

/* The energy of all processors since the last call, or since the counters were opened, in joules.  Call it more often
 * than the counters begin anew: every minute. */
double   urb_rapl_read  (UrbRapl *self);

G_END_DECLS
