/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network.h - gives up the network, for a process and those that it starts.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Prepared before fork(), since the child may not allocate. */
typedef struct
{
  char uid_map[32], gid_map[32];
} UrbLoopback;

/* A network namespace without interfaces.  FALSE if the kernel grants none; nothing changes then. */
gboolean urb_network_leave          (void);
/* Whether urb_network_leave() would work. */
gboolean urb_network_can_leave      (void);

void     urb_loopback_init          (UrbLoopback *self);
/* A network namespace in which there is loopback alone: what listens there can be reached only by those
 * that are in it, too.  Users stay who they are.  Between fork() and exec(); after FALSE, exit. */
gboolean urb_loopback_enter         (const UrbLoopback *self);
/* Whether urb_loopback_enter() would work in a child of this process. */
gboolean urb_loopback_is_available  (void);

G_END_DECLS
