/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event-list.h - the events of a run as sentences, newest first.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_EVENT_LIST (urbarium_event_list_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumEventList, urbarium_event_list, URBARIUM, EVENT_LIST, AdwBin)

/* @events: (nullable): of UrbariumRunEvent, newest last
 * @library: (nullable): provides the names of other runs */
void urbarium_event_list_set_events (UrbariumEventList *self, GListModel *events,
                                     UrbariumRunLibrary *library);

/* The sentence for an event of the engine.  Returns: (transfer full) */
char *urbarium_event_list_dup_words (const char *level, const char *code, const char *text,
                                     gint64 step);

G_END_DECLS
