/* SPDX-License-Identifier: Apache-2.0 */
/* filler.h - creates many rows without delaying a frame. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _UrbariumFiller UrbariumFiller;

/* Creates one row.  Returns: %FALSE if none was left */
typedef gboolean (*UrbariumFillerFunc) (gpointer data);

UrbariumFiller *urbarium_filler_new  (UrbariumFillerFunc func, gpointer data);
void            urbarium_filler_free (UrbariumFiller *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumFiller, urbarium_filler_free)

/* Works for a few milliseconds now, and continues whenever the main loop is idle. */
void urbarium_filler_start (UrbariumFiller *self);
void urbarium_filler_stop  (UrbariumFiller *self);

G_END_DECLS
