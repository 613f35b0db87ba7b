/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-edigeo.c - a sheet of the French cadastre as EDIGEO, written here.
 *
 * One exchange is seven files, of which the first, .THF, names the others.  Areas are made of arcs that their
 * neighbors share.  The cadastre ships a sheet as .tar.bz2, and a municipality as an archive of these.
 *
 * Source: AFNOR NF Z 52000; "Standard d'échange des objets du plan cadastral informatisé".
 */
#include <string.h>

#include "flat-folder.h"
#include "map/map.h"

typedef FlatFolderFixture Fixture;

static void
put (GString *text, const char *key, const char *value)
{
  g_string_append_printf (text, "%s%02u:%s\r\n", key, (guint) strlen (value), value);
}

/* "KEYXX" and value in turn, then NULL */
static void
put_all (GString *text, ...)
{
  va_list args;
  const char *key;

  va_start (args, text);
  while ((key = va_arg (args, const char *)) != NULL)
    put (text, key, va_arg (args, const char *));
  va_end (args);
}

static void
save (Fixture *self, const char *name, const GString *text)
{
  g_autofree char *path = g_build_filename (self->folder, name, NULL);
  g_autoptr(GError) error = NULL;

  g_file_set_contents (path, text->str, (gssize) text->len, &error);
  g_assert_no_error (error);
}

/* An arc between corners of a grid, in meters from @x and @y. */
static void
put_arc (GString *vec, const char *id, double x, double y, const int *corners, int n)
{
  put_all (vec, "RTYSA", "PAR", "RIDSA", id, NULL);
  for (int i = 0; i < n; i++)
    {
      g_autofree char *corner = g_strdup_printf ("%+.2f;%+.2f;", x + corners[2 * i], y + corners[2 * i + 1]);
      put (vec, "CORCC", corner);
    }
}

/* A face, and the object that it is, bounded by @arcs. */
static void
put_area (GString *vec, const char *id, const char *class_, const char *const *arcs)
{
  g_autofree char *face = g_strconcat ("Face_", id, NULL), *object = g_strconcat ("Objet_", id, NULL);
  g_autofree char *face_name = g_strdup_printf ("EDAB01SE;EDAB01S1;PFE;%s", face);
  g_autofree char *object_name = g_strdup_printf ("EDAB01SE;EDAB01S1;FEA;%s", object);
  g_autofree char *class_name = g_strdup_printf ("EDAB01SE;EDAB01SE;OBJ;%s_id", class_);

  put_all (vec, "RTYSA", "PFE", "RIDSA", face, "RTYSA", "FEA", "RIDSA", object, "SCPCP", class_name, NULL);
  for (; *arcs != NULL; arcs++)
    {
      g_autofree char *arc_name = g_strdup_printf ("EDAB01SE;EDAB01S1;PAR;%s", *arcs);
      g_autofree char *link = g_strdup_printf ("LNK_%s_%s", id, *arcs);
      put_all (vec, "RTYSA", "LNK", "RIDSA", link, "FTPCP", arc_name, "FTPCP", face_name, NULL);
    }
  put_all (vec, "RTYSA", "LNK", "RIDSA", object, "FTPCP", object_name, "FTPCP", face_name, NULL);
}

/* Two parcels of 30 x 40 m with a common border, and a house of 10 x 10 m in one of them. */
static void
write_sheet (Fixture *self, const char *crs, double x, double y)
{
  static const char *const classes[] = { "PARCELLE", "BATIMENT", "SECTION" };
  g_autoptr(GString) thf = g_string_new (NULL), geo = g_string_new (NULL), gen = g_string_new (NULL);
  g_autoptr(GString) dic = g_string_new (NULL), scd = g_string_new (NULL), qal = g_string_new (NULL);
  g_autoptr(GString) vec = g_string_new (NULL);

  put_all (thf, "BOMT ", "E0000A01.THF", "RTYSA", "GTS", "RIDSA", "SUPPORT_GENERAL", "RTYSA", "GTL", "LONSA", "EDAB01",
           "GNNSA", "SE", "GONSA", "SE", "QANSA", "SE", "DINSA", "SE", "SCNSA", "SE", "GDNSA", "S1", NULL);
  put_all (geo, "RTYSA", "GEO", "RIDSA", "REF", "RELSA", crs, NULL);
  put_all (gen, "RTYSA", "DEG", "RIDSA", "EMPRISE", "CM1CC", "+0;+0;", "CM2CC", "+9999999;+9999999;", NULL);
  put_all (qal, "RTYSA", "QUP", "RIDSA", "Q1", "ODASD", "20200101", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (classes); i++)
    {
      g_autofree char *id = g_strconcat (classes[i], "_id", NULL);
      g_autofree char *name = g_strdup_printf ("EDAB01SE;EDAB01SE;DID;%s_did", classes[i]);
      g_autofree char *name_id = g_strconcat (classes[i], "_did", NULL);

      put_all (dic, "RTYSA", "DID", "RIDSA", name_id, "LABSA", classes[i], NULL);
      put_all (scd, "RTYSA", "OBJ", "RIDSA", id, "DIPCP", name, "KNDSA", "ARE", NULL);
    }
  put_arc (vec, "Arc_1", x, y, (const int[]){ 30, 0, 0, 0, 0, 40, 30, 40 }, 4);
  put_arc (vec, "Arc_2", x, y, (const int[]){ 30, 0, 30, 40 }, 2);
  put_arc (vec, "Arc_3", x, y, (const int[]){ 30, 0, 60, 0, 60, 40, 30, 40 }, 4);
  put_arc (vec, "Arc_4", x, y, (const int[]){ 10, 10, 20, 10, 20, 20, 10, 20, 10, 10 }, 5);
  put_area (vec, "1", "PARCELLE", (const char *const[]){ "Arc_1", "Arc_2", NULL });
  put_area (vec, "2", "PARCELLE", (const char *const[]){ "Arc_2", "Arc_3", NULL });
  put_area (vec, "3", "BATIMENT", (const char *const[]){ "Arc_4", NULL });
  put_area (vec, "4", "SECTION", (const char *const[]){ "Arc_1", "Arc_3", NULL });
  save (self, "E0000A01.THF", thf);
  save (self, "EDAB01SE.GEO", geo);
  save (self, "EDAB01SE.GEN", gen);
  save (self, "EDAB01SE.DIC", dic);
  save (self, "EDAB01SE.SCD", scd);
  save (self, "EDAB01SE.QAL", qal);
  save (self, "EDAB01S1.VEC", vec);
}

static void
check_sheet_as (Fixture *self, const char *name, const UrbMapOptions *options, const char *profile, int epsg)
{
  g_autofree char *path = g_build_filename (self->folder, name, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbMap) map = urb_map_open ((const char *const[]){ path, NULL }, options, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (urb_map_get_profile (map), ==, profile);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING), 100, 0.01);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_OTHER), 2400, 0.01);
  for (guint i = 0; i < urb_map_get_warnings (map)->len; i++)
    g_test_message ("%s", (char *) g_ptr_array_index (urb_map_get_warnings (map), i));
  g_assert_cmpint (urb_map_get_epsg (map), ==, epsg);
}

static void
check_sheet (Fixture *self, const char *name, int epsg)
{
  check_sheet_as (self, name, NULL, "fr-cadastre", epsg);
}

/* The table of contents, the folder, and archives as they are published. */
static void
test_sheet (Fixture *self, gconstpointer data)
{
  g_autofree char *command = NULL;
  g_autoptr(GError) error = NULL;
  int status;

  write_sheet (self, "LAMB93", 652000, 6862000);
  check_sheet (self, "E0000A01.THF", 2154);
  check_sheet (self, ".", 2154);
  command = g_strdup_printf ("sh -c 'cd %s && tar -cjf edigeo-75056000AB01.tar.bz2 E0000A01.THF EDAB01* && "
                             "tar -cf edigeo-75056.tar edigeo-75056000AB01.tar.bz2'", self->folder);
  g_assert_true (g_spawn_command_line_sync (command, NULL, NULL, &status, &error));
  g_assert_no_error (error);
  g_assert_cmpint (status, ==, 0);
  check_sheet (self, "edigeo-75056000AB01.tar.bz2", 2154);
  check_sheet (self, "edigeo-75056.tar", 2154);
}

/* Sheets are also delivered in one of nine conic projections, this one in the one of Paris, by the code of the IGN's
 * register or by another name, which GDAL does not know. */
static void
test_conic (Fixture *self, gconstpointer data)
{
  static const char *const names[] = { "RGF93CC49", "CC49" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      write_sheet (self, names[i], 1652000, 8182000);
      check_sheet (self, "E0000A01.THF", 3949);
    }
}

/* Layers that have this profile beside another for the rest of the map. */
static void
test_layers (Fixture *self, gconstpointer data)
{
  const UrbMapLayerOptions layers[] = { { "BATIMENT_id", "fr-cadastre", "" }, { "PARCELLE_id", "fr-cadastre", "" },
                                        { "SECTION_id", "fr-cadastre", "" } };
  const UrbMapOptions options = { .profile = "generic", .layers = layers, .n_layers = G_N_ELEMENTS (layers) };

  write_sheet (self, "RGF93CC49", 1652000, 8182000);
  check_sheet_as (self, "E0000A01.THF", &options, "generic", 3949);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/map/edigeo/sheet", Fixture, NULL, flat_folder_set_up, test_sheet, flat_folder_tear_down);
  g_test_add ("/map/edigeo/conic", Fixture, NULL, flat_folder_set_up, test_conic, flat_folder_tear_down);
  g_test_add ("/map/edigeo/layers", Fixture, NULL, flat_folder_set_up, test_layers, flat_folder_tear_down);
  return g_test_run ();
}
