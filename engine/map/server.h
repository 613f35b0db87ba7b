/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.h - opens a map on a server (address.h), in the process that reads maps.
 */
#pragma once

#include "map/ogr-private.h"

G_BEGIN_DECLS

/* Instead of urb_register_drivers(): drivers for such a server, and for the format of its answers.  Transfers go to
 * this server alone.  @address: must live as long as the process; @patience_s: how long it may be silent */
void           urb_server_register  (const UrbMapAddress *address, int patience_s);

/* Ends with 0: the ports that the process needs.  (transfer full) */
guint16       *urb_server_dup_ports (const UrbMapAddress *address);

/* Says what is wrong at the server, or what to do.  @reason: (nullable): GDAL's or libpq's words for it */
void           urb_server_explain   (const UrbMapAddress *address, const char *reason, int patience_s,
                                     GError **error);

/* Returns: %NULL with a %URB_MAP_ERROR that says what the server lacks */
UrbGdalDataset urb_server_open      (const UrbMapAddress *address, int patience_s, GError **error);

G_END_DECLS
