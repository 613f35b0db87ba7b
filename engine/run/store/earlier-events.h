/* SPDX-License-Identifier: Apache-2.0 */
/*
 * earlier-events.h - the histograms and sample grids in a file of events that this program has written before.
 *
 * The checkpoints and images that they were made of may have been deleted since.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _UrbEarlierEvents UrbEarlierEvents;

UrbEarlierEvents *urb_earlier_events_new  (void);
void              urb_earlier_events_free (UrbEarlierEvents *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbEarlierEvents, urb_earlier_events_free)

/* Adds those of the file in @path, as far as it can be read: until a record that is damaged or cut off.  Of sample
 * grids only the places are kept, so the file has to stay until they were read.  Blocks. */
void       urb_earlier_events_read (UrbEarlierEvents *self, const char *path);

/* Those of an event, which its time tells from another one of the same step.  Each can be stolen once.
 * Returns: (transfer full) (nullable) (element-type UrbValueCounts) */
GPtrArray *urb_earlier_events_steal_histograms (UrbEarlierEvents *self, double time, gint64 step);

/* The sample grid of an event.  @n: (out): its bytes
 * Returns: (transfer full) (nullable): as it was written: whatever the file has in its place */
char      *urb_earlier_events_read_image (const UrbEarlierEvents *self, double time, gint64 step, gsize *n);

G_END_DECLS
