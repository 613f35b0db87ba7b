/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.h - what the process that reads maps is asked to do.
 */
#pragma once

#include "map/map.h"
#include "map/stream.h"

G_BEGIN_DECLS

/* Bounds of one reading. */
typedef struct
{
  gint64 n_bytes;      /* of the files */
  gint64 cpu_s;        /* processor time */
  gint64 memory_bytes; /* of the process's data, and of the map that it sends */
} UrbMapLimits;

/* For the files at @paths and those that belong to them, or for a server's @address (nullable). */
UrbMapLimits urb_map_limits_for (const char *const *paths, const char *address);

typedef struct
{
  char        **paths;     /* owned */
  UrbMapOptions options;   /* its members are owned */
  UrbMapLimits  limits;
  char         *scratch;   /* (nullable) owned; a folder for temporary files */
  gint64        parent;    /* process that waits for the answer */
} UrbMapRequest;

void     urb_map_request_clear (UrbMapRequest *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbMapRequest, urb_map_request_clear)

/* Puts the fields; @request borrows its members. */
void     urb_map_request_put (const UrbMapRequest *request, UrbStreamOut *out);
/* Gets them into @request, which owns its members then. */
void     urb_map_request_get (UrbMapRequest *request, UrbStreamIn *in);

/**
 * urb_map_request_list_files:
 *
 * Returns: (transfer full): the paths that reading needs: each file with its siblings of the same name
 *   before the first dot, each folder, and the profiles that are files
 */
char   **urb_map_request_list_files (const UrbMapRequest *self);

G_END_DECLS
