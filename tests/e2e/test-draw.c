/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-draw.c - urbarium-engine draw, used like the window uses it: it draws the same
 * cities as `generate`, and survives any input line.
 */
#include <cairo.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "city/city-writer.h"
#include "city/tile-vectors.h"
#include "engine-run.h"

enum { SIZE_PX = 64, N_CHANNELS = 3, TILE = SIZE_PX * SIZE_PX * N_CHANNELS, N = 6 };

/* A checkpoint after a few steps, created once. */
static char *folder, *run;

typedef struct
{
  GSubprocess      *process; /* owned */
  GOutputStream    *in;
  GDataInputStream *out;     /* owned */
} Engine;

static void
engine_open (Engine *self, const char *checkpoint)
{
  g_autoptr(GError) error = NULL;

  self->process = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE,
                                    &error, g_getenv ("URBARIUM_ENGINE"), "draw", checkpoint, NULL);
  g_assert_no_error (error);
  self->in = g_subprocess_get_stdin_pipe (self->process);
  self->out = g_data_input_stream_new (g_subprocess_get_stdout_pipe (self->process));
}

static void
engine_send (Engine *self, const char *lines)
{
  g_autoptr(GError) error = NULL;

  g_output_stream_write_all (self->in, lines, strlen (lines), NULL, NULL, &error);
  g_assert_no_error (error);
}

/* The program ends at the end of its input. */
static void
engine_end (Engine *self)
{
  g_autoptr(GError) error = NULL;

  g_output_stream_close (self->in, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (g_data_input_stream_read_line (self->out, NULL, NULL, &error));
  g_assert_true (g_subprocess_wait_check (self->process, NULL, &error));
  g_assert_no_error (error);
  g_clear_object (&self->out);
  g_clear_object (&self->process);
}

/* The next line, as an object owned by the parser. */
static JsonObject *
read_object (Engine *self, JsonParser *parser)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *line = g_data_input_stream_read_line (self->out, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (line);
  json_parser_load_from_data (parser, line, -1, &error);
  g_assert_no_error (error);
  return json_node_get_object (json_parser_get_root (parser));
}

/* Reads the answer to request @id, appending the cities to @levels.  Returns: how many there were */
static gint64
read_cities (Engine *self, gint64 id, GByteArray *levels)
{
  gint64 n = 0;

  for (;;)
    {
      g_autoptr(JsonParser) parser = json_parser_new ();
      JsonObject *object = read_object (self, parser);
      guint before = levels->len;
      gint64 n_bytes;

      g_assert_cmpint (json_object_get_int_member (object, "id"), ==, id);
      if (strcmp (json_object_get_string_member (object, "type"), "reply") == 0)
        {
          if (!json_object_get_boolean_member (object, "ok"))
            return -1;
          g_assert_cmpint (json_object_get_int_member (object, "count"), ==, n);
          return n;
        }
      n_bytes = json_object_get_int_member (object, "bytes");
      g_assert_cmpint (n_bytes, ==, TILE * json_object_get_int_member (object, "count"));
      g_byte_array_set_size (levels, before + (guint) n_bytes);
      g_assert_true (g_input_stream_read_all (G_INPUT_STREAM (self->out), levels->data + before,
                                              (gsize) n_bytes, NULL, NULL, NULL));
      n += json_object_get_int_member (object, "count");
    }
}

static void
assert_refused (Engine *self, const char *line, const char *said)
{
  g_autoptr(JsonParser) parser = json_parser_new ();
  JsonObject *object;

  engine_send (self, line);
  object = read_object (self, parser);
  g_assert_cmpstr (json_object_get_string_member (object, "type"), ==, "reply");
  g_assert_false (json_object_get_boolean_member (object, "ok"));
  object = json_object_get_object_member (object, "error");
  if (strstr (json_object_get_string_member (object, "text"), said) == NULL)
    g_error ("%s: %s", line, json_object_get_string_member (object, "text"));
}

/* The only one of the run. */
static char *
find_checkpoint (void)
{
  g_autofree char *path = g_build_filename (run, "checkpoints", NULL);
  g_autoptr(GDir) dir = g_dir_open (path, 0, NULL);
  char *checkpoint = g_build_filename (path, g_dir_read_name (dir), NULL);

  g_assert_null (g_dir_read_name (dir));
  return checkpoint;
}

/* Identical to the file that `generate` writes, byte for byte. */
static void
test_like_generate (void)
{
  g_autofree char *theirs = g_build_filename (folder, "theirs.geojson", NULL);
  g_autofree char *ours = g_build_filename (folder, "ours.geojson", NULL);
  g_autofree char *arguments
    = g_strdup_printf ("generate %s --seed 11 --first 3 --count %d --out %s", run, N, theirs);
  g_auto(EngineResult) result = engine_run (arguments);
  g_autoptr(GByteArray) levels = g_byte_array_new ();
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbCityWriter) writer = NULL;
  g_autofree char *checkpoint = find_checkpoint ();
  g_autoptr(UrbProvenance) provenance = urb_provenance_new (checkpoint);
  g_autofree char *text_theirs = NULL, *text_ours = NULL;
  UrbCityLayout layout;
  Engine engine;

  g_assert_cmpint (result.code, ==, 0);
  engine_open (&engine, run);
  engine_send (&engine, "{\"id\":1,\"cmd\":\"draw\",\"seed\":11,\"first\":3,\"count\":6}\n");
  g_assert_cmpint (read_cities (&engine, 1, levels), ==, N);
  engine_end (&engine);
  urb_city_layout_init (&layout, N, 250, 250);
  urb_provenance_add_seed (provenance, 11);
  urb_provenance_add_cities (provenance, 3, 2 + N, 1, 1);
  urb_provenance_add (provenance, "device", "cpu");
  layout.provenance = provenance;
  writer = urb_city_writer_new (ours, &layout, &error);
  g_assert_no_error (error);
  for (int i = 0; i < N; i++)
    {
      g_autoptr(UrbCityVectors) vectors
        = urb_city_vectors_from_levels (levels->data + i * TILE, SIZE_PX, SIZE_PX, N_CHANNELS, 250,
                                        FALSE);

      g_assert_true (urb_city_writer_add (writer, vectors, 3 + i, 11, &error));
    }
  g_assert_true (urb_city_writer_finish (writer, &error));
  g_assert_true (g_file_get_contents (theirs, &text_theirs, NULL, &error));
  g_assert_true (g_file_get_contents (ours, &text_ours, NULL, &error));
  g_assert_cmpstr (text_ours, ==, text_theirs);
}

/* A walk starts and ends with the given cities, also with a variation; truncation changes them. */
static void
test_walk (void)
{
  g_autoptr(GByteArray) ends = g_byte_array_new (), walk = g_byte_array_new ();
  g_autoptr(GByteArray) calm = g_byte_array_new (), varied = g_byte_array_new ();
  Engine engine;

  engine_open (&engine, run);
  engine_send (&engine,
               "{\"id\":1,\"cmd\":\"draw\",\"seed\":1,\"first\":5}\n"
               "{\"id\":2,\"cmd\":\"draw\",\"seed\":2,\"first\":9}\n"
               "{\"id\":3,\"cmd\":\"walk\",\"from\":{\"seed\":1,\"index\":5},"
               "\"to\":{\"seed\":2,\"index\":9},\"n\":7,\"kind\":\"spherical\"}\n"
               "{\"id\":4,\"cmd\":\"draw\",\"seed\":1,\"first\":5,\"truncation\":0.5}\n"
               "{\"id\":5,\"cmd\":\"draw\",\"seed\":1,\"first\":5,\"turn\":{\"x\":0.5,\"y\":-0.25,\"directions\":3}}\n"
               "{\"id\":6,\"cmd\":\"walk\",\"from\":{\"seed\":1,\"index\":5,\"turn\":{\"x\":0.5,\"y\":-0.25,\"directions\":3}},"
               "\"to\":{\"seed\":1,\"index\":5},\"n\":3}\n");
  g_assert_cmpint (read_cities (&engine, 1, ends), ==, 1);
  g_assert_cmpint (read_cities (&engine, 2, ends), ==, 1);
  g_assert_cmpint (read_cities (&engine, 3, walk), ==, 7);
  g_assert_cmpint (read_cities (&engine, 4, calm), ==, 1);
  g_assert_cmpint (read_cities (&engine, 5, varied), ==, 1);
  g_assert_cmpint (read_cities (&engine, 6, varied), ==, 3);
  engine_end (&engine);
  g_assert_cmpmem (varied->data + TILE, TILE, varied->data, TILE);
  g_assert_cmpmem (varied->data + 3 * TILE, TILE, ends->data, TILE);
  g_assert_true (memcmp (varied->data, ends->data, TILE) != 0);
  g_assert_cmpmem (walk->data, TILE, ends->data, TILE);
  g_assert_cmpmem (walk->data + 6 * TILE, TILE, ends->data + TILE, TILE);
  g_assert_true (memcmp (walk->data + 3 * TILE, ends->data, TILE) != 0);
  g_assert_true (memcmp (calm->data, ends->data, TILE) != 0);
}

/* A turn by nothing changes nothing; by a right angle it gives the same city only to those who turn the same way. */
static void
test_turn (void)
{
  g_autoptr(GByteArray) cities = g_byte_array_new ();
  const guint8 *city;
  Engine engine;

  engine_open (&engine, run);
  engine_send (&engine,
               "{\"id\":1,\"cmd\":\"draw\",\"seed\":1,\"first\":5}\n"
               "{\"id\":2,\"cmd\":\"draw\",\"seed\":1,\"first\":5,\"turn\":{\"x\":0,\"y\":0,\"directions\":7}}\n"
               "{\"id\":3,\"cmd\":\"draw\",\"seed\":1,\"first\":5,\"turn\":{\"x\":1}}\n"
               "{\"id\":4,\"cmd\":\"draw\",\"seed\":1,\"first\":5,\"turn\":{\"x\":1,\"y\":0,\"directions\":1}}\n"
               "{\"id\":5,\"cmd\":\"draw\",\"seed\":1,\"first\":5,\"turn\":{\"x\":1,\"directions\":2}}\n");
  for (int id = 1; id <= 5; id++)
    g_assert_cmpint (read_cities (&engine, id, cities), ==, 1);
  engine_end (&engine);
  city = cities->data;
  g_assert_cmpmem (city + TILE, TILE, city, TILE);
  g_assert_cmpmem (city + 3 * TILE, TILE, city + 2 * TILE, TILE);
  g_assert_true (memcmp (city + 2 * TILE, city, TILE) != 0);
  g_assert_true (memcmp (city + 4 * TILE, city + 2 * TILE, TILE) != 0);
}

/* Cancels a request in progress and a waiting one; the next is answered nevertheless. */
static void
test_cancel (void)
{
  g_autoptr(GByteArray) levels = g_byte_array_new ();
  Engine engine;

  engine_open (&engine, run);
  engine_send (&engine,
               "{\"id\":1,\"cmd\":\"draw\",\"count\":4096}\n"
               "{\"id\":2,\"cmd\":\"draw\",\"count\":4096}\n"
               "{\"id\":3,\"cmd\":\"draw\",\"count\":1}\n"
               "{\"id\":4,\"cmd\":\"cancel\",\"of\":2}\n"
               "{\"id\":5,\"cmd\":\"cancel\",\"of\":1}\n"
               "{\"id\":6,\"cmd\":\"cancel\",\"of\":77}\n");
  g_assert_cmpint (read_cities (&engine, 1, levels), ==, -1);
  g_assert_cmpuint (levels->len, <, 4096u * TILE);
  g_byte_array_set_size (levels, 0);
  g_assert_cmpint (read_cities (&engine, 2, levels), ==, -1);
  g_assert_cmpuint (levels->len, ==, 0);
  g_assert_cmpint (read_cities (&engine, 3, levels), ==, 1);
  engine_end (&engine);
}

static void
test_open (void)
{
  g_autofree char *line = g_strdup_printf ("{\"id\":2,\"cmd\":\"open\",\"checkpoint\":\"%s\","
                                           "\"threads\":1}\n", run);
  g_autoptr(JsonParser) parser = json_parser_new ();
  JsonObject *object;
  Engine engine;

  engine_open (&engine, NULL);
  assert_refused (&engine, "{\"id\":1,\"cmd\":\"draw\"}\n", "No checkpoint");
  assert_refused (&engine, "{\"id\":1,\"cmd\":\"info\"}\n", "No checkpoint");
  engine_send (&engine, line);
  object = read_object (&engine, parser);
  g_assert_true (json_object_get_boolean_member (object, "ok"));
  g_assert_cmpstr (json_object_get_string_member (object, "preset"), ==, "tiny");
  g_assert_cmpint (json_object_get_int_member (object, "size_px"), ==, SIZE_PX);
  g_assert_cmpint (json_object_get_int_member (object, "channels"), ==, N_CHANNELS);
  g_assert_cmpint (json_object_get_int_member (object, "step"), ==, 2);
  g_assert_cmpfloat (json_object_get_double_member (object, "area_size_m"), ==, 250);
  g_assert_true (g_str_has_suffix (json_object_get_string_member (object, "checkpoint"),
                                   ".safetensors"));
  /* Canceling an unknown request has no effect. */
  assert_refused (&engine, "{\"id\":3,\"cmd\":\"open\",\"checkpoint\":\"/nowhere\"}\n", "/nowhere");
  engine_send (&engine, "{\"id\":4,\"cmd\":\"info\"}\n");
  object = read_object (&engine, parser);
  g_assert_cmpint (json_object_get_int_member (object, "id"), ==, 4);
  g_assert_true (json_object_get_boolean_member (object, "ok"));
  engine_end (&engine);
}

/* (transfer full): an image with a street and nothing else */
static char *
write_site (void)
{
  char *path = g_build_filename (folder, "site.png", NULL);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 64, 64);
  cairo_t *cairo = cairo_create (surface);

  cairo_set_source_rgb (cairo, 0, 1, 0);
  cairo_rectangle (cairo, 30, 0, 4, 64);
  cairo_fill (cairo);
  cairo_destroy (cairo);
  g_assert_cmpint (cairo_surface_write_to_png (surface, path), ==, CAIRO_STATUS_SUCCESS);
  cairo_surface_destroy (surface);
  return path;
}

/* Reads past the progress of request @id, which grows.  Returns: how many lines there were */
static int
skip_progress (Engine *self, gint64 id, JsonParser *parser)
{
  double before = 0;

  for (int n = 0;; n++)
    {
      JsonObject *object = read_object (self, parser);

      g_assert_cmpint (json_object_get_int_member (object, "id"), ==, id);
      if (strcmp (json_object_get_string_member (object, "type"), "progress") != 0)
        return n;
      g_assert_cmpfloat (json_object_get_double_member (object, "fraction"), >=, before);
      before = json_object_get_double_member (object, "fraction");
    }
}

/* The street is in both proposals; a search can be cancelled, and the next request is answered. */
static void
test_propose (void)
{
  g_autofree char *site = write_site ();
  g_autofree char *ask = g_strdup_printf (
    "{\"id\":1,\"cmd\":\"propose\",\"keep\":\"%s\",\"seed\":3,\"count\":2}\n", site);
  g_autofree char *cancelled = g_strdup_printf (
    "{\"id\":2,\"cmd\":\"propose\",\"keep\":\"%s\",\"count\":64}\n"
    "{\"id\":3,\"cmd\":\"cancel\",\"of\":2}\n{\"id\":4,\"cmd\":\"info\"}\n", site);
  g_autoptr(JsonParser) parser = json_parser_new ();
  JsonObject *object;
  Engine engine;
  guint8 levels[TILE];

  engine_open (&engine, run);
  engine_send (&engine, ask);
  skip_progress (&engine, 1, parser);
  for (int i = 0; i < 2; i++)
    {
      object = json_node_get_object (json_parser_get_root (parser));
      g_assert_cmpstr (json_object_get_string_member (object, "type"), ==, "cities");
      g_assert_cmpint (json_object_get_int_member (object, "bytes"), ==, TILE);
      g_assert_true (g_input_stream_read_all (G_INPUT_STREAM (engine.out), levels, TILE, NULL, NULL, NULL));
      for (int row = 0; row < SIZE_PX; row++)
        for (int col = 30; col < 34; col++)
          g_assert_cmpint (levels[(row * SIZE_PX + col) * N_CHANNELS + URB_CLASS_ROAD], ==, 255);
      read_object (&engine, parser);
    }
  object = json_node_get_object (json_parser_get_root (parser));
  g_assert_true (json_object_get_boolean_member (object, "ok"));
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (object, "given"), 4.0 / 64, 1e-6);

  engine_send (&engine, cancelled);
  skip_progress (&engine, 2, parser);
  object = json_node_get_object (json_parser_get_root (parser));
  g_assert_false (json_object_get_boolean_member (object, "ok"));
  object = read_object (&engine, parser);
  g_assert_cmpint (json_object_get_int_member (object, "id"), ==, 4);
  g_assert_true (json_object_get_boolean_member (object, "ok"));
  engine_send (&engine, "{\"id\":8,\"cmd\":\"propose\",\"count\":1,\"given\":"
                        "[{\"class\":\"road\",\"rings\":[[0,50,250,50,250,150,0,150]]}]}\n");
  object = read_object (&engine, parser); /* polygons are repeated first */
  g_assert_cmpstr (json_object_get_string_member (object, "type"), ==, "given");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (object, "polygons")), ==, 1);
  skip_progress (&engine, 8, parser);
  g_assert_true (g_input_stream_read_all (G_INPUT_STREAM (engine.out), levels, TILE, NULL, NULL, NULL));
  for (int col = 0; col < SIZE_PX; col++)
    g_assert_cmpint (levels[(SIZE_PX * 6 / 10 * SIZE_PX + col) * N_CHANNELS + URB_CLASS_ROAD], ==, 255);
  read_object (&engine, parser);
  assert_refused (&engine, "{\"id\":9,\"cmd\":\"propose\",\"given\":[{\"class\":\"river\"}]}\n",
                  "Polygon 1");
  assert_refused (&engine, "{\"id\":5,\"cmd\":\"propose\"}\n", "'keep'");
  assert_refused (&engine, "{\"id\":6,\"cmd\":\"propose\",\"keep\":\"/nowhere.png\"}\n", "/nowhere.png");
  assert_refused (&engine, "{\"id\":7,\"cmd\":\"propose\",\"keep\":\"x\",\"count\":65}\n", "1 to 64");
  engine_end (&engine);
}

static void
test_hostile (void)
{
  static const char *const cases[][2] = {
    { "{\"id\":1}", "Unknown command" },
    { "{\"id\":1,\"cmd\":7}", "'cmd' must be a text" },
    { "{\"cmd\":\"info\"}", "'id'" },
    { "{\"id\":\"1\",\"cmd\":\"info\"}", "'id'" },
    { "[]", "not a JSON object" },
    { "\xff", "UTF-8" },
    { "[[[[[[[[[[[[[[[[[[[[[[[[[[", "too deep" },
    { "{\"id\":1,\"cmd\":\"open\"}", "'checkpoint'" },
    { "{\"id\":1,\"cmd\":\"draw\",\"count\":0}", "4096" },
    { "{\"id\":1,\"cmd\":\"draw\",\"count\":9223372036854775807}", "4096" },
    { "{\"id\":1,\"cmd\":\"draw\",\"first\":0}", "numbered from 1" },
    { "{\"id\":1,\"cmd\":\"draw\",\"first\":-9223372036854775808}", "numbered from 1" },
    { "{\"id\":1,\"cmd\":\"draw\",\"truncation\":0}", "truncation" },
    { "{\"id\":1,\"cmd\":\"draw\",\"truncation\":1e300}", "truncation" },
    { "{\"id\":1,\"cmd\":\"draw\",\"columns\":9,\"rows\":8}", "at most 64 in all" },
    { "{\"id\":1,\"cmd\":\"draw\",\"columns\":9223372036854775807}", "at most 64 in all" },
    { "{\"id\":1,\"cmd\":\"draw\",\"rows\":0}", "at least 1 x 1" },
    { "{\"id\":1,\"cmd\":\"draw\",\"rows\":2,\"truncation\":0.7}", "several areas" },
    { "{\"id\":1,\"cmd\":\"draw\",\"turn\":{\"x\":3}}", "from -2 to 2" },
    { "{\"id\":1,\"cmd\":\"draw\",\"turn\":{\"directions\":0}}", "from 1 to 1000000" },
    { "{\"id\":1,\"cmd\":\"draw\",\"rows\":2,\"turn\":{\"x\":1}}", "one area" },
    { "{\"id\":1,\"cmd\":\"walk\",\"n\":5}", "'from'" },
    { "{\"id\":1,\"cmd\":\"walk\",\"n\":1}", "2 to 4096" },
    { "{\"id\":1,\"cmd\":\"walk\",\"n\":5,\"kind\":\"random\"}", "spherical" },
    { "{\"id\":1,\"cmd\":\"walk\",\"n\":5,\"from\":{\"index\":0},\"to\":{}}", "numbered from 1" },
    { "{\"id\":1,\"cmd\":\"draw\",\"turn\":7}", "'turn' must be an object" },
    { "{\"id\":1,\"cmd\":\"draw\",\"turn\":[1,0]}", "'turn' must be an object" },
    { "{\"id\":1,\"cmd\":\"draw\",\"turn\":{\"x\":\"1\"}}", "'x' of 'turn' must be a number" },
    { "{\"id\":1,\"cmd\":\"draw\",\"turn\":{\"directions\":1.5}}", "'directions' of 'turn' must be a whole number" },
    { "{\"id\":1,\"cmd\":\"draw\",\"seed\":\"7\"}", "'seed' must be a whole number" },
    { "{\"id\":1,\"cmd\":\"draw\",\"seed\":1.5}", "'seed' must be a whole number" },
    { "{\"id\":1,\"cmd\":\"draw\",\"seed\":null}", "'seed' must be a whole number" },
    { "{\"id\":1,\"cmd\":\"draw\",\"first\":true}", "'first' must be a whole number" },
    { "{\"id\":1,\"cmd\":\"draw\",\"count\":{}}", "'count' must be a whole number" },
    { "{\"id\":1,\"cmd\":\"draw\",\"truncation\":\"0.7\"}", "'truncation' must be a number" },
    { "{\"id\":1,\"cmd\":\"draw\",\"columns\":\"2\"}", "'columns' must be a whole number" },
    { "{\"id\":1,\"cmd\":\"draw\",\"rows\":2.0}", "'rows' must be a whole number" },
    { "{\"id\":1,\"cmd\":\"draw\",\"shares\":0.3}", "'shares' must be an object" },
    { "{\"id\":1,\"cmd\":\"draw\",\"shares\":{\"built\":\"0.3\"}}", "'built' of 'shares' must be a number" },
    { "{\"id\":1,\"cmd\":\"walk\",\"n\":\"5\"}", "'n' must be a whole number" },
    { "{\"id\":1,\"cmd\":\"walk\",\"n\":5,\"kind\":1}", "'kind' must be a text" },
    { "{\"id\":1,\"cmd\":\"walk\",\"n\":5,\"from\":5}", "'from' must be an object" },
    { "{\"id\":1,\"cmd\":\"walk\",\"n\":5,\"from\":{\"seed\":\"1\"}}", "'seed' of 'from' must be a whole number" },
    { "{\"id\":1,\"cmd\":\"walk\",\"n\":5,\"from\":{\"index\":1,\"turn\":1}}", "'turn' of 'from' must be an object" },
    { "{\"id\":1,\"cmd\":\"walk\",\"n\":5,\"from\":{\"index\":1,\"turn\":{\"x\":3}}}", "from -2 to 2" },
    { "{\"id\":1,\"cmd\":\"open\",\"checkpoint\":7}", "'checkpoint' must be a text" },
    { "{\"id\":1,\"cmd\":\"open\",\"checkpoint\":\"x\",\"threads\":\"2\"}", "'threads' must be a whole number" },
    { "{\"id\":1,\"cmd\":\"propose\",\"given\":{}}", "'given' must be a list" },
    { "{\"id\":1,\"cmd\":\"propose\",\"keep\":7}", "'keep' must be a text" },
    { "{\"id\":1,\"cmd\":\"propose\",\"keep\":\"x\",\"x\":\"1\"}", "'x' must be a number" },
    { "{\"id\":1,\"cmd\":\"cancel\",\"of\":\"1\"}", "'of' must be a whole number" },
  };
  g_autofree char *padding = g_strnfill (5 * 1024 * 1024, 'x');
  g_autofree char *long_line = g_strdup_printf ("{\"id\":1,\"cmd\":\"%s\"}\n", padding);
  g_autoptr(GByteArray) levels = g_byte_array_new ();
  Engine engine;

  engine_open (&engine, run);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *line = g_strdup_printf ("%s\n", cases[i][0]);

      assert_refused (&engine, line, cases[i][1]);
    }
  assert_refused (&engine, long_line, "longer than");
  engine_send (&engine, "\n\n{\"id\":9,\"cmd\":\"draw\"}\n");
  g_assert_cmpint (read_cities (&engine, 9, levels), ==, 1);
  engine_end (&engine);
}

/* @arguments: (transfer full) */
static void
make (char *arguments)
{
  g_auto(EngineResult) result = engine_run (arguments);

  if (result.code != 0)
    g_error ("%s: %s", arguments, result.err);
  g_free (arguments);
}

static const char shares_preset[] =
  "[preset]\nimage-size=64\nshares=true\nlatent=8\nbatch=4\nsteps=2\n"
  "[generator]\n1=dense 8 16 bias lrelu\n2=tconv 8 bias lrelu\n3=tconv image bias head\n"
  "[discriminator]\n1=conv4 8 bias lrelu\n2=conv4 8 bias lrelu\n3=conv4 8 bias lrelu\n4=logit bias\n";

/* A generator with shares can be asked for them, by both commands alike; another cannot. */
static void
test_shares (void)
{
  g_autofree char *preset = g_build_filename (folder, "shares.preset", NULL);
  g_autofree char *shares = g_build_filename (folder, "shares", NULL);
  g_autofree char *refused = g_strdup_printf ("generate %s --built 20%% --out %s/never.png", run, folder);
  g_autofree char *unusual = g_strdup_printf ("generate %s --halls 100%% --count 1 --out %s/halls.png", shares,
                                              folder);
  g_autoptr(GByteArray) usual = g_byte_array_new (), asked = g_byte_array_new ();
  g_autoptr(GByteArray) again = g_byte_array_new ();
  g_autoptr(JsonParser) parser = json_parser_new ();
  g_auto(EngineResult) none = { 0 }, far = { 0 };
  JsonObject *object;
  Engine engine;

  g_assert_true (g_file_set_contents (preset, shares_preset, -1, NULL));
  make (g_strdup_printf ("train --dataset %s/areas.gpkg --run %s --preset %s --steps 2 --quiet", folder,
                         shares, preset));
  engine_open (&engine, shares);
  engine_send (&engine, "{\"id\":1,\"cmd\":\"info\"}\n");
  object = json_object_get_object_member (read_object (&engine, parser), "shares");
  object = json_object_get_object_member (object, "built");
  g_assert_cmpfloat (json_object_get_double_member (object, "low"), >=, 0);
  g_assert_cmpfloat (json_object_get_double_member (object, "low"), <,
                     json_object_get_double_member (object, "high"));
  engine_send (&engine,
               "{\"id\":2,\"cmd\":\"draw\"}\n"
               "{\"id\":3,\"cmd\":\"draw\",\"shares\":{\"built\":0.2,\"halls\":0}}\n"
               "{\"id\":4,\"cmd\":\"draw\"}\n");
  g_assert_cmpint (read_cities (&engine, 2, usual), ==, 1);
  g_assert_cmpint (read_cities (&engine, 3, asked), ==, 1);
  g_assert_cmpint (read_cities (&engine, 4, again), ==, 1);
  g_assert_cmpint (memcmp (usual->data, asked->data, TILE), !=, 0);
  g_assert_cmpmem (usual->data, TILE, again->data, TILE); /* a wish ends with its request */
  assert_refused (&engine, "{\"id\":5,\"cmd\":\"draw\",\"shares\":{\"roads\":20}}\n", "from 0 to 1");
  engine_end (&engine);

  none = engine_run (refused);
  g_assert_cmpint (none.code, !=, 0);
  g_assert_nonnull (strstr (none.err, "the preset “tiny” has none"));
  far = engine_run (unusual);
  g_assert_cmpint (far.code, ==, 0);
  g_assert_nonnull (strstr (far.err, "halls: 100.0 % is asked for"));
}

static void
make_run (void)
{
  folder = g_dir_make_tmp ("urbarium-draw-XXXXXX", NULL);
  run = g_build_filename (folder, "run", NULL);
  make (g_strdup_printf ("sample --seed 3 --size-km 1 %s/town.gpkg", folder));
  make (g_strdup_printf ("curate %s/town.gpkg --out %s/areas.gpkg --resolution 64 --soft", folder,
                         folder));
  make (g_strdup_printf ("train --dataset %s/areas.gpkg --run %s --preset tiny --batch 4 --steps 2 "
                         "--quiet", folder, run));
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  make_run ();
  g_test_add_func ("/draw/like-generate", test_like_generate);
  g_test_add_func ("/draw/walk", test_walk);
  g_test_add_func ("/draw/turn", test_turn);
  g_test_add_func ("/draw/cancel", test_cancel);
  g_test_add_func ("/draw/open", test_open);
  g_test_add_func ("/draw/propose", test_propose);
  g_test_add_func ("/draw/hostile", test_hostile);
  g_test_add_func ("/draw/shares", test_shares);
  result = g_test_run ();
  g_spawn_sync (NULL, (char *[]){ "rm", "-rf", folder, NULL }, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                NULL, NULL, NULL, NULL);
  g_free (folder);
  g_free (run);
  return result;
}
