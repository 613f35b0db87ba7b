/* SPDX-License-Identifier: Apache-2.0 */
/*
 * race.h - a comparison of two ways to train, as its folder has it: `urbarium-engine bench --ab`.
 *
 * It works in the background, outlives the window, and is followed through its file (city/race-file.h).
 */
#pragma once

#include <gio/gio.h>

#include "city/race-file.h"
#include "settings/run-config.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_RACE (urbarium_race_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRace, urbarium_race, URBARIUM, RACE, GObject)

/* Signal "changed": the file has news, or the process has ended. */

/* Reads the file, and goes on while the comparison works.
 * Returns: (transfer full): NULL with an error if there is no comparison in @folder */
UrbariumRace          *urbarium_race_new          (const char *folder, GError **error);

/* The curves so far, and how far it is; until the next "changed". (transfer none) */
const UrbQualityRace  *urbarium_race_get_race     (UrbariumRace *self);
const UrbRaceProgress *urbarium_race_get_progress (UrbariumRace *self);
gboolean               urbarium_race_is_running   (UrbariumRace *self);
/* It ends soon, with the scores that it has. */
void                   urbarium_race_stop         (UrbariumRace *self);

/* Whether it ended without a result, and can go on. */
gboolean               urbarium_race_can_continue (UrbariumRace *self);
/* Goes on with what has no score yet; "changed" follows, and it is running. */
void                   urbarium_race_continue_async  (UrbariumRace *self, GAsyncReadyCallback callback, gpointer user_data);
/* The error is translated. */
gboolean               urbarium_race_continue_finish (UrbariumRace *self, GAsyncResult *result, GError **error);
/* Moves its folder to the trash, or deletes it if there is none.  It must not be running. */
void                   urbarium_race_delete_async    (UrbariumRace *self, GAsyncReadyCallback callback, gpointer user_data);
gboolean               urbarium_race_delete_finish   (UrbariumRace *self, GAsyncResult *result, GError **error);

/* What is compared. */
typedef struct
{
  const UrbRunConfig *config; /* what both have; its strategy does not count */
  const char         *first, *second; /* "hogwild:2"; the second is the baseline */
  double              minutes;        /* of each training */
  int                 n_seeds;
} UrbariumRacePlan;

/* @parent: the new folder's parent, made if missing */
void          urbarium_race_start_async  (const UrbariumRacePlan *plan, const char *parent, GCancellable *cancellable,
                                          GAsyncReadyCallback callback, gpointer user_data);
/* Returns: (transfer full): NULL with an error, translated */
UrbariumRace *urbarium_race_start_finish (GAsyncResult *result, GError **error);

/* The comparisons in @parent, newest first. (transfer full) (element-type UrbariumRace) */
GPtrArray    *urbarium_race_list         (const char *parent);

G_END_DECLS
