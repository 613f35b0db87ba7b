/* SPDX-License-Identifier: Apache-2.0 */
/* map-document.h - the open map, its files, and the classes changed by hand. */
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
 * opening or classifying).
 *
 * Signals:
 *  "changed": urbarium_map_document_get_map() has changed
 *  "classes-changed": a choice was made by hand, undone or redone; the map follows
 *  "failed" (GError): a map could not be opened; the current map and its classes stay
 */
UrbariumMapDocument *urbarium_map_document_new (UrbariumUndo *undo);

/* (transfer none) (nullable) */
UrbMap            *urbarium_map_document_get_map   (UrbariumMapDocument *self);
/* Whether the last map that was to be opened is too large, or has nothing in the part that was wanted. */
gboolean           urbarium_map_document_can_open_part (UrbariumMapDocument *self);
/* Opens this part of that map: see urbarium_map_document_set_part(). */
void               urbarium_map_document_open_part     (UrbariumMapDocument *self, const char *part);
/* The files of the map, for urb_curation_write(). (transfer none) (nullable) */
const char *const *urbarium_map_document_get_paths (UrbariumMapDocument *self);

/* The address of a map on a server, with its password. (transfer none) (nullable) */
const char        *urbarium_map_document_get_address (UrbariumMapDocument *self);

/* Opens files in a thread, superseding a previous call; restores the changes made by hand when
 * the map was last open. */
void urbarium_map_document_open        (UrbariumMapDocument *self, const char *const *paths);
/* The same for a map on a server, whose address (map/address.h) may have a password.  The document's path is the
 * address as shown, without it; neither is part of the state, so that no session asks a server by itself.
 * Returns: FALSE, with nothing done, if it is no address */
gboolean urbarium_map_document_open_address (UrbariumMapDocument *self, const char *address, GError **error);
/* The last of them, whether it could be opened or not: only in memory, since it may have a password.
 * (transfer none) (nullable) */
const char *urbarium_map_document_get_typed_address (UrbariumMapDocument *self);
/* Draws the sample town into the user's cache, and opens it. */
void urbarium_map_document_open_sample (UrbariumMapDocument *self);
void urbarium_map_document_close       (UrbariumMapDocument *self);

/* Changes a class by hand; can be undone.  The map follows when it has been read again; changes in
 * quick succession are combined.  @layer and @value as in UrbMapLayer and UrbMapValue. */
void     urbarium_map_document_set_class   (UrbariumMapDocument *self, const char *layer,
                                            const char *value, UrbClass class_);
/* Resets to the profile's class. */
void     urbarium_map_document_reset_class (UrbariumMapDocument *self, const char *layer,
                                            const char *value);
/* The class chosen by hand, even before the map follows.
 * @class_: (out) (optional).  Returns: %FALSE if none was chosen */
gboolean urbarium_map_document_get_class   (UrbariumMapDocument *self, const char *layer,
                                            const char *value, UrbClass *class_);

/* Width of roads drawn as lines; 0: the profile's.  Can be undone. */
void   urbarium_map_document_set_road_width (UrbariumMapDocument *self, double width_m);
double urbarium_map_document_get_road_width (UrbariumMapDocument *self);

/* How the objects are classified: the name of a profile; "": recognized.  Can be undone. */
void        urbarium_map_document_set_profile (UrbariumMapDocument *self, const char *profile);
const char *urbarium_map_document_get_profile (UrbariumMapDocument *self);

/* Coordinate system of files that state none or an impossible one, such as "EPSG:2056"; "": guessed.
 * Can be undone. */
void        urbarium_map_document_set_crs (UrbariumMapDocument *self, const char *crs);
const char *urbarium_map_document_get_crs (UrbariumMapDocument *self);

/* The part that is read, as in UrbMapOptions.clip; "": all.  Can be undone. */
void        urbarium_map_document_set_part (UrbariumMapDocument *self, const char *part);
const char *urbarium_map_document_get_part (UrbariumMapDocument *self);

/* Profile and coordinate system of all layers of that name, whatever holds for the map.  Can be undone. */
void urbarium_map_document_set_layer_profile (UrbariumMapDocument *self, const char *layer, const char *profile);
/* Whatever the file states. */
void urbarium_map_document_set_layer_crs     (UrbariumMapDocument *self, const char *layer, const char *crs);
/* Texts are "" where nothing was chosen, and valid until the next change. */
UrbMapLayerOptions urbarium_map_document_get_layer (UrbariumMapDocument *self, const char *layer);

/* Paths and choices, for the next session: see map-memory.h; the restored state until a map
 * has been read or closed.  (transfer full) */
GVariant *urbarium_map_document_dup_state (UrbariumMapDocument *self);
/* Opens the map of @state.  Does nothing if it has no map, or is of another type. */
void      urbarium_map_document_restore   (UrbariumMapDocument *self, GVariant *state);

/* The choices for this map and recent ones, for the next session.  (transfer full) */
GVariant *urbarium_map_document_dup_memory     (UrbariumMapDocument *self);
void      urbarium_map_document_restore_memory (UrbariumMapDocument *self, GVariant *memory);

G_END_DECLS
