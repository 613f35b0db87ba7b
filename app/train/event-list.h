/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event-list.h - what happened to a run, in plain words, the newest first.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_EVENT_LIST (urbarium_event_list_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumEventList, urbarium_event_list, URBARIUM, EVENT_LIST, AdwBin)

/* @events: (nullable): of UrbariumRunEvent, the newest last
 * @library: (nullable): that knows the names of other runs */
void urbarium_event_list_set_events (UrbariumEventList *self, GListModel *events,
                                     UrbariumRunLibrary *library);

/* What an event of @level and @code with the engine's own @text means, told at @step.
 * (transfer full) */
char *urbarium_event_list_dup_words (const char *level, const char *code, const char *text,
                                     gint64 step);

G_END_DECLS
