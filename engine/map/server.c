/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - see server.h.
 *
 * A server is trusted no more than a file: its answers may name other servers, never end, or not come.  GDAL makes
 * every transfer of a Web Feature Service by one function, which is replaced here by one that looks at the address
 * first and counts the bytes; and the answers are read by drivers that make none of their own.
 */
#include "map/server.h"

#include <cpl_conv.h>
#include <cpl_http.h>
#include <cpl_string.h>
#include <glib/gi18n.h>
#include <string.h>

#include "base/show-text.h"

#define MAX_TRANSFER_BYTES ((gint64) 256 << 20)
#define MAX_TRANSFER_US    (30 * 60 * G_TIME_SPAN_SECOND)
#define DOMAIN_PORT        53 /* for long answers about a host's name */
#define SECURE_PORT        443

static const char *const wfs_drivers[] = { "WFS", "GML", "GeoJSON", NULL };
static const char *const postgis_drivers[] = { "PostgreSQL", NULL };

/* What all transfers of the process have to keep to. */
typedef struct
{
  const UrbMapAddress *address; /* borrowed */
  gint64 n_left, end_us;
} Bounds;

static const char *const *
get_drivers (const UrbMapAddress *address)
{
  return address->kind == URB_MAP_ADDRESS_WFS ? wfs_drivers : postgis_drivers;
}

guint16 *
urb_server_dup_ports (const UrbMapAddress *address)
{
  const guint16 ports[] = { address->port, DOMAIN_PORT, SECURE_PORT, 0 };

  return g_memdup2 (ports, sizeof ports);
}

/* -------- Transfers -------- */

static gboolean
is_of_server (const char *url, const UrbMapAddress *address)
{
  g_autoptr(GUri) uri = g_uri_parse (url, G_URI_FLAGS_HAS_PASSWORD | G_URI_FLAGS_ENCODED, NULL);
  int port;

  if (uri == NULL || g_uri_get_host (uri) == NULL)
    return FALSE;
  port = g_uri_get_port (uri) > 0                       ? g_uri_get_port (uri)
         : g_str_equal (g_uri_get_scheme (uri), "https") ? SECURE_PORT
                                                         : 80;
  return g_ascii_strcasecmp (g_uri_get_host (uri), address->host) == 0 && port == address->port
         && (g_str_equal (g_uri_get_scheme (uri), "https") || g_str_equal (g_uri_get_scheme (uri), "http"));
}

static CPLHTTPResult *
refuse (const char *why)
{
  CPLHTTPResult *result = VSICalloc (1, sizeof *result);

  if (result != NULL)
    {
      result->nStatus = 1;
      result->pszErrBuf = CPLStrdup (why);
    }
  return result;
}

static CPLHTTPResult *
transfer (const char *url, CSLConstList options, GDALProgressFunc progress, void *progress_data,
          CPLHTTPFetchWriteFunc write, void *write_data, void *data)
{
  Bounds *bounds = data;
  g_autofree char *most = g_strdup_printf ("%" G_GINT64_FORMAT, bounds->n_left);
  char **all;
  CPLHTTPResult *result;

  /* Most descriptions of layers name those of common types elsewhere, which GDAL knows. */
  if (!is_of_server (url, bounds->address))
    return refuse ("The server's answer names another server, which is not asked");
  if (bounds->n_left <= 0 || g_get_monotonic_time () > bounds->end_us)
    {
      CPLError (CE_Failure, CPLE_AppDefined, "Maximum file size or time of all answers");
      return refuse ("The server sent more than 256 MiB, or for more than 30 minutes");
    }
  all = CSLSetNameValue (CSLDuplicate ((char **) options), "MAX_FILE_SIZE", most);
  CPLHTTPSetFetchCallback (NULL, NULL);
  result = CPLHTTPFetchEx (url, all, progress, progress_data, write, write_data);
  CPLHTTPSetFetchCallback (transfer, bounds);
  CSLDestroy (all);
  if (result != NULL)
    bounds->n_left -= result->nDataLen;
  return result;
}

static void
set_options (const UrbMapAddress *address, int patience_s)
{
  g_autofree char *seconds = g_strdup_printf ("%d", patience_s);
  g_autofree char *who = address->user != NULL
                           ? g_strdup_printf ("%s:%s", address->user, address->password != NULL ? address->password : "")
                           : NULL;
  const char *const options[][2] = {
    { "OGR_WFS_USE_STREAMING", "NO" }, /* it makes transfers by another function */
    { "GML_PARSER", "EXPAT" },         /* the other parser makes transfers of its own */
    { "GDAL_HTTP_CONNECTTIMEOUT", seconds },
    { "GDAL_HTTP_LOW_SPEED_TIME", seconds },
    { "GDAL_HTTP_LOW_SPEED_LIMIT", "1" },
    { "GDAL_HTTP_USERPWD", address->kind == URB_MAP_ADDRESS_WFS ? who : NULL },
    { "GDAL_HTTP_USERAGENT", "Urbarium/" URBARIUM_VERSION },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (options); i++)
    CPLSetConfigOption (options[i][0], options[i][1]);
}

void
urb_server_register (const UrbMapAddress *address, int patience_s)
{
  static Bounds bounds;

  urb_register_only (get_drivers (address));
  bounds = (Bounds){ address, MAX_TRANSFER_BYTES, g_get_monotonic_time () + MAX_TRANSFER_US };
  set_options (address, patience_s);
  if (address->kind == URB_MAP_ADDRESS_WFS)
    CPLHTTPSetFetchCallback (transfer, &bounds);
}

/* -------- Opening -------- */

/* As libpq reads it: in quotes. */
static void
add_word (GString *words, const char *name, const char *value)
{
  if (value == NULL)
    return;
  g_string_append_printf (words, " %s='", name);
  for (const char *c = value; *c != '\0'; c++)
    {
      if (*c == '\'' || *c == '\\')
        g_string_append_c (words, '\\');
      g_string_append_c (words, *c);
    }
  g_string_append_c (words, '\'');
}

static UrbGdalDataset
open_postgis (const UrbMapAddress *address, int patience_s)
{
  g_autofree char *port = g_strdup_printf ("%d", address->port), *seconds = g_strdup_printf ("%d", patience_s);
  g_autofree char *tables = g_strjoinv (",", address->layers);
  g_autofree char *tables_option = g_strconcat ("TABLES=", tables, NULL);
  g_autofree char *schemas_option
    = address->schemas != NULL ? g_strconcat ("SCHEMAS=", address->schemas, NULL) : NULL;
  const char *options[3] = { NULL };
  g_autoptr(GString) words = g_string_new ("PG:");
  gsize n = 0;

  if (*tables != '\0')
    options[n++] = tables_option;
  if (schemas_option != NULL)
    options[n++] = schemas_option;
  add_word (words, "host", address->host);
  add_word (words, "port", port);
  add_word (words, "dbname", address->database);
  add_word (words, "user", address->user);
  add_word (words, "password", address->password);
  add_word (words, "sslmode", address->ssl_mode);
  add_word (words, "connect_timeout", seconds);
  add_word (words, "application_name", "Urbarium");
  return GDALOpenEx (words->str, GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, postgis_drivers, options,
                     NULL);
}

static UrbGdalDataset
open_wfs (const UrbMapAddress *address)
{
  static const char *const only[] = { "WFS", NULL };
  g_autofree char *name = g_strconcat ("WFS:", address->url, NULL);

  return GDALOpenEx (name, GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, only, NULL, NULL);
}

static gboolean
has_layer (GDALDatasetH dataset, const char *name)
{
  int n = GDALDatasetGetLayerCount (dataset);

  for (int i = 0; i < n; i++)
    {
      const char *other = OGR_L_GetName (GDALDatasetGetLayer (dataset, i)), *local = strpbrk (other, ":.");

      if (g_str_equal (other, name) || (local != NULL && g_str_equal (local + 1, name)))
        return TRUE;
    }
  return FALSE;
}

static gboolean
check_layers (GDALDatasetH dataset, const UrbMapAddress *address, GError **error)
{
  gboolean has_tables = address->kind != URB_MAP_ADDRESS_WFS;

  for (char **name = address->layers; *name != NULL; name++)
    if (!has_layer (dataset, *name))
      {
        g_autofree char *shown = urb_show_text (*name);
        g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN,
                     has_tables ? N_ ("The server '%s' has no table '%s', or does not show it to this user. Check its name, or "
                                      "leave it out of the address to open all.")
                                : N_ ("The server '%s' has no layer '%s', or does not show it to this user. Check its name, or "
                                      "leave it out of the address to open all."),
                     address->host, shown);
        return FALSE;
      }
  if (GDALDatasetGetLayerCount (dataset) > 0)
    return TRUE;
  g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_EMPTY,
               has_tables ? N_ ("The server '%s' has no tables with shapes at this address, or shows none to this user.")
                          : N_ ("The server '%s' has no layers with shapes at this address, or shows none to this user."),
               address->host);
  return FALSE;
}

void
urb_server_explain (const UrbMapAddress *address, const char *reason, int patience_s, GError **error)
{
  static const struct
  {
    const char *said, *meant;
  } causes[] = {
    { "Could not resolve host", N_ ("there is no server of this name, or no network. Check the address") },
    { "could not translate host name", N_ ("there is no server of this name, or no network. Check the address") },
    { "too slow", NULL },
    { "imed out", NULL },
    { "imeout", NULL },
    { "password authentication failed", N_ ("the user's name or the password is wrong") },
    { "no password supplied", N_ ("it wants a password. State it in the address: user:password@host") },
    { "HTTP error code : 401", N_ ("the user's name or the password is missing or wrong. State them in the address: "
                                   "user:password@host") },
    { "FATAL:  database", N_ ("it has no database of this name, or none for this user. Check the part after the host") },
    { "relation \"", N_ ("it has no table of one of these names, or does not show it to this user. Check the names after "
                         "tables=") },
    { "HTTP error code : 403", N_ ("this user may not read it") },
    { "HTTP error code : 404", N_ ("there is nothing at this address. Check the part after the host") },
    { "file size", N_ ("it sent more than 256 MiB, or for more than 30 minutes. Choose some of its layers, with typeName=") },
    { "Failed to connect", N_ ("no server answers at this host and port. Check the address") },
    { "Couldn't connect", N_ ("no server answers at this host and port. Check the address") },
    { "onnection refused", N_ ("no server answers at this host and port. Check the address") },
    { "Cannot find <WFS_Capabilities>", N_ ("what answers is no Web Feature Service. Check the address") },
    { "Invalid GetCapabilities", N_ ("what answers is no Web Feature Service. Check the address") },
  };
  g_autofree char *late = g_strdup_printf (N_ ("it did not answer for %d s. Try again later, or check the address"), patience_s);

  for (gsize i = 0; reason != NULL && i < G_N_ELEMENTS (causes); i++)
    if (strstr (reason, causes[i].said) != NULL)
      {
        g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN, N_ ("'%s' cannot be opened: %s."), address->shown,
                     causes[i].meant != NULL ? causes[i].meant : late);
        return;
      }
  g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN, N_ ("'%s' cannot be opened%s%s. Check the address."), address->shown,
               reason != NULL ? ": " : "", reason != NULL ? reason : "");
}

UrbGdalDataset
urb_server_open (const UrbMapAddress *address, int patience_s, GError **error)
{
  g_auto(UrbGdalErrors) errors = { 0 };
  g_auto(UrbGdalDataset) dataset = NULL;

  urb_gdal_errors_push (&errors);
  if (GDALGetDriverByName (get_drivers (address)[0]) == NULL)
    {
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN,
                   "'%s' cannot be opened: the GDAL %s of this machine was built without %s.", address->shown,
                   GDALVersionInfo ("RELEASE_NAME"), get_drivers (address)[0]);
      return NULL;
    }
  dataset = address->kind == URB_MAP_ADDRESS_WFS ? open_wfs (address) : open_postgis (address, patience_s);
  if (dataset == NULL)
    urb_server_explain (address, errors.first, patience_s, error);
  return dataset != NULL && check_layers (dataset, address, error) ? g_steal_pointer (&dataset) : NULL;
}
