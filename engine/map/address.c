/* SPDX-License-Identifier: Apache-2.0 */
/*
 * address.c - see address.h.
 *
 * The hard part is what must not be repeated: an address that cannot be taken apart may have its password anywhere, so
 * errors name the part that is wrong and never the address.  And every server names its keys as it likes, so what is
 * shown of an address is only what is known to be none.
 */
#include "map/address.h"

#include <string.h>

#include "map/map.h"

#define HIDDEN          "…"
#define SHORTEST_SECRET 3 /* bytes; shorter ones would be found in any text */
#define LONG_SECRET     8 /* bytes; shorter ones are hidden only where they are whole words */

static const char *const web[] = { "http://", "https://", NULL };
static const char *const postgres[] = { "postgresql://", "postgres://", NULL };
static const char *const ours[] = { "WFS:", "PG:", NULL };

/* How an address begins. */
static const char *const *const beginnings[] = { web, postgres, ours };

/* Parts of a query that the standard of Web Feature Services defines, in lower case; not those with free texts. */
static const char *const harmless[]
  = { "service",   "version",   "acceptversions", "request",    "typename",   "typenames", "srsname", "outputformat", "count",
      "maxfeatures", "startindex", "bbox",        "propertyname", "featureid", "resourceid", "sortby",  "resulttype",   "resolve",
      NULL };

/* Folders that programs of such services name so, in lower case: any other may be a key, whatever it looks like. */
static const char *const usual_folders[]
  = { "api",       "arcgis",       "cadastre",  "cgi-bin", "collections", "data",    "deegree",   "deegree-webservices",
      "download",  "featureserver", "geo",      "geodata", "geoportal",   "geoserver", "geoservices", "gis",
      "inspire",   "map",          "mapproxy",  "maps",    "mapserv",     "mapserv.exe", "mapserv.fcgi", "mapserver",
      "ogc",       "open",         "opendata",  "ows",     "public",      "qgis",    "qgis-server", "qgis_mapserv.fcgi",
      "qgisserver", "rest",        "server",    "service", "services",    "tinyows", "web",       "webservices",
      "wfs",       "wfsserver",    "wms",       NULL };

/* The rest of @text after one of the beginnings, ignoring case; %NULL: it begins otherwise. */
static const char *
skip_any (const char *text, const char *const *any)
{
  for (; *any != NULL; any++)
    if (g_ascii_strncasecmp (text, *any, strlen (*any)) == 0)
      return text + strlen (*any);
  return NULL;
}

static const char *
skip (const char *text, const char *beginning)
{
  return skip_any (text, (const char *const[]){ beginning, NULL });
}

gboolean
urb_map_address_is (const char *text)
{
  for (gsize i = 0; i < G_N_ELEMENTS (beginnings); i++)
    if (skip_any (text, beginnings[i]) != NULL)
      return TRUE;
  return FALSE;
}

gboolean
urb_map_address_may_become (const char *text)
{
  for (gsize i = 0; i < G_N_ELEMENTS (beginnings); i++)
    for (const char *const *beginning = beginnings[i]; *beginning != NULL; beginning++)
      if (g_ascii_strncasecmp (*beginning, text, strlen (text)) == 0)
        return TRUE;
  return FALSE;
}

void
urb_map_address_free (UrbMapAddress *self)
{
  if (self == NULL)
    return;
  g_free (self->shown);
  g_free (self->host);
  g_free (self->user);
  g_free (self->password);
  g_free (self->url);
  g_free (self->database);
  g_free (self->schemas);
  g_free (self->ssl_mode);
  g_strfreev (self->layers);
  g_strfreev (self->secrets);
  g_free (self);
}

static gboolean
fail (GError **error, const char *format, ...)
{
  va_list arguments;
  g_autofree char *text = NULL;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN, text);
  return FALSE;
}

/* -------- Parts -------- */

/* A name, or the number of an IPv4 or IPv6 address: not several, and no path of a socket. */
static gboolean
check_host (const char *host, GError **error)
{
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:";

  if (host == NULL || *host == '\0')
    return fail (error, "The address names no server; state its host, such as db.example.org.");
  if (host[strspn (host, allowed)] != '\0')
    return fail (error, "The host in the address has characters that no host has. In a user's name or password, write "
                        "@ : / ? # as %%40 %%3A %%2F %%3F %%23.");
  return TRUE;
}

static void
add_secret (GPtrArray *secrets, const char *secret)
{
  if (secret != NULL && strlen (secret) >= SHORTEST_SECRET) /* bytes: it need not be UTF-8 */
    g_ptr_array_add (secrets, g_strdup (secret));
}

/* Adds it as it is, and as it is in addresses.  @text: (nullable) */
static void
add_secret_and_escaped (GPtrArray *secrets, const char *text)
{
  g_autofree char *escaped = text != NULL ? g_uri_escape_string (text, NULL, FALSE) : NULL;

  add_secret (secrets, text);
  add_secret (secrets, escaped);
}

/* Adds a part of an address, and the values in it, if it has several. */
static void
add_secrets_of_part (GPtrArray *secrets, const char *part)
{
  g_auto(GStrv) values = g_strsplit_set (part, "&;=", -1);

  add_secret_and_escaped (secrets, part);
  for (char **value = values; *value != NULL; value++)
    add_secret (secrets, *value);
}

static int
compare_longest_first (gconstpointer a, gconstpointer b)
{
  gsize n = strlen (*(const char *const *) a), m = strlen (*(const char *const *) b);

  return (n < m) - (n > m);
}

/* A database's user is a name, which messages of the database need; that of a service may be a key. */
static void
take_secrets (UrbMapAddress *self, GPtrArray *secrets)
{
  add_secret_and_escaped (secrets, self->password);
  if (self->kind == URB_MAP_ADDRESS_WFS)
    add_secret_and_escaped (secrets, self->user);
  g_ptr_array_sort (secrets, compare_longest_first); /* one may be the beginning of another */
  g_ptr_array_add (secrets, NULL);
  self->secrets = (char **) g_ptr_array_free (secrets, FALSE);
}

/* Whether a value can only be what its name says.  Some servers end a value at ;, and libpq reads a whole address, or
 * name=value, in place of a database's name. */
static gboolean
is_plain (const char *value)
{
  return strpbrk (value, "&;=@") == NULL && strstr (value, "://") == NULL;
}

/* "[::1]:5432" */
static char *
dup_host_part (const UrbMapAddress *self)
{
  gboolean is_v6 = strchr (self->host, ':') != NULL;

  return g_strdup_printf ("%s%s%s:%d", is_v6 ? "[" : "", self->host, is_v6 ? "]" : "", self->port);
}

static GUri *
parse_uri (const char *text, GError **error)
{
  g_autoptr(GUri) uri
    = g_uri_parse (text, G_URI_FLAGS_HAS_PASSWORD | G_URI_FLAGS_ENCODED_PATH | G_URI_FLAGS_ENCODED_QUERY, NULL);

  if (uri == NULL || g_uri_get_fragment (uri) != NULL)
    {
      fail (error, "The address cannot be taken apart. In a user's name or password, write @ : / ? # %% as %%40 %%3A "
                   "%%2F %%3F %%23 %%25.");
      return NULL;
    }
  return check_host (g_uri_get_host (uri), error) ? g_steal_pointer (&uri) : NULL;
}

static void
set_server (UrbMapAddress *self, GUri *uri, int port)
{
  self->host = g_strdup (g_uri_get_host (uri));
  self->port = (guint16) (g_uri_get_port (uri) > 0 ? g_uri_get_port (uri) : port);
  self->user = g_strdup (g_uri_get_user (uri));
  self->password = g_strdup (g_uri_get_password (uri));
}

/* The next "name=value" of a query; @name: in lower case, not decoded; @value: decoded; %NULL: it has none.  FALSE:
 * there is no next one. */
static gboolean
next_parameter (char ***parameter, char **name, char **value)
{
  char *equals;

  if (**parameter == NULL)
    return FALSE;
  equals = strchr (**parameter, '=');
  g_free (*value);
  *value = equals != NULL ? g_uri_unescape_string (equals + 1, NULL) : NULL;
  g_free (*name);
  *name = equals != NULL ? g_ascii_strdown (**parameter, equals - **parameter) : g_ascii_strdown (**parameter, -1);
  (*parameter)++;
  return TRUE;
}

/* -------- Web Feature Services -------- */

/* @parameter: as typed; @name, @value: of it */
static void
show_or_hide (const char *parameter, const char *name, const char *value, GString *shown, GPtrArray *secrets)
{
  const char *equals = strchr (parameter, '=');
  gboolean is_shown = g_strv_contains (harmless, name) && value != NULL && is_plain (value);

  g_string_append_c (shown, shown->len > 0 ? '&' : '?');
  g_string_append (shown, is_shown ? parameter : HIDDEN);
  if (is_shown)
    return;
  add_secrets_of_part (secrets, equals != NULL ? equals + 1 : parameter);
  if (value != NULL)
    add_secrets_of_part (secrets, value);
}

/* @shown: receives the query without what may be secret */
static gboolean
read_wfs_query (UrbMapAddress *self, const char *query, gboolean is_wfs, GString *shown, GPtrArray *secrets,
                GError **error)
{
  g_auto(GStrv) parameters = g_strsplit (query != NULL ? query : "", "&", -1);
  g_autofree char *name = NULL, *value = NULL;
  char **next = parameters;

  while (next_parameter (&next, &name, &value))
    {
      if (*name == '\0')
        continue; /* "?&a=b" */
      show_or_hide (next[-1], name, value, shown, secrets);
      if (g_str_equal (name, "service"))
        is_wfs = value != NULL && g_ascii_strcasecmp (value, "WFS") == 0;
      else if (g_str_equal (name, "typename") && value != NULL && *value != '\0')
        {
          g_strfreev (self->layers);
          self->layers = g_strsplit (value, ",", -1);
        }
    }
  return is_wfs
         || fail (error, "Of addresses on the web, only those of a Web Feature Service can be opened, which contain "
                         "service=WFS. Download the map, and open its file.");
}

/* Whether a folder is known to be no key, or too short to be one. */
static gboolean
is_usual (const char *folder)
{
  g_autofree char *lower = g_ascii_strdown (folder, -1);

  return strlen (folder) < SHORTEST_SECRET || g_strv_contains (usual_folders, lower);
}

/* As it is in the address, and decoded. */
static void
add_secrets_of_folder (GPtrArray *secrets, const char *folder)
{
  g_autofree char *text = g_uri_unescape_string (folder, NULL);

  add_secrets_of_part (secrets, folder);
  if (text != NULL)
    add_secrets_of_part (secrets, text);
}

/* With usual folders alone, and without what follows a ; in any folder, as ;jsessionid=… */
static char *
dup_shown_path (const char *path, GPtrArray *secrets)
{
  g_auto(GStrv) folders = g_strsplit (path, "/", -1);

  for (char **folder = folders; *folder != NULL; folder++)
    {
      gsize n = strcspn (*folder, ";");
      g_autofree char *name = g_strndup (*folder, n);
      gboolean is_shown = is_usual (name);
      char *shown;

      if (is_shown && (*folder)[n] == '\0')
        continue;
      if (!is_shown)
        add_secrets_of_folder (secrets, *folder);
      if ((*folder)[n] != '\0')
        add_secrets_of_folder (secrets, *folder + n + 1);
      shown = is_shown ? g_strconcat (name, ";" HIDDEN, NULL) : g_strdup (HIDDEN);
      g_free (*folder);
      *folder = shown;
    }
  return g_strjoinv ("/", folders);
}

static gboolean
parse_wfs (UrbMapAddress *self, const char *text, gboolean is_wfs, GPtrArray *secrets, GError **error)
{
  g_autoptr(GUri) uri = NULL;
  g_autoptr(GString) query = g_string_new (NULL);
  g_autofree char *host = NULL, *path = NULL;

  if (skip_any (text, web) == NULL)
    return fail (error, "After WFS:, an address must begin with https:// or http://.");
  uri = parse_uri (text, error);
  if (uri == NULL)
    return FALSE;
  set_server (self, uri, g_str_equal (g_uri_get_scheme (uri), "http") ? 80 : 443);
  if (!read_wfs_query (self, g_uri_get_query (uri), is_wfs, query, secrets, error))
    return FALSE;
  host = dup_host_part (self);
  path = dup_shown_path (g_uri_get_path (uri), secrets);
  self->url = g_strdup_printf ("%s://%s%s%s%s", g_uri_get_scheme (uri), host, g_uri_get_path (uri),
                               g_uri_get_query (uri) != NULL ? "?" : "",
                               g_uri_get_query (uri) != NULL ? g_uri_get_query (uri) : "");
  self->shown = g_strdup_printf ("%s%s://%s%s%s%s", strcasestr (query->str, "service=WFS") != NULL ? "" : "WFS:",
                                 g_uri_get_scheme (uri), self->user != NULL ? HIDDEN "@" : "", host, path, query->str);
  return TRUE;
}

/* -------- PostGIS -------- */

static gboolean
set_parameter (UrbMapAddress *self, const char *name, const char *value, GError **error)
{
  char **member = g_str_equal (name, "host")       ? &self->host
                  : g_str_equal (name, "dbname")   ? &self->database
                  : g_str_equal (name, "user")     ? &self->user
                  : g_str_equal (name, "password") ? &self->password
                  : g_str_equal (name, "schemas")  ? &self->schemas
                  : g_str_equal (name, "sslmode")  ? &self->ssl_mode
                                                   : NULL;
  guint64 port;

  if (g_str_equal (name, "tables"))
    {
      g_strfreev (self->layers);
      self->layers = *value != '\0' ? g_strsplit (value, ",", -1) : g_new0 (char *, 1);
      return TRUE;
    }
  if (g_str_equal (name, "port"))
    {
      if (!g_ascii_string_to_unsigned (value, 10, 1, G_MAXUINT16, &port, NULL))
        return fail (error, "The port of a database's address must be a number from 1 to 65535.");
      self->port = (guint16) port;
      return TRUE;
    }
  if (member == NULL)
    return fail (error, "A part of the database's address has an unknown name. Known are host, port, dbname, user, "
                        "password, sslmode, schemas and tables.");
  g_free (*member);
  *member = g_strdup (value);
  return TRUE;
}

/* "postgresql://user:password@host:port/database?name=value" */
static gboolean
read_postgres_url (UrbMapAddress *self, const char *text, GError **error)
{
  g_autoptr(GUri) uri = parse_uri (text, error);
  g_auto(GStrv) parameters = NULL;
  g_autofree char *name = NULL, *value = NULL;
  char **next;

  if (uri == NULL)
    return FALSE;
  set_server (self, uri, 5432);
  if (strlen (g_uri_get_path (uri)) > 1)
    self->database = g_uri_unescape_string (g_uri_get_path (uri) + 1, NULL);
  next = parameters = g_strsplit (g_uri_get_query (uri) != NULL ? g_uri_get_query (uri) : "", "&", -1);
  while (next_parameter (&next, &name, &value))
    if (!set_parameter (self, name, value != NULL ? value : "", error))
      return FALSE;
  return TRUE;
}

/* The value at @c, perhaps in quotes, in which \ precedes a quote.  Returns: what follows; %NULL: no end */
static const char *
read_value (const char *c, GString *value)
{
  gboolean is_quoted = *c == '\'';

  for (c += is_quoted; *c != '\0' && (is_quoted ? *c != '\'' : !g_ascii_isspace (*c)); c++)
    {
      c += *c == '\\' && c[1] != '\0';
      g_string_append_c (value, *c);
    }
  return !is_quoted ? c : *c == '\'' ? c + 1 : NULL;
}

/* "host=… dbname='…'" */
static gboolean
read_postgres_words (UrbMapAddress *self, const char *c, GError **error)
{
  self->port = 5432;
  while (*(c += strspn (c, " \t\r\n")) != '\0')
    {
      gsize n = strcspn (c, "= \t\r\n");
      g_autofree char *name = g_ascii_strdown (c, (gssize) n);
      g_autoptr(GString) value = g_string_new (NULL);

      c = c[n] == '=' ? read_value (c + n + 1, value) : NULL;
      if (c == NULL)
        return fail (error, "After PG:, a database's address must be a list of name=value, such as "
                            "PG:host=db.example.org dbname=town.");
      if (!set_parameter (self, name, value->str, error))
        return FALSE;
    }
  return TRUE;
}

/* @value: (nullable) */
static void
show_value (GString *query, const char *name, const char *value)
{
  if (value != NULL && *value != '\0')
    g_string_append_printf (query, "%c%s=%s", query->len > 0 ? '&' : '?', name, is_plain (value) ? value : HIDDEN);
}

static gboolean
parse_postgis (UrbMapAddress *self, const char *text, GError **error)
{
  g_autofree char *host = NULL, *database = NULL, *tables = NULL;
  const char *user = "";
  g_autoptr(GString) query = g_string_new (NULL);

  if (!(skip_any (text, postgres) != NULL ? read_postgres_url (self, text, error)
                                          : read_postgres_words (self, text, error))
      || !check_host (self->host, error))
    return FALSE;
  if (self->user != NULL)
    user = HIDDEN "@";
  else
    self->user = g_strdup (g_get_user_name ());
  if (self->database == NULL)
    self->database = g_strdup (self->user);
  host = dup_host_part (self);
  database = is_plain (self->database) ? g_uri_escape_string (self->database, NULL, TRUE) : g_strdup (HIDDEN);
  tables = self->layers != NULL ? g_strjoinv (",", self->layers) : g_strdup ("");
  show_value (query, "schemas", self->schemas);
  show_value (query, "tables", tables);
  self->shown = g_strdup_printf ("postgresql://%s%s/%s%s", user, host, database, query->str);
  return TRUE;
}

/* -------- Any -------- */

UrbMapAddress *
urb_map_address_parse (const char *text, GError **error)
{
  g_autoptr(UrbMapAddress) self = g_new0 (UrbMapAddress, 1);
  g_autoptr(GPtrArray) secrets = g_ptr_array_new_with_free_func (g_free);
  const char *wfs = skip (text, "WFS:"), *words = skip (text, "PG:");
  gboolean is_fine;

  if (!g_utf8_validate (text, -1, NULL))
    {
      fail (error, "The address is no text in UTF-8.");
      return NULL;
    }
  if (wfs != NULL || skip_any (text, web) != NULL)
    is_fine = parse_wfs (self, wfs != NULL ? wfs : text, wfs != NULL, secrets, error);
  else if (words != NULL || skip_any (text, postgres) != NULL)
    {
      self->kind = URB_MAP_ADDRESS_POSTGIS;
      is_fine = parse_postgis (self, words != NULL ? words : text, error);
    }
  else
    is_fine = fail (error, "An address must begin with https://, http://, WFS:, postgresql:// or PG:.");
  if (!is_fine)
    return NULL;
  if (self->layers == NULL)
    self->layers = g_new0 (char *, 1);
  take_secrets (self, g_steal_pointer (&secrets));
  return g_steal_pointer (&self);
}

/* Whether @found stands alone in @text, and not within a word, as "not" in "cannot". */
static gboolean
is_word (const char *text, const char *found, gsize n_bytes)
{
  return (found == text || !g_ascii_isalnum (found[-1])) && !g_ascii_isalnum (found[n_bytes]);
}

static void
hide_secret (GString *text, const char *secret)
{
  gsize n_bytes = strlen (secret), begin = 0;
  const char *found;

  while ((found = strstr (text->str + begin, secret)) != NULL)
    {
      begin = (gsize) (found - text->str);
      if (n_bytes >= LONG_SECRET || is_word (text->str, found, n_bytes))
        {
          g_string_erase (text, (gssize) begin, (gssize) n_bytes);
          g_string_insert (text, (gssize) begin, HIDDEN);
          begin += strlen (HIDDEN);
        }
      else
        begin++;
    }
}

char *
urb_map_address_hide (const UrbMapAddress *self, const char *text)
{
  g_autoptr(GString) hidden = g_string_new (text);

  for (char **secret = self->secrets; *secret != NULL; secret++)
    hide_secret (hidden, *secret);
  return g_string_free (g_steal_pointer (&hidden), FALSE);
}

char *
urb_map_address_dup_source (const char *path)
{
  return urb_map_address_is (path) ? g_strdup (path) : g_path_get_basename (path);
}
