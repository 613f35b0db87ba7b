/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-city-models.c - footprints of models in three dimensions, written here: CityGML and CityJSON.
 */
#include <cpl_conv.h>
#include <glib/gstdio.h>
#include <string.h>

#include "flat-folder.h"
#include "map/map.h"

typedef FlatFolderFixture Fixture;

static UrbMap *
open_text (Fixture *self, const char *name, const char *text, gssize n_bytes, GError **error)
{
  g_autofree char *path = g_build_filename (self->folder, name, NULL);
  g_autoptr(GError) write_error = NULL;

  g_file_set_contents (path, text, n_bytes, &write_error);
  g_assert_no_error (write_error);
  return urb_map_open ((const char *const[]){ path, NULL }, NULL, NULL, NULL, NULL, error);
}

static UrbMap *
open_whole (Fixture *self, const char *name, const char *text)
{
  g_autoptr(GError) error = NULL;
  UrbMap *map = open_text (self, name, text, -1, &error);

  g_assert_no_error (error);
  return map;
}

static void
assert_areas (UrbMap *map, double building, double road, double other)
{
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING), building, 0.01);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_ROAD), road, 0.01);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_OTHER), other, 0.01);
}

static const UrbMapLayer *
get_layer (UrbMap *map)
{
  g_assert_cmpint (urb_map_get_layers (map)->len, ==, 1);
  return g_ptr_array_index (urb_map_get_layers (map), 0);
}

static gboolean
has_warning (UrbMap *map, const char *text)
{
  for (guint i = 0; i < urb_map_get_warnings (map)->len; i++)
    if (strstr (g_ptr_array_index (urb_map_get_warnings (map), i), text) != NULL)
      return TRUE;
  return FALSE;
}

/* -------- CityGML -------- */

#define GML_BEGIN(crs) "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" \
  "<core:CityModel xmlns:core=\"http://www.opengis.net/citygml/2.0\" xmlns:bldg=\"http://www.opengis.net/citygml/building/2.0\"" \
  " xmlns:tran=\"http://www.opengis.net/citygml/transportation/2.0\" xmlns:gml=\"http://www.opengis.net/gml\">" \
  "<gml:boundedBy><gml:Envelope srsName=\"" crs "\" srsDimension=\"3\"/></gml:boundedBy>"
#define GML_END "</core:CityModel>\n"
#define MEMBER(text) "<core:cityObjectMember>" text "</core:cityObjectMember>\n"
#define FACE(list) "<gml:MultiSurface><gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>" list \
  "</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember></gml:MultiSurface>"
/* At 500000, 5500000 in UTM. */
#define WALL "500000 5500000 300 500010 5500000 300 500010 5500000 309 500000 5500000 309 500000 5500000 300"
#define GROUND_10_20 "500000 5500000 300 500010 5500000 300 500010 5500020 300 500000 5500020 300 500000 5500000 300"
#define ROOF_12_22 "499999 5499999 309 500011 5499999 309 500011 5500021 309 499999 5500021 309 499999 5499999 309"

/* A house in level 2 with a roof that is larger than its ground, and a part of it; a street with a hole. */
static const char gml[] = GML_BEGIN ("urn:ogc:def:crs,crs:EPSG::25832,crs:EPSG::7837")
  MEMBER ("<bldg:Building gml:id=\"house\">"
          "<bldg:boundedBy><bldg:RoofSurface><bldg:lod2MultiSurface>" FACE (ROOF_12_22) "</bldg:lod2MultiSurface></bldg:RoofSurface></bldg:boundedBy>"
          "<bldg:boundedBy><bldg:WallSurface><bldg:lod2MultiSurface>" FACE (WALL) "</bldg:lod2MultiSurface></bldg:WallSurface></bldg:boundedBy>"
          "<bldg:boundedBy><bldg:GroundSurface><bldg:lod2MultiSurface>" FACE (GROUND_10_20) "</bldg:lod2MultiSurface></bldg:GroundSurface></bldg:boundedBy>"
          "<bldg:outerBuildingInstallation><bldg:BuildingInstallation><bldg:lod2Geometry>" FACE ("500000 5500100 300 500009 5500100 300 500009 5500109 300 500000 5500100 300") "</bldg:lod2Geometry></bldg:BuildingInstallation></bldg:outerBuildingInstallation>"
          "<bldg:consistsOfBuildingPart><bldg:BuildingPart gml:id=\"annexe\"><bldg:boundedBy><bldg:GroundSurface><bldg:lod2MultiSurface>"
          FACE ("500010 5500000 300 500014 5500000 300 500014 5500010 300 500010 5500010 300 500010 5500000 300")
          "</bldg:lod2MultiSurface></bldg:GroundSurface></bldg:boundedBy></bldg:BuildingPart></bldg:consistsOfBuildingPart>"
          "</bldg:Building>")
  MEMBER ("<tran:Road gml:id=\"street\"><tran:lod1MultiSurface><gml:MultiSurface><gml:surfaceMember><gml:Polygon>"
          "<gml:exterior><gml:LinearRing><gml:posList>500100 5500000 300 500200 5500000 301 500200 5500010 301 500100 5500010 300 500100 5500000 300</gml:posList></gml:LinearRing></gml:exterior>"
          "<gml:interior><gml:LinearRing><gml:pos>500110 5500002 300</gml:pos><gml:pos>500112 5500002 300</gml:pos><gml:pos>500112 5500004 300</gml:pos><gml:pos>500110 5500002 300</gml:pos></gml:LinearRing></gml:interior>"
          "</gml:Polygon></gml:surfaceMember></gml:MultiSurface></tran:lod1MultiSurface></tran:Road>")
  GML_END;

static void
test_gml (Fixture *self, gconstpointer data)
{
  g_autoptr(UrbMap) map = open_whole (self, "town.gml", gml);

  g_assert_cmpstr (urb_map_get_profile (map), ==, "generic");
  g_assert_cmpint (urb_map_get_epsg (map), ==, 25832);
  g_assert_cmpfloat_with_epsilon (urb_map_get_extent (map).min_x, 500000, 0.01);
  assert_areas (map, 10 * 20 + 4 * 10, 1000 - 2, 0);
  g_assert_cmpint (urb_map_get_warnings (map)->len, ==, 0);
}

/* Footprints are better than the ground, roof edges better than the bottom of a block. */
static void
test_gml_levels (Fixture *self, gconstpointer data)
{
#define BLOCK(list) "<bldg:lod2Solid><gml:Solid><gml:exterior>" FACE (WALL) FACE (list) FACE (ROOF_12_22) "</gml:exterior></gml:Solid></bldg:lod2Solid>"
#define OPEN(inner) GML_BEGIN ("EPSG:25832") MEMBER ("<bldg:Building>" inner "</bldg:Building>") GML_END
#define GROUND(list) "<bldg:boundedBy><bldg:GroundSurface><bldg:lod2MultiSurface>" FACE (list) "</bldg:lod2MultiSurface></bldg:GroundSurface></bldg:boundedBy>"
#define SQUARE_5 "500000 5500000 300 500005 5500000 300 500005 5500005 300 500000 5500005 300 500000 5500000 300"
  static const struct { const char *text; double area_m2; } cases[] = {
    { OPEN (BLOCK (GROUND_10_20)), 200 },
    { OPEN (BLOCK (GROUND_10_20) "<bldg:lod0RoofEdge>" FACE (ROOF_12_22) "</bldg:lod0RoofEdge>"), 12 * 22 },
    { OPEN (BLOCK (GROUND_10_20) GROUND (SQUARE_5) "<bldg:lod0RoofEdge>" FACE (ROOF_12_22) "</bldg:lod0RoofEdge>"), 25 },
    { OPEN ("<bldg:lod0FootPrint>" FACE (SQUARE_5) "</bldg:lod0FootPrint>" BLOCK (GROUND_10_20) GROUND (GROUND_10_20)), 25 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(UrbMap) map = open_whole (self, "levels.gml", cases[i].text);

      g_test_message ("case %u", (guint) i);
      assert_areas (map, cases[i].area_m2, 0, 0);
    }
}

/* The parts of a house, and the floors of a block, may be on different heights, and parts in different levels of detail. */
static void
test_gml_parts (Fixture *self, gconstpointer data)
{
#define PART(inner) "<bldg:consistsOfBuildingPart><bldg:BuildingPart>" inner "</bldg:BuildingPart></bldg:consistsOfBuildingPart>"
#define NEXT_4_10(z) "500010 5500000 " z " 500014 5500000 " z " 500014 5500010 " z " 500010 5500010 " z " 500010 5500000 " z
  static const char *const cases[] = {
    OPEN (PART ("<bldg:lod0FootPrint>" FACE (GROUND_10_20) "</bldg:lod0FootPrint>") PART (GROUND (NEXT_4_10 ("300")))),
    OPEN (PART (BLOCK (GROUND_10_20)) PART ("<bldg:lod2Solid>" FACE (NEXT_4_10 ("305")) FACE (NEXT_4_10 ("309")) "</bldg:lod2Solid>")),
    OPEN ("<bldg:lod2MultiSolid><gml:Solid>" FACE (GROUND_10_20) FACE (ROOF_12_22) "</gml:Solid><gml:Solid>"
          FACE (NEXT_4_10 ("305")) FACE (NEXT_4_10 ("309")) "</gml:Solid></bldg:lod2MultiSolid>"),
    OPEN ("<bldg:lod1Solid>" FACE (GROUND_10_20) FACE (NEXT_4_10 ("302")) FACE (NEXT_4_10 ("309")) "</bldg:lod1Solid>"),
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(UrbMap) map = open_whole (self, "parts.gml", cases[i]);

      g_test_message ("case %u", (guint) i);
      assert_areas (map, 200 + 40, 0, 0);
    }
}

/* How many numbers a vertex has: stated for the list or around it, not for another house or the envelope, or seen
 * in the list. */
static void
test_gml_dimensions (Fixture *self, gconstpointer data)
{
#define AREA(surface, polygon, ring, list) "<bldg:lod0FootPrint><gml:MultiSurface" surface "><gml:surfaceMember><gml:Polygon" polygon \
  "><gml:exterior><gml:LinearRing" ring ">" list "</gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember></gml:MultiSurface></bldg:lod0FootPrint>"
#define HOUSES(inner) "<core:CityModel><gml:boundedBy><gml:Envelope srsName=\"EPSG:25832\" srsDimension=\"2\"/></gml:boundedBy>" \
  MEMBER ("<bldg:Building>" inner "</bldg:Building>") MEMBER ("<bldg:Building>" AREA ("", "", "", LIST (FAR_5)) "</bldg:Building>") GML_END
#define LIST(list) "<gml:posList>" list "</gml:posList>"
#define FLAT_5 "500000 5500000 500005 5500000 500005 5500005 500000 5500005 500000 5500000"
#define FLAT_6 "500000 5500000 500005 5500000 500005 5500003 500005 5500005 500000 5500005 500000 5500000"
#define FAR_5 "500100 5500000 300 500105 5500000 300 500105 5500005 300 500100 5500005 300 500100 5500000 300"
#define TWO " srsDimension=\"2\""
  static const char *const cases[] = {
    HOUSES (AREA (TWO, "", "", LIST (FLAT_6))),
    HOUSES (AREA ("", TWO, "", LIST (FLAT_6))),
    HOUSES (AREA ("", "", TWO, LIST (FLAT_6))),
    HOUSES (AREA ("", "", "", LIST (FLAT_5))),
    HOUSES (AREA ("", "", "", LIST (FLAT_6))),
    HOUSES (AREA ("", "", "", LIST (SQUARE_5))),
    HOUSES (AREA (TWO, " srsDimension=\"3\"", "", LIST (SQUARE_5))),
    HOUSES (AREA ("", "", " srsDimension=\"4294967298\"", LIST (SQUARE_5))),
    HOUSES (AREA ("", "", "", "<gml:coordinates>500000,5500000 500005,5500000 500005,5500003 500005,5500005 500000,5500005 500000,5500000</gml:coordinates>")),
    HOUSES (AREA ("", "", "", "<gml:coordinates>\n500000,5500000,1 500005,5500000,1 500005,5500005,1 500000,5500005,1 500000,5500000,1</gml:coordinates>")),
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(UrbMap) map = open_whole (self, "dimensions.gml", cases[i]);

      g_test_message ("case %u", (guint) i);
      assert_areas (map, 25 + 25, 0, 0);
      g_assert_cmpfloat_with_epsilon (urb_map_get_extent (map).max_x, 500105, 0.01);
    }
}

#define QUOTED(text) "&quot;" text "&quot;"
#define LOCAL_WKT "ENGCRS[" QUOTED ("Harbour grid") ",EDATUM[" QUOTED ("Quay") "],CS[Cartesian,2],AXIS[" QUOTED ("(E)") \
  ",east],AXIS[" QUOTED ("(N)") ",north],LENGTHUNIT[" QUOTED ("metre") ",1]]"
#define UTM_32_WKT "PROJCS[" QUOTED ("ETRS89 / UTM zone 32N") ",GEOGCS[" QUOTED ("ETRS89") ",DATUM[" \
  QUOTED ("European_Terrestrial_Reference_System_1989") ",SPHEROID[" QUOTED ("GRS 1980") ",6378137,298.257222101,AUTHORITY[" \
  QUOTED ("EPSG") "," QUOTED ("7019") "]]],PRIMEM[" QUOTED ("Greenwich") ",0],UNIT[" QUOTED ("degree") ",0.0174532925199433]]," \
  "PROJECTION[" QUOTED ("Transverse_Mercator") "],PARAMETER[" QUOTED ("latitude_of_origin") ",0],PARAMETER[" \
  QUOTED ("central_meridian") ",9],PARAMETER[" QUOTED ("scale_factor") ",0.9996],PARAMETER[" QUOTED ("false_easting") \
  ",500000],PARAMETER[" QUOTED ("false_northing") ",0],UNIT[" QUOTED ("metre") ",1],AUTHORITY[" QUOTED ("EPSG") "," QUOTED ("25832") "]]"

/* Of a compound system the horizontal one counts; an unknown name is told, and a later one used. */
static void
test_gml_crs (Fixture *self, gconstpointer data)
{
#define NAMED(crs, inner_crs) GML_BEGIN (crs) MEMBER ("<bldg:Building><bldg:lod0FootPrint><gml:MultiSurface srsName=\"" inner_crs "\">" \
  "<gml:surfaceMember>" FACE (GROUND_10_20) "</gml:surfaceMember></gml:MultiSurface></bldg:lod0FootPrint></bldg:Building>") GML_END
  static const struct { const char *text; const char *warning; } cases[] = {
    { NAMED ("http://www.opengis.net/gml/srs/epsg.xml#25832", ""), NULL },
    { NAMED ("epsg:25832", ""), NULL },
    { NAMED ("EPSG:25832+5783", ""), NULL },
    { NAMED ("urn:ogc:def:crs,crs:EPSG::25832,crs:EPSG::5783", ""), NULL },
    { NAMED ("http://www.opengis.net/def/crs-compound?1=http://www.opengis.net/def/crs/EPSG/0/25832&amp;2=http://www.opengis.net/def/crs/EPSG/0/5783", ""), NULL },
    { NAMED ("urn:adv:crs:ETRS89_UTM32*DE_DHHN2016_NH", ""), NULL },
    { NAMED ("our own grid", "EPSG:25832"), NULL },
    { NAMED (LOCAL_WKT, "EPSG:25832"), NULL },
    { NAMED (UTM_32_WKT, "EPSG:28992"), NULL }, /* the units of a definition have codes, too */
    { NAMED (LOCAL_WKT, ""), "crs.gml: the coordinate system 'Harbour grid' is unknown" },
    { NAMED ("EPSG:1234567", "EPSG:99999999999"), "crs.gml: the coordinate system 'EPSG:99999999999' is unknown" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(UrbMap) map = open_whole (self, "crs.gml", cases[i].text);

      g_test_message ("case %u", (guint) i);
      assert_areas (map, 200, 0, 0);
      if (cases[i].warning != NULL)
        {
          g_assert_true (has_warning (map, cases[i].warning));
          g_assert_false (has_warning (map, "ENGCRS"));
        }
      else
        {
          g_assert_cmpint (urb_map_get_epsg (map), ==, 25832);
          g_assert_false (has_warning (map, "coordinate system"));
        }
    }
}

/* As in Japan, where a system of latitude and longitude gives them in this order. */
static void
test_gml_axes (Fixture *self, gconstpointer data)
{
  g_autoptr(UrbMap) map = open_whole (
    self, "tokyo.gml", GML_BEGIN ("http://www.opengis.net/def/crs/EPSG/0/6697")
    MEMBER ("<bldg:Building><bldg:lod0RoofEdge>"
            FACE ("35.7 139.7 0 35.701 139.7 0 35.701 139.701 0 35.7 139.701 0 35.7 139.7 0") "</bldg:lod0RoofEdge></bldg:Building>") GML_END);

  g_assert_cmpint (urb_map_get_epsg (map), ==, 32654);
  /* 0.001 degrees: 110.95 m to the north, 90.49 m to the east */
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING), 10040, 20);
}

/* A house with numbers that are none is left out and counted; of a file that breaks off, the part before is used. */
static void
test_gml_damaged (Fixture *self, gconstpointer data)
{
  static const char one_bad[] = GML_BEGIN ("EPSG:25832")
    MEMBER ("<bldg:Building>" GROUND (GROUND_10_20) "</bldg:Building>")
    MEMBER ("<bldg:Building>" GROUND ("500000 5500100 x 500005 5500100 300 500005 5500105 300") "</bldg:Building>") GML_END;
  g_autoptr(UrbMap) map = open_whole (self, "bad.gml", one_bad);
  g_autoptr(UrbMap) cut = NULL;
  g_autoptr(GError) error = NULL;

  assert_areas (map, 200, 0, 0);
  g_assert_cmpint (get_layer (map)->n_features, ==, 2);
  g_assert_cmpint (get_layer (map)->n_dropped, ==, 1);
  cut = open_text (self, "cut.gml", gml, strstr (gml, "<tran:Road") - gml + 20, &error);
  g_assert_no_error (error);
  assert_areas (cut, 240, 0, 0);
  g_assert_true (has_warning (cut, "could not be read to its end"));
  g_assert_null (open_text (self, "nothing.gml", gml, 500, &error));
  g_assert_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN);
  g_assert_nonnull (strstr (error->message, "damaged"));
}

/* -------- CityJSON -------- */

/* Corners in centimeters from 85000, 450000: 10 x 20 m on the ground (0 to 3), the same 9 m above (4 to 7), and 5 x 5 m
 * on the ground (0, 8, 9, 10). */
#define JSON_BEGIN "{\"type\":\"CityJSON\",\"version\":\"2.0\",\"transform\":{\"scale\":[0.01,0.01,0.01],\"translate\":[85000,450000,0]}," \
  "\"metadata\":{\"referenceSystem\":\"https://www.opengis.net/def/crs/EPSG/0/7415\"},\"CityObjects\":{"
#define VERTICES "\"vertices\":[[0,0,0],[1000,0,0],[1000,2000,0],[0,2000,0],[0,0,900],[1000,0,900],[1000,2000,900],[0,2000,900]," \
  "[500,0,0],[500,500,0],[0,500,0]]}"
#define LOD_0 "{\"type\":\"MultiSurface\",\"lod\":\"0\",\"boundaries\":[[[0,8,9,10]]]}"
#define LOD_2 "{\"type\":\"Solid\",\"lod\":\"2.2\",\"boundaries\":[[[[0,1,5,4]],[[0,3,2,1]],[[4,5,6,7]]]]," \
  "\"semantics\":{\"surfaces\":[{\"type\":\"WallSurface\"},{\"type\":\"GroundSurface\"},{\"type\":\"RoofSurface\"}],\"values\":[[0,1,2]]}}"
#define LOD_1 "{\"type\":\"Solid\",\"lod\":1,\"boundaries\":[[[[0,1,5,4]],[[0,3,2,1]],[[4,5,6,7]]]]}"

static void
test_json (Fixture *self, gconstpointer data)
{
#define HOUSE(geometry) JSON_BEGIN "\"a\":{\"type\":\"Building\",\"geometry\":[" geometry "]}}," VERTICES
  static const struct { const char *text; double building, road; } cases[] = {
    { HOUSE (LOD_2), 200, 0 },
    { HOUSE (LOD_1), 200, 0 },
    { HOUSE (LOD_1 "," LOD_2 "," LOD_0), 25, 0 },
    /* without a floor, in triangles, one of which is there twice */
    { HOUSE ("{\"type\":\"MultiSurface\",\"lod\":\"1\",\"boundaries\":[[[0,1,5,4]],[[4,5,6]],[[4,6,7]],[[4,5,6]]]}"), 200, 0 },
    /* the part is not counted again */
    { JSON_BEGIN "\"a\":{\"type\":\"Building\",\"children\":[\"b\"],\"geometry\":[" LOD_0 "]},"
      "\"b\":{\"type\":\"BuildingPart\",\"parents\":[\"a\"],\"geometry\":[" LOD_2 "]}}," VERTICES, 25, 0 },
    { JSON_BEGIN "\"a\":{\"type\":\"Building\",\"children\":[\"b\"]},"
      "\"b\":{\"type\":\"BuildingPart\",\"parents\":[\"a\"],\"geometry\":[" LOD_2 "]}}," VERTICES, 200, 0 },
    { JSON_BEGIN "\"a\":{\"type\":\"Road\",\"geometry\":[" LOD_0 "]},\"l\":{\"type\":\"Road\",\"geometry\":["
      "{\"type\":\"MultiLineString\",\"lod\":\"0\",\"boundaries\":[[0,1]]}]}}," VERTICES, 0, 25 },
    /* a point or no face of the whole does not hide the part */
    { JSON_BEGIN "\"a\":{\"type\":\"Building\",\"children\":[\"b\"],\"geometry\":[{\"type\":\"MultiPoint\",\"lod\":\"0\",\"boundaries\":[0]},"
      "{\"type\":\"Solid\",\"lod\":\"1\",\"boundaries\":[]}]},"
      "\"b\":{\"type\":\"BuildingPart\",\"parents\":[\"a\"],\"geometry\":[" LOD_2 "]}}," VERTICES, 200, 0 },
    /* what else is in the file, and in which order, does not matter */
    { "{\n \"vertices\": [[0,0,0],[1,0,0],[1,1,0]],\n \"CityObjects\": {\"a\": {\"type\": \"Road\", \"geometry\": [{\"type\": \"MultiSurface\", \"lod\": 0,"
      "\"boundaries\": [[[0,1,2]]]}]}},\n \"note\": \"CityJSONFeature\", \"type\": \"CityJSON\",\n \"transform\": {\"scale\": [10,10,10],"
      "\"translate\": [85000,450000,0]},\n \"metadata\": {\"referenceSystem\": \"EPSG:28992\"}}\n", 0, 50 },
    /* a sequence */
    { JSON_BEGIN "},\"vertices\":[]}\n"
      "{\"type\":\"CityJSONFeature\",\"id\":\"a\",\"CityObjects\":{\"a\":{\"type\":\"Building\",\"geometry\":[" LOD_0 "]}}," VERTICES "\n"
      "{\"type\":\"CityJSONFeature\",\"id\":\"b\",\"CityObjects\":{\"b\":{\"type\":\"Road\",\"geometry\":[" LOD_2 "]}}," VERTICES "\n",
      25, 200 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(UrbMap) map = NULL;

      g_test_message ("case %u", (guint) i);
      map = open_whole (self, i + 1 < G_N_ELEMENTS (cases) ? "town.city.json" : "town.city.jsonl", cases[i].text);
      assert_areas (map, cases[i].building, cases[i].road, 0);
      g_assert_cmpint (urb_map_get_n_polygons (map), ==, (cases[i].building > 0) + (cases[i].road > 0));
      g_assert_cmpint (urb_map_get_epsg (map), ==, 28992);
      g_assert_cmpfloat_with_epsilon (urb_map_get_extent (map).min_x, 85000, 0.01);
    }
}

/* Nothing is of the kind that it should be; one house is whole. */
static void
test_json_odd (Fixture *self, gconstpointer data)
{
  static const char odd[] = JSON_BEGIN
    "\"a\":{\"type\":\"Building\",\"geometry\":[" LOD_0 "]},"
    "\"b\":{\"type\":\"Building\",\"geometry\":[{\"type\":\"Solid\",\"lod\":\"2\",\"boundaries\":[[[[0,1,99999,-1,null,\"x\"]]]]}]},"
    "\"c\":{\"type\":\"Building\",\"geometry\":[{\"type\":\"Solid\",\"lod\":{},\"boundaries\":[1,[2,[3,{}]]],\"semantics\":{\"surfaces\":7,\"values\":[[[[1]]]]}}]},"
    "\"d\":{\"type\":\"Building\",\"geometry\":{}},\"e\":[],\"f\":{\"type\":3},"
    "\"g\":{\"type\":\"BuildingPart\",\"parents\":\"a\",\"geometry\":[7,null]}}," VERTICES;
  g_autoptr(UrbMap) map = open_whole (self, "odd.json", odd);
  g_autoptr(GError) error = NULL;

  assert_areas (map, 25, 0, 0);
  g_assert_cmpint (get_layer (map)->n_dropped, ==, 4);
  g_assert_null (open_text (self, "cut.json", odd, (gssize) strlen (odd) - 2, &error));
  g_assert_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN);
  g_assert_nonnull (strstr (error->message, "cut.json' is damaged or breaks off;"));
}

/* Neither fells the reader of maps, which reads the other files of a folder, too. */
static void
test_json_nested (Fixture *self, gconstpointer data)
{
  static const char *const opening[] = { "[", "{\"a\":" }, *const before[] = { "", "/* \" */" };
  g_autofree char *good = g_build_filename (self->folder, "good.json", NULL);
  g_autoptr(GError) error = NULL;

  for (guint i = 0; i < 4; i++)
    {
      g_autoptr(GString) text = g_string_new ("{\"type\":\"CityJSON\",\"x\":");
      g_autoptr(UrbMap) map = NULL;

      g_test_message ("case %u", i);
      g_string_append (text, before[i / 2]);
      for (guint k = 0; k < 200000; k++)
        g_string_append (text, opening[i % 2]);
      g_assert_null (open_text (self, "deep.json", text->str, (gssize) text->len, &error));
      g_assert_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN);
      g_assert_nonnull (strstr (error->message, i < 2 ? "nested too deeply" : "no valid JSON"));
      g_clear_error (&error);
      g_file_set_contents (good, HOUSE (LOD_0), -1, &error);
      g_assert_no_error (error);
      map = urb_map_open ((const char *const[]){ self->folder, NULL }, NULL, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      assert_areas (map, 25, 0, 0);
      g_assert_true (has_warning (map, "deep.json"));
      g_unlink (good);
    }
}

/* @n strips of 0.4 m to the east and @n to the north, 1 m from each other: each crosses half of the others.  Joined, they have a hole
 * in each mesh. */
static void
append_grid (GString *boundaries, GString *vertices, guint n)
{
  for (guint i = 0; i < 2 * n; i++)
    {
      guint a = 100 * (i / 2), b = a + 40, end = 100 * n;

      g_string_append_printf (boundaries, "%s[[%u,%u,%u,%u]]", i > 0 ? "," : "", 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3);
      if (i % 2 == 0)
        g_string_append_printf (vertices, "%s[0,%u,0],[0,%u,0],[%u,%u,0],[%u,%u,0]", i > 0 ? "," : "", a, b, end, b, end, a);
      else
        g_string_append_printf (vertices, ",[%u,0,0],[%u,0,0],[%u,%u,0],[%u,%u,0]", a, b, b, end, a, end);
    }
}

/* A roof of @n x @n squares of 1 m, each of two triangles. */
static void
append_roof (GString *boundaries, GString *vertices, guint n)
{
  for (guint i = 0; i <= n; i++)
    for (guint k = 0; k <= n; k++)
      g_string_append_printf (vertices, "%s[%u,%u,900]", i + k > 0 ? "," : "", 100 * k, 100 * i);
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < n; k++)
      {
        guint a = i * (n + 1) + k, b = a + n + 1;

        g_string_append_printf (boundaries, "%s[[%u,%u,%u]],[[%u,%u,%u]]", i + k > 0 ? "," : "", a, a + 1, b + 1, a, b + 1, b);
      }
}

/* Faces of which each crosses thousands of others are not joined, whatever the speed of the machine; a large roof is. */
static void
test_json_work (Fixture *self, gconstpointer data)
{
  static const struct { void (*append) (GString *, GString *, guint); guint n; double area_m2; } cases[] = {
    { append_grid, 400, 0 }, { append_grid, 20, 2 * 20 * 20 * 0.4 - 20 * 20 * 0.4 * 0.4 }, { append_roof, 100, 1e4 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(GString) boundaries = g_string_new (NULL), vertices = g_string_new (NULL);
      g_autofree char *text = NULL;
      g_autoptr(UrbMap) map = NULL;
      double area_m2;

      cases[i].append (boundaries, vertices, cases[i].n);
      text = g_strdup_printf (JSON_BEGIN "\"a\":{\"type\":\"Building\",\"geometry\":[{\"type\":\"MultiSurface\",\"lod\":\"1\","
                              "\"boundaries\":[%s]}]},\"b\":{\"type\":\"Road\",\"geometry\":[{\"type\":\"MultiSurface\",\"lod\":\"1\","
                              "\"boundaries\":[[[0,%u,1]]]}]}},\"vertices\":[%s]}", boundaries->str,
                              cases[i].append == append_roof ? cases[i].n + 1 : 2, vertices->str);
      g_test_message ("case %u", (guint) i);
      map = open_whole (self, "work.json", text);
      area_m2 = urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING);
      g_assert_cmpfloat (urb_map_get_class_area_m2 (map, URB_CLASS_ROAD), >, 0);
      g_assert_cmpfloat_with_epsilon (area_m2, cases[i].area_m2, 0.01);
      g_assert_cmpint (has_warning (map, "work.json: 1 object has so many faces across each other"), ==, area_m2 == 0);
    }
}

/* The lines after a damaged one are read. */
static void
test_json_sequence_damaged (Fixture *self, gconstpointer data)
{
  g_autoptr(UrbMap) map = open_whole (
    self, "town.city.jsonl", JSON_BEGIN "},\"vertices\":[]}\n{\"type\":\"CityJSONFeature\",\n"
    "{\"type\":\"CityJSONFeature\",\"CityObjects\":{\"a\":{\"type\":\"Building\",\"geometry\":[" LOD_0 "]}}," VERTICES "\n");

  assert_areas (map, 25, 0, 0);
  g_assert_true (has_warning (map, "town.city.jsonl: 1 damaged line is left out"));
}

/* Of files that end in .xml, models and other maps are found in folders and archives, not what describes a map. */
static void
test_gml_xml (Fixture *self, gconstpointer data)
{
  static const char *const files[] = { "town.xml", "town.gml.xml", "codes.xml" };
  const char *const texts[] = { gml, "<metadata><title>Town</title></metadata>",
                                "<gml:Dictionary xmlns:gml=\"http://www.opengis.net/gml\"><gml:name>CityModel</gml:name></gml:Dictionary>" };
  g_autofree char *archive = g_build_filename (self->folder, "town.zip", NULL);
  g_autoptr(GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (self->folder, files[i], NULL);
      g_autofree char *packed = g_strconcat ("/vsizip/", archive, "/", files[i], NULL);
      g_file_set_contents (path, texts[i], -1, &error);
      g_assert_no_error (error);
      g_assert_cmpint (CPLCopyFile (packed, path), ==, 0);
    }
  for (gsize i = 0; i < 2; i++)
    {
      g_autoptr(UrbMap) map = urb_map_open ((const char *const[]){ i > 0 ? self->folder : archive, NULL }, NULL, NULL, NULL, NULL,
                                            &error);
      g_assert_no_error (error);
      assert_areas (map, 240, 998, 0);
      g_assert_cmpint (urb_map_get_warnings (map)->len, ==, 0);
      g_unlink (archive); /* the folder has the same files once */
    }
}

/* A GeoJSON may have the name of another format. */
static void
test_json_name (Fixture *self, gconstpointer data)
{
  g_autoptr(UrbMap) map = open_whole (
    self, "town.geojson", "{\"type\":\"FeatureCollection\",\"name\":\"CityJSON\",\"crs\":{\"type\":\"name\",\"properties\":{\"name\":"
    "\"urn:ogc:def:crs:EPSG::25832\"}},\"features\":[{\"type\":\"Feature\",\"properties\":{\"building\":\"yes\",\"vertices\":3},\"geometry\":"
    "{\"type\":\"Polygon\",\"coordinates\":[[[500000,5500000],[500010,5500000],[500010,5500020],[500000,5500020],[500000,5500000]]]}}]}");

  assert_areas (map, 200, 0, 0);
}

/* The profile has a class for all kinds of objects that are read. */
static void
test_kinds (Fixture *self, gconstpointer data)
{
  static const struct { const char *name; UrbClass class_; } kinds[] = {
    { "Building", URB_CLASS_BUILDING }, { "Road", URB_CLASS_ROAD }, { "Square", URB_CLASS_ROAD },
    { "TransportSquare", URB_CLASS_ROAD }, { "Track", URB_CLASS_ROAD }, { "Railway", URB_CLASS_OTHER },
    { "Waterway", URB_CLASS_OTHER }, { "WaterBody", URB_CLASS_OTHER }, { "LandUse", URB_CLASS_OTHER },
    { "PlantCover", URB_CLASS_OTHER },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *text = g_strdup_printf (JSON_BEGIN "\"a\":{\"type\":\"%s\",\"geometry\":[" LOD_0 "]}}," VERTICES,
                                               kinds[i].name);
      g_autoptr(UrbMap) map = open_whole (self, "kind.json", text);

      g_test_message ("%s", kinds[i].name);
      g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, kinds[i].class_), 25, 0.01);
      g_assert_false (has_warning (map, "unknown to the profile"));
    }
}

/* What is left out is counted by kind, once, without the parts of such an object. */
static void
test_left_out (Fixture *self, gconstpointer data)
{
#define ROAD_5 "<tran:Road><tran:lod1MultiSurface>" FACE ("500000 5500000 300 500005 5500000 300 500005 5500005 300 500000 5500005 300 500000 5500000 300") \
  "</tran:lod1MultiSurface></tran:Road>"
  g_autoptr(UrbMap) of_gml
    = open_whole (self, "left.gml", GML_BEGIN ("EPSG:25832") MEMBER (ROAD_5)
                  MEMBER ("<brid:Bridge><brid:outer><brid:BridgePart/></brid:outer></brid:Bridge>")
                  MEMBER ("<brid:Bridge/>") MEMBER ("<tun:Tunnel/>") MEMBER ("<grp:CityObjectGroup/>") GML_END);
  g_autoptr(UrbMap) of_json
    = open_whole (self, "left.json", JSON_BEGIN "\"a\":{\"type\":\"Road\",\"geometry\":[" LOD_0 "]},"
                  "\"b\":{\"type\":\"Bridge\",\"children\":[\"c\"]},\"c\":{\"type\":\"BridgePart\",\"parents\":[\"b\"]},"
                  "\"d\":{\"type\":\"Road\",\"geometry\":[{\"type\":\"MultiLineString\",\"lod\":\"0\",\"boundaries\":[[0,1]]}]}},"
                  VERTICES);

  g_assert_true (has_warning (of_gml, "left.gml: 3 objects of other kinds than are read were left out: Bridge (2), Tunnel (1)."));
  assert_areas (of_gml, 0, 25, 0);
  g_assert_true (has_warning (of_json, "left out: Bridge (1), Road without areas (1)."));
  assert_areas (of_json, 0, 25, 0);
}

/* With and without the mark at the beginning. */
static void
test_gml_wide (Fixture *self, gconstpointer data)
{
  static const char *const encodings[] = { "UTF-16", "UTF-16LE", "UTF-16BE" };

  for (gsize i = 0; i < G_N_ELEMENTS (encodings); i++)
    {
      g_autofree char *wide = NULL;
      g_autoptr(GError) error = NULL;
      g_autoptr(UrbMap) map = NULL;
      gsize n;

      wide = g_convert (gml, -1, encodings[i], "UTF-8", NULL, &n, NULL);
      map = open_text (self, "wide.gml", wide, (gssize) n, &error);
      g_assert_no_error (error);
      assert_areas (map, 10 * 20 + 4 * 10, 1000 - 2, 0);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function) g_test_add (path, Fixture, NULL, flat_folder_set_up, function, flat_folder_tear_down)
  ADD ("/map/models/gml", test_gml);
  ADD ("/map/models/gml/levels", test_gml_levels);
  ADD ("/map/models/gml/parts", test_gml_parts);
  ADD ("/map/models/gml/dimensions", test_gml_dimensions);
  ADD ("/map/models/gml/crs", test_gml_crs);
  ADD ("/map/models/gml/axes", test_gml_axes);
  ADD ("/map/models/gml/damaged", test_gml_damaged);
  ADD ("/map/models/json", test_json);
  ADD ("/map/models/json/odd", test_json_odd);
  ADD ("/map/models/json/nested", test_json_nested);
  ADD ("/map/models/json/work", test_json_work);
  ADD ("/map/models/json/sequence-damaged", test_json_sequence_damaged);
  ADD ("/map/models/json/name", test_json_name);
  ADD ("/map/models/kinds", test_kinds);
  ADD ("/map/city-models/left-out", test_left_out);
  ADD ("/map/city-models/gml-xml", test_gml_xml);
  ADD ("/map/city-models/gml-wide", test_gml_wide);
#undef ADD
  return g_test_run ();
}
