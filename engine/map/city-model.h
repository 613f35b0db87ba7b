/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-model.h - flat areas of models of cities in three dimensions (CityGML, CityJSON).
 *
 * A building is a set of faces (walls, roofs, floors) in several levels of detail.  Its footprint is made of the
 * faces that describe the ground best, in each of its parts.  What is found is written as GeoJSON into GDAL's memory, which GDAL
 * then reads like any other map.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* How well a face describes the footprint, best first.  Within one rank, a level of detail (0 to 9) is added. */
enum
{
  URB_FACE_AREA = 0,    /* the footprint, or a face of what lies on the ground */
  URB_FACE_GROUND = 10, /* the lower side of a building */
  URB_FACE_EDGE = 20,   /* the edge of its roof, seen from above */
  URB_FACE_SOLID = 30   /* any of its faces: of a block all count, else those at the bottom, or all where there are none */
};

typedef struct _UrbCityModel UrbCityModel;

UrbCityModel *urb_city_model_new  (void);
void          urb_city_model_free (UrbCityModel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbCityModel, urb_city_model_free)

/* Whether objects of this type, by their name in both formats, are areas of a map. */
gboolean urb_city_model_knows (const char *type);
/* Whether they have walls and roofs. */
gboolean urb_city_model_is_solid (const char *type);

/* An object: add faces with rings with vertices, end it.  Faces of a solid have their bottom together; the
 * footprints of parts are chosen one by one, and united. */
void urb_city_model_begin_solid (UrbCityModel *self);
void urb_city_model_begin_face (UrbCityModel *self, int rank);
void urb_city_model_begin_ring (UrbCityModel *self);
void urb_city_model_add_vertex (UrbCityModel *self, double x, double y, double z);
void urb_city_model_end_part  (UrbCityModel *self); /* the last one ends with its object */
/* @id: (nullable).  Without a face that is an area, it is an object without a shape. */
void urb_city_model_end_object (UrbCityModel *self, const char *id, const char *type);

/* An object of this kind is no area of a map: the number of each kind is told in a warning. */
void urb_city_model_leave_out (UrbCityModel *self, const char *kind);

/* A line of a sequence is damaged. */
void urb_city_model_skip_line (UrbCityModel *self);

/* As urb_city_crs_set(), by its name in the file. */
void urb_city_model_set_crs (UrbCityModel *self, const char *name, gboolean keeps_order);

/**
 * urb_city_model_flatten:
 * @path: as passed to GDAL
 * @shown: the same for messages
 * @name: of the layer
 * @is_json: CityJSON, else CityGML
 * @is_cut: (out): whether only the part before some damage could be read
 * @warnings: of char *: what was left out or is unknown is added
 *
 * Returns: (transfer full): what GDAL calls the GeoJSON; remove it with VSIUnlink().  %NULL, with an error: the
 *   file cannot be read, or nothing of it
 */
char *urb_city_model_flatten (const char *path, const char *shown, const char *name, gboolean is_json,
                              gboolean *is_cut, GPtrArray *warnings, GError **error);

/* -------- The two formats -------- */

/* Both add what they can read.  @text: (n_bytes), followed by a zero byte, may be changed.
 * Returns: %FALSE, with an error that goes on after the file's name: @text is damaged; the objects before are added */
gboolean urb_city_gml_read  (UrbCityModel *self, char *text, gsize n_bytes, GError **error);
gboolean urb_city_json_read (UrbCityModel *self, char *text, gsize n_bytes, GError **error);

G_END_DECLS
