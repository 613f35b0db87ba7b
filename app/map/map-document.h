/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-document.h - the map that is open: where it came from, what it became,
 * and the classes that were changed by hand.
 */
#pragma once

#include "app/base/job.h"
#include "app/base/undo.h"
#include "map/map.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_MAP_DOCUMENT (urbarium_map_document_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumMapDocument, urbarium_map_document, URBARIUM, MAP_DOCUMENT, GObject)

/**
 * UrbariumMapDocument:
 *
 * Properties, read-only: title (string, nullable: the file's name), job (UrbariumJob, nullable:
 * opening or classifying), has-map (boolean).
 *
 * Signals:
 *  "changed": urbarium_map_document_get_map() is another one (or none)
 *  "classes-changed": by hand, undone or redone; the map follows
 *  "failed" (GError): it could not be opened; the map before stays, with its classes
 */
UrbariumMapDocument *urbarium_map_document_new (UrbariumUndo *undo);

/* (transfer none) (nullable) */
UrbMap            *urbarium_map_document_get_map   (UrbariumMapDocument *self);
/* The files it was read from, for urb_curation_write(). (transfer none) (nullable) */
const char *const *urbarium_map_document_get_paths (UrbariumMapDocument *self);

/* Opens in a thread, instead of whatever is being opened, with what was changed by hand when that
 * map was open before. */
void urbarium_map_document_open        (UrbariumMapDocument *self, const char *const *paths);
/* Draws the sample town into the user's cache, and opens it. */
void urbarium_map_document_open_sample (UrbariumMapDocument *self);
void urbarium_map_document_close       (UrbariumMapDocument *self);

/* By hand; can be undone.  The map follows soon, when it has been read anew; quick changes are
 * read together.  @layer and @value as in UrbMapLayer and UrbMapValue. */
void     urbarium_map_document_set_class   (UrbariumMapDocument *self, const char *layer,
                                            const char *value, UrbClass class_);
/* Back to what the profile says. */
void     urbarium_map_document_reset_class (UrbariumMapDocument *self, const char *layer,
                                            const char *value);
/* What was chosen by hand, at once, whatever the map still shows.
 * @class_: (out) (optional).  FALSE: nothing was. */
gboolean urbarium_map_document_get_class   (UrbariumMapDocument *self, const char *layer,
                                            const char *value, UrbClass *class_);

/* Width of roads that are only lines; 0: the profile's.  Can be undone. */
void   urbarium_map_document_set_road_width (UrbariumMapDocument *self, double width_m);
double urbarium_map_document_get_road_width (UrbariumMapDocument *self);

/* Paths, classes and width, for the next session: "(asda(ssi))"; those that were restored until
 * that map, or another, was read, or it was closed.  (transfer full) */
GVariant *urbarium_map_document_dup_state (UrbariumMapDocument *self);
/* Opens what dup_state() told.  Nothing if there was no map, or @state is of another kind. */
void      urbarium_map_document_restore   (UrbariumMapDocument *self, GVariant *state);

/* What was chosen by hand, of this map and those that were open before, for the next session.
 * (transfer full) */
GVariant *urbarium_map_document_dup_memory     (UrbariumMapDocument *self);
void      urbarium_map_document_restore_memory (UrbariumMapDocument *self, GVariant *memory);

G_END_DECLS
