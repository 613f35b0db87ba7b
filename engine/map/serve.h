/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve.h - the process that reads maps.
 */
#pragma once

#include <glib.h>

#include "map/address.h"
#include "map/request.h"

G_BEGIN_DECLS

/* The whole life of the process: reads one request from @in, gives up all rights but those it needs,
 * and answers to @out, with the vertices in @block.  Returns an exit code. */
int urb_map_serve (int in, int out, int block);

/* Two parts of it.  Loads what needs rights, then gives them up.  Returns: (nullable): the address of the server that it
 * may ask, as long as the process lives */
const UrbMapAddress *urb_map_serve_enter (const UrbMapRequest *request);
/* Answers with the map or an error, without the end.  @address: (nullable): of the map's server; @block: -1: the vertices
 * are sent */
void urb_map_serve_read (const UrbMapRequest *request, const UrbMapAddress *address, UrbStreamOut *out, int block);

G_END_DECLS
