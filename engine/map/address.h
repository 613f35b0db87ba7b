/* SPDX-License-Identifier: Apache-2.0 */
/*
 * address.h - the address of a map on a server, as a person types it.
 *
 *   https://host/path?service=WFS&typeName=layer   a Web Feature Service; also WFS:https://host/path
 *   postgresql://user@host/database?tables=a,b     PostGIS; also PG:host=… dbname=… user=…
 *
 * It may contain a password, or a key by any name.  What is shown, stored or logged is @shown, which has none: it has
 * only the server, and the folders and the parts of a query that are known to be harmless, with … for all others and for the user.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  URB_MAP_ADDRESS_WFS,
  URB_MAP_ADDRESS_POSTGIS
} UrbMapAddressKind;

typedef struct
{
  UrbMapAddressKind kind;
  char    *shown;    /* owned; without what may be secret */
  char    *host;     /* owned */
  guint16  port;
  char    *user;     /* (nullable) owned */
  char    *password; /* (nullable) owned */
  char    *url;      /* (nullable) owned; of a WFS, without user and password */
  char    *database, *schemas, *ssl_mode; /* (nullable) owned; of PostGIS */
  char   **layers;   /* owned; those asked for; empty: all */
  char   **secrets;  /* owned; what no text may contain */
} UrbMapAddress;

void           urb_map_address_free  (UrbMapAddress *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbMapAddress, urb_map_address_free)

/* Whether @text is meant as an address, right or wrong, and not as a file, even if there is a file of this name. */
gboolean       urb_map_address_is    (const char *text);
/* Whether somebody may still be typing how an address begins; also an empty text. */
gboolean       urb_map_address_may_become (const char *text);

/* Returns: (transfer full): %NULL with a %URB_MAP_ERROR_OPEN, which does not repeat @text, if it cannot be used */
UrbMapAddress *urb_map_address_parse (const char *text, GError **error);

/* Returns: (transfer full): @text without what may be secret in the address, wherever it is repeated */
char          *urb_map_address_hide  (const UrbMapAddress *self, const char *text);

/* What provenance tells of a source: the file's name, or the address as shown.  (transfer full) */
char          *urb_map_address_dup_source (const char *path);

G_END_DECLS
