/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event-histograms.h - the histograms in a file of events that this program has written before.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _UrbEventHistograms UrbEventHistograms;

UrbEventHistograms *urb_event_histograms_new  (void);
void                urb_event_histograms_free (UrbEventHistograms *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbEventHistograms, urb_event_histograms_free)

/* Adds those of the file in @path, as far as it can be read: until a record that is damaged or cut off.  Blocks. */
void       urb_event_histograms_read (UrbEventHistograms *self, const char *path);

/* Those of an event, which its time tells from another one of the same step.  Each can be stolen once.
 * Returns: (transfer full) (nullable) (element-type UrbValueCounts) */
GPtrArray *urb_event_histograms_steal (UrbEventHistograms *self, double time, gint64 step);

G_END_DECLS
