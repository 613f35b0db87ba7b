/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve.h - the process that reads maps.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The whole life of the process: reads one request from @in, gives up all rights but those it needs,
 * and answers to @out.  Returns an exit code. */
int urb_map_serve (int in, int out);

G_END_DECLS
