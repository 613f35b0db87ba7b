/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-server.c - addresses of maps on servers, and maps from a small Web Feature Service and a PostGIS on loopback.
 */
#include <string.h>

#include "flat-folder.h"
#include "map-server.h"
#include "map/address.h"
#include "map/identify.h"
#include "map/map.h"

/* -------- Addresses -------- */

static const struct
{
  const char *text, *shown, *host;
  int         port;
  const char *user, *password, *layers;
} good[] = {
  { "https://maps.example.org/wfs?SERVICE=WFS&typeName=t:a,t:b", "https://maps.example.org:443/wfs?SERVICE=WFS&typeName=t:a,t:b",
    "maps.example.org", 443, NULL, NULL, "t:a t:b" },
  { "WFS:http://127.0.0.1:8080/x", "WFS:http://127.0.0.1:8080/x", "127.0.0.1", 8080, NULL, NULL, "" },
  { "wfs:HTTPS://anna:ge%40heim@h/x?a=1&key=abcdef", "WFS:https://…@h:443/x?…&…", "h", 443, "anna", "ge@heim", "" },
  { "https://h/x?service=wfs&Access_Token=abc%2Bdef", "https://h:443/x?service=wfs&…", "h", 443, NULL, NULL, "" },
  { "postgresql://anna:geheim@db/town?tables=a,b&schemas=s", "postgresql://…@db:5432/town?schemas=s&tables=a,b", "db", 5432,
    "anna", "geheim", "a b" },
  { "postgres://anna@[::1]:99/town?password=geheim&sslmode=require", "postgresql://…@[::1]:99/town", "::1", 99, "anna",
    "geheim", "" },
  { "PG:host=db port=99 dbname='my \\'town' user=anna password='ge heim'", "postgresql://…@db:99/my%20%27town", "db", 99,
    "anna", "ge heim", "" },
  { "pg:postgresql://anna:geheim@db/town", "postgresql://…@db:5432/town", "db", 5432, "anna", "geheim", "" },
};

/* What may be a key is not shown, however it is called, and is hidden where a server repeats it. */
static void
test_unknown_names (void)
{
  static const struct { const char *text, *shown; } rows[] = {
    { "https://h/x?service=WFS&Schluessel=geheim", "https://h:443/x?service=WFS&…" },
    { "https://h/x?SERVICE=WFS&VERSION=2.0.0&TypeNames=t:a&COUNT=9&bbox=0,0,1,1,urn:ogc:def:crs:EPSG::2056&K=geheim",
      "https://h:443/x?SERVICE=WFS&VERSION=2.0.0&TypeNames=t:a&COUNT=9&bbox=0,0,1,1,urn:ogc:def:crs:EPSG::2056&…" },
    { "https://h/x?service=WFS&%6B%65y=geheim", "https://h:443/x?service=WFS&…" },
    { "https://h/x?service=WFS&%63ount=9&cou%4et=9", "https://h:443/x?service=WFS&count=9&couNt=9" },
    { "https://h/x?service=WFS&geheim", "https://h:443/x?service=WFS&…" },              /* no value */
    { "https://h/x?Z2VoZWlt==&service=WFS", "https://h:443/x?…&service=WFS" },          /* in base 64 */
    { "https://h/x?key=geheim&service=WFS&key=geheim2", "https://h:443/x?…&service=WFS&…" },
    { "https://h/x?service=WFS&count=1;key=geheim", "https://h:443/x?service=WFS&…" },
    { "https://h/x?service=WFS&count=1%26key%3Dgeheim", "https://h:443/x?service=WFS&…" },
    { "https://h/x?service=WFS&filter=geheim", "https://h:443/x?service=WFS&…" },       /* free text */
    { "https://h/x;jsessionid=geheim/y?service=WFS", "https://h:443/x;…/y?service=WFS" },
    { "https://h/s3cr3tkey/wfs?service=WFS", "https://h:443/…/wfs?service=WFS" },      /* a key in the path */
    { "https://h/geheim/wfs?service=WFS", "https://h:443/…/wfs?service=WFS" },         /* also a word */
    { "https://h/apikey/geheim/WFS?service=WFS", "https://h:443/…/…/WFS?service=WFS" },
    { "https://h/%67eheim/wfs?service=WFS", "https://h:443/…/wfs?service=WFS" },
    { "https://h/%67eheim;a=b/wfs?service=WFS", "https://h:443/…/wfs?service=WFS" },
    { "https://h/wfs;%67eheim?service=WFS", "https://h:443/wfs;…?service=WFS" },
    { "https://h/wfs;geheim/geheim;geheim?service=WFS", "https://h:443/wfs;…/…?service=WFS" },
    { "https://h/wfs/550e8400-e29b-41d4-a716-446655440000?service=WFS", "https://h:443/wfs/…?service=WFS" },
    { "https://h/%733cr3tkey;a=b/wfs?service=WFS", "https://h:443/…/wfs?service=WFS" },
    { "https://h/geoserver/av_2056_lv95/v2/MapServer/WFSServer?service=WFS",
      "https://h:443/geoserver/…/v2/MapServer/WFSServer?service=WFS" },
    { "https://geheim@h/x?&service=WFS", "https://…@h:443/x?service=WFS" },             /* a key as the user */
    { "https://geheim:@h/x?service=WFS", "https://…@h:443/x?service=WFS" },
    { "postgresql://anna:geheim@h/town?sslmode=require&sslmode=geheim", "postgresql://…@h:5432/town" },
    { "postgresql://h/town?%70assword=geheim", "postgresql://h:5432/town" },
    { "PG:host=h dbname='password=geheim'", "postgresql://h:5432/…" },
    { "PG:host=h dbname='postgresql://anna:geheim@h/town' schemas=a;geheim", "postgresql://h:5432/…?schemas=…" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(UrbMapAddress) address = urb_map_address_parse (rows[i].text, &error);
      g_autofree char *hidden = NULL;

      g_assert_no_error (error);
      g_assert_cmpstr (address->shown, ==, rows[i].shown);
      g_assert_true (urb_map_address_is (address->shown));
      if (address->kind != URB_MAP_ADDRESS_WFS || strstr (rows[i].text, "eheim") == NULL) /* g may be %67 */
        continue;
      hidden = urb_map_address_hide (address, "the server does not know 'geheim'");
      g_assert_null (strstr (hidden, "geheim"));
    }
}

static void
test_good (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(UrbMapAddress) address = urb_map_address_parse (good[i].text, &error);
      g_autofree char *layers = NULL;

      g_assert_no_error (error);
      layers = g_strjoinv (" ", address->layers);
      g_assert_true (urb_map_address_is (good[i].text));
      g_assert_cmpstr (address->shown, ==, good[i].shown);
      g_assert_cmpstr (address->host, ==, good[i].host);
      g_assert_cmpint (address->port, ==, good[i].port);
      g_assert_cmpstr (address->user, ==, good[i].user);
      g_assert_cmpstr (address->password, ==, good[i].password);
      g_assert_cmpstr (layers, ==, good[i].layers);
    }
}

/* No message repeats an address, since its password may be anywhere in it. */
static void
test_bad (void)
{
  static const struct { const char *text, *said; } bad[] = {
    { "https://anna:geheim@h/map.gpkg", "service=WFS" },
    { "https://anna:geheim@h/x?service=WMS", "service=WFS" },
    { "WFS:geheim", "must begin with https://" },
    { "https://anna:ge@heim@h/x?service=WFS", "%40" },
    { "https://anna:ge/heim@h/x?service=WFS", "%2F" },
    { "https://anna:1#geheim@h/x?service=WFS", "%23" },
    { "postgresql://anna:ge/heim@h/x", "%2F" },
    { "postgresql:///town?user=geheim", "names no server" },
    { "https://h/x?service=WFS#token=geheim", "%23" },
    { "https://h/x?service=WFS&key=%zzgeheim", "%25" },
    { "PG:host=h Passwort=geheim", "unknown name" },
    { "postgresql://%2Fvar%2Frun%2Fgeheim/town", "characters that no host has" },
    { "postgresql://geheim1,geheim2/town", "characters that no host has" },
    { "postgresql://h/town?passfile=/geheim", "unknown name" },
    { "PG:dbname=geheim", "names no server" },
    { "PG:host=h password='geheim", "list of name=value" },
    { "PG:geheim", "list of name=value" },
    { "PG:host=h port=geheim", "from 1 to 65535" },
    { "PG:host=h port=70000", "from 1 to 65535" },
    { "PG:host=h service=geheim", "unknown name" },
    { "ftp://geheim", "must begin with" },
    { "PG:host=\xff", "UTF-8" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr(GError) error = NULL;

      g_test_message ("%s", bad[i].said);
      g_assert_null (urb_map_address_parse (bad[i].text, &error));
      g_assert_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN);
      g_assert_nonnull (strstr (error->message, bad[i].said));
      g_assert_null (strstr (error->message, "heim"));
    }
}

static void
test_typing (void)
{
  static const char *const begun[] = { "", "h", "HTTP", "https://", "postgres", "w", "pg:" };
  static const char *const others[] = { "https://h", "ftp", "/home", "PG:host=h", "town.gpkg" };

  for (gsize i = 0; i < G_N_ELEMENTS (begun); i++)
    g_assert_true (urb_map_address_may_become (begun[i]));
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    g_assert_false (urb_map_address_may_become (others[i]));
}

static void
test_files_are_none (void)
{
  static const char *const files[] = { "town.gpkg", "/home/anna/WFS:x", "./PG:host=h", "C:\\map.shp", "", "MYSQL:x",
                                       "/vsicurl/https://h/map.gpkg", "file:///map.gpkg" };
  g_autofree char *file = urb_map_address_dup_source ("/home/anna/town.gpkg");
  g_autofree char *server = urb_map_address_dup_source ("https://h:443/x?service=WFS");

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    g_assert_false (urb_map_address_is (files[i]));
  g_assert_cmpstr (file, ==, "town.gpkg");
  g_assert_cmpstr (server, ==, "https://h:443/x?service=WFS");
}

static void
test_hide (void)
{
  g_autoptr(UrbMapAddress) address = urb_map_address_parse ("https://anna:ge%40heim@h/x?service=WFS&key=a%2Bc", NULL);
  g_autofree char *hidden = urb_map_address_hide (address, "no 'ge@heim', ge%40heim, a+c, a%2Bc of anna");
  g_autoptr(UrbMapAddress) nested = urb_map_address_parse ("https://h/x?service=WFS&a=abc&b=abcdef", NULL);
  g_autofree char *both = urb_map_address_hide (nested, "abcdef, abc");
  g_autoptr(UrbMapAddress) word = urb_map_address_parse ("https://h/x?service=WFS&map=not&key=longsecret", NULL);
  g_autofree char *whole = urb_map_address_hide (word, "cannot open not, xlongsecretx");

  g_assert_cmpstr (hidden, ==, "no '…', …, …, … of …");
  g_assert_cmpstr (both, ==, "…, …");
  g_assert_cmpstr (whole, ==, "cannot open …, x…x"); /* a short one may be a part of any word */
}

/* -------- A server -------- */

typedef struct
{
  FlatFolderFixture  flat;
  GSubprocess       *process; /* (nullable) owned; of this server */
  char              *root;    /* owned; "http://127.0.0.1:1234" */
  char              *log;     /* owned */
  GSocketListener   *other;   /* owned; of another server, which only listens */
  guint16            other_port;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  g_autofree char *other = NULL;
  int port;

  flat_folder_set_up (&self->flat, NULL);
  self->other = g_socket_listener_new ();
  self->other_port = g_socket_listener_add_any_inet_port (self->other, NULL, NULL);
  other = g_strdup_printf ("http://127.0.0.1:%d", self->other_port);
  self->log = g_build_filename (self->flat.folder, "log", NULL);
  self->process = wfs_start (self->log, other, &port);
  if (self->process != NULL)
    self->root = g_strdup_printf ("http://127.0.0.1:%d", port);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_clear_pointer (&self->process, map_server_stop);
  g_clear_object (&self->other);
  g_free (self->root);
  g_free (self->log);
  flat_folder_tear_down (&self->flat, NULL);
}

static gboolean
has_server (const Fixture *self)
{
  if (self->process == NULL)
    g_test_skip ("Python is not installed");
  return self->process != NULL;
}

/* Opens an address as typed. */
static UrbMap *
open_address (const char *text, GError **error)
{
  g_autoptr(UrbMapAddress) address = urb_map_address_parse (text, NULL);
  const UrbMapOptions options = { .address = text, .patience_s = strstr (text, "/silent") != NULL ? 1 : 30 };

  g_assert_nonnull (address);
  return urb_map_open ((const char *const[]){ address->shown, NULL }, &options, NULL, NULL, NULL, error);
}

static char *
dup_log (const Fixture *self)
{
  char *text = NULL;

  return g_file_get_contents (self->log, &text, NULL, NULL) ? text : g_strdup ("");
}

static void
test_wfs (Fixture *self, gconstpointer data)
{
  g_autofree char *all = g_strconcat (self->root, "/wfs?service=WFS", NULL);
  g_autofree char *one = g_strconcat ("WFS:", self->root, "/wfs?typeName=t:roads", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbMap) map = NULL, roads = NULL;
  g_autofree char *log = NULL;

  if (!has_server (self))
    return;
  map = open_address (all, &error);
  g_assert_no_error (error);
  g_assert_cmpint (urb_map_get_epsg (map), ==, 2056);
  g_assert_cmpint (urb_map_get_layers (map)->len, ==, 2);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING), 10 * 10 + 20 * 20, 1e-6);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_ROAD), 30 * 30, 1e-6);
  g_assert_cmpfloat (urb_map_get_extent (map).min_x, ==, 2600000);
  roads = open_address (one, &error);
  g_assert_no_error (error);
  g_assert_cmpint (urb_map_get_n_polygons (roads), ==, 1);
  log = dup_log (self);
  g_assert_nonnull (strstr (log, "REQUEST=GetFeature"));
}

static GPtrArray *
identify (UrbMap *map, const char *address, double x, double y)
{
  g_autoptr(UrbMapAddress) parsed = address != NULL ? urb_map_address_parse (address, NULL) : NULL;
  const char *const paths[] = { parsed != NULL ? parsed->shown : "https://h:443/x?service=WFS", NULL };
  g_autoptr(GError) error = NULL;
  GPtrArray *objects = urb_map_identify (map, paths, address, x, y, NULL, &error);

  g_assert_no_error (error);
  return objects;
}

static void
assert_class_attribute (GPtrArray *objects, const char *layer, const char *expected)
{
  const UrbMapObject *object;
  guint n = 0;

  g_assert_cmpint (objects->len, ==, 1);
  object = g_ptr_array_index (objects, 0);
  g_assert_cmpstr (object->layer, ==, layer);
  g_assert_true (object->is_read);
  g_assert_null (object->problem);
  for (guint i = 0; i < object->attributes->len; i++)
    {
      const UrbMapAttribute *attribute = g_ptr_array_index (object->attributes, i);
      if (g_str_equal (attribute->name, "class"))
        g_assert_cmpstr (attribute->value, ==, expected);
      n += g_str_equal (attribute->name, "class");
    }
  g_assert_cmpint (n, ==, 1);
}

static guint
count (const char *text, const char *part)
{
  g_auto(GStrv) parts = g_strsplit (text, part, -1);

  return g_strv_length (parts) - 1;
}

/* A click asks for the layers with an object there, by a box, and without the address nobody. */
static void
test_identify (Fixture *self, gconstpointer data)
{
  g_autofree char *address = NULL, *wrong = NULL, *opened = NULL, *clicked = NULL, *later = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbMap) map = NULL;
  g_autoptr(GPtrArray) house = NULL, none = NULL, unasked = NULL, refused = NULL;
  const UrbMapObject *object;

  if (!has_server (self))
    return;
  address = g_strdup_printf ("http://anna:se%%3Acret@%s/locked?service=WFS", self->root + strlen ("http://"));
  wrong = g_strdup_printf ("http://anna:geheim@%s/locked?service=WFS", self->root + strlen ("http://"));
  map = open_address (address, &error);
  g_assert_no_error (error);
  opened = dup_log (self);
  house = identify (map, address, 2600005, 1200005);
  assert_class_attribute (house, "t:buildings", "building");
  clicked = dup_log (self);
  g_assert_true (g_str_has_prefix (clicked, opened));
  g_assert_cmpuint (count (clicked + strlen (opened), "REQUEST=GetFeature"), ==, 1);
  g_assert_nonnull (strstr (clicked + strlen (opened), "BBOX"));
  g_assert_nonnull (strstr (clicked + strlen (opened), "REQUEST=GetFeature&TYPENAME=t:buildings&"));
  none = identify (map, address, 2600100, 1200100);
  unasked = identify (map, NULL, 2600005, 1200005);
  g_assert_cmpint (none->len, ==, 0);
  g_assert_cmpint (unasked->len, ==, 1);
  g_assert_false (((UrbMapObject *) g_ptr_array_index (unasked, 0))->is_read);
  later = dup_log (self);
  g_assert_cmpstr (later, ==, clicked);
  refused = identify (map, wrong, 2600005, 1200005);
  g_assert_cmpint (refused->len, ==, 1);
  object = g_ptr_array_index (refused, 0);
  g_assert_false (object->is_read);
  g_test_message ("%s", object->problem);
  g_assert_nonnull (strstr (object->problem, "the password is missing or wrong"));
  g_assert_null (strstr (object->problem, "geheim"));
}

static void
test_password (Fixture *self, gconstpointer data)
{
  g_autofree char *right = NULL, *wrong = NULL, *log = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbMap) map = NULL;
  const char *host;

  if (!has_server (self))
    return;
  host = self->root + strlen ("http://");
  right = g_strdup_printf ("http://anna:se%%3Acret@%s/locked?service=WFS", host);
  wrong = g_strdup_printf ("http://anna:geheim@%s/locked?service=WFS&token=abcdef", host);
  map = open_address (right, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < urb_map_get_layers (map)->len; i++)
    g_assert_null (strstr (((UrbMapLayer *) g_ptr_array_index (urb_map_get_layers (map), i))->source, "cret"));
  log = dup_log (self);
  g_assert_nonnull (strstr (log, " anna:se:cret\n"));
  g_assert_null (open_address (wrong, &error));
  g_assert_nonnull (strstr (error->message, "the password is missing or wrong"));
  g_assert_null (strstr (error->message, "geheim"));
  g_assert_null (strstr (error->message, "abcdef"));
}

static void
test_failures (Fixture *self, gconstpointer data)
{
  static const struct { const char *path, *said; } cases[] = {
    { "/wfs?service=WFS&typeName=t:none", "has no layer 't:none'" },
    { "/wfs?service=WFS&typeName=t:roads,t:none", "has no layer 't:none'" },
    { "/empty?service=WFS", "has no layers with shapes" },
    { "/page?service=WFS", "no Web Feature Service" },
    { "/none?service=WFS", "nothing at this address" },
    { "/silent?service=WFS", "did not answer for 1 s" },
    { "/endless?service=WFS", "more than 256 MiB" },
    { "/broken?service=WFS", "HTTP error code : 500" }, /* not a map without its roads */
  };

  if (!has_server (self))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strconcat (self->root, cases[i].path, NULL);
      g_autoptr(GError) error = NULL;
      g_autoptr(UrbMap) map = open_address (text, &error);

      g_test_message ("%s", cases[i].path);
      g_assert_null (map);
      g_assert_cmpuint (error->domain, ==, URB_MAP_ERROR);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, cases[i].said));
    }
}

typedef struct
{
  gboolean           is_done;
  GSocketConnection *connection; /* (nullable) owned */
} Caller;

static void
accepted_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Caller *caller = data;

  caller->is_done = TRUE;
  caller->connection = g_socket_listener_accept_finish (G_SOCKET_LISTENER (source), result, NULL, NULL);
}

/* What a server's answers name elsewhere is not asked: a schema. */
static void
test_elsewhere (Fixture *self, gconstpointer data)
{
  g_autofree char *links = g_strconcat (self->root, "/links?service=WFS", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(GSocketClient) client = g_socket_client_new ();
  g_autoptr(GSocketConnection) own = NULL;
  g_autoptr(UrbMap) map = NULL;
  Caller caller = { 0 };

  if (!has_server (self))
    return;
  map = open_address (links, &error);
  g_assert_no_error (error);
  g_assert_cmpint (urb_map_get_n_polygons (map), ==, 3);
  /* A connection that waits is accepted at once: the test's own is, and nobody's before. */
  g_socket_listener_accept_async (self->other, NULL, accepted_cb, &caller);
  for (int i = 0; i < 10; i++)
    g_main_context_iteration (NULL, FALSE);
  g_assert_false (caller.is_done);
  own = g_socket_client_connect_to_host (client, "127.0.0.1", self->other_port, NULL, &error);
  g_assert_no_error (error);
  for (int i = 0; i < 10; i++)
    g_main_context_iteration (NULL, FALSE);
  g_assert_nonnull (caller.connection);
  g_object_unref (caller.connection);
}

/* Nobody listens. */
static void
test_unreachable (void)
{
  static const struct { const char *text, *said; } cases[] = {
    { "http://127.0.0.1:9/wfs?service=WFS", "no server answers" },
    { "postgresql://anna:geheim@127.0.0.1:9/town", "no server answers" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(GError) error = NULL;

      g_assert_null (open_address (cases[i].text, &error));
      g_test_message ("%s", error->message);
      if (strstr (error->message, "built without") != NULL)
        continue;
      g_assert_nonnull (strstr (error->message, cases[i].said));
      g_assert_null (strstr (error->message, "geheim"));
    }
}

static void
test_database (void)
{
  int port = 0;
  GSubprocess *server = postgis_start (&port);
  g_autofree char *address = g_strdup_printf ("postgresql://anna:se%%3Acret@127.0.0.1:%d/town", port);
  g_autofree char *none = g_strconcat (address, "?tables=houses,castles", NULL);
  g_autofree char *wrong = g_strdup_printf ("postgresql://anna:geheim@127.0.0.1:%d/town", port);
  g_autoptr(GError) error = NULL, refusal = NULL;
  g_autoptr(UrbMap) map = NULL;
  g_autoptr(GPtrArray) house = NULL, refused = NULL;

  if (server == NULL)
    {
      g_test_skip ("PostgreSQL with PostGIS is not installed");
      return;
    }
  map = open_address (address, &error);
  g_assert_no_error (error);
  g_assert_cmpint (urb_map_get_n_polygons (map), ==, 2);
  g_assert_cmpfloat (urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING), ==, 10 * 10);
  g_assert_cmpfloat (urb_map_get_class_area_m2 (map, URB_CLASS_ROAD), ==, 30 * 6);
  house = identify (map, address, 2600005, 1200005);
  assert_class_attribute (house, "houses", "building");
  refused = identify (map, wrong, 2600005, 1200005);
  g_test_message ("%s", ((UrbMapObject *) refused->pdata[0])->problem);
  g_assert_nonnull (strstr (((UrbMapObject *) refused->pdata[0])->problem, "the password is wrong"));
  g_assert_null (strstr (((UrbMapObject *) refused->pdata[0])->problem, "geheim"));
  g_assert_null (open_address (none, &error));
  g_assert_nonnull (strstr (error->message, "no table of one of these names"));
  g_assert_null (open_address (wrong, &refusal));
  g_assert_nonnull (strstr (refusal->message, "the password is wrong"));
  g_assert_null (strstr (refusal->message, "geheim"));
  map_server_stop (server);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/map/server/good", test_good);
  g_test_add_func ("/map/server/unknown-names", test_unknown_names);
  g_test_add_func ("/map/server/bad", test_bad);
  g_test_add_func ("/map/server/typing", test_typing);
  g_test_add_func ("/map/server/files-are-none", test_files_are_none);
  g_test_add_func ("/map/server/hide", test_hide);
  g_test_add ("/map/server/wfs", Fixture, NULL, set_up, test_wfs, tear_down);
  g_test_add ("/map/server/identify", Fixture, NULL, set_up, test_identify, tear_down);
  g_test_add ("/map/server/password", Fixture, NULL, set_up, test_password, tear_down);
  g_test_add ("/map/server/failures", Fixture, NULL, set_up, test_failures, tear_down);
  g_test_add ("/map/server/elsewhere", Fixture, NULL, set_up, test_elsewhere, tear_down);
  g_test_add_func ("/map/server/unreachable", test_unreachable);
  g_test_add_func ("/map/server/database", test_database);
  return g_test_run ();
}
