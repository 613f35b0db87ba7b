/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox.h - gives up what a process does not need before it reads untrusted data.
 *
 * Three layers, each of which a kernel or a container may lack; the others hold without it.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  URB_SANDBOX_FILES = 1 << 0,   /* Landlock: only the given files */
  URB_SANDBOX_CALLS = 1 << 1,   /* seccomp: no sockets, programs or other processes */
  URB_SANDBOX_NETWORK = 1 << 2, /* a network namespace of its own, without interfaces */
  URB_SANDBOX_ALL = 7
} UrbSandboxLayers;

/* Which layers this kernel offers to this process, which is not changed. */
UrbSandboxLayers urb_sandbox_probe (void);

/* In words, such as "Landlock, seccomp"; "none".  (transfer full) */
char *urb_sandbox_describe (UrbSandboxLayers layers);

/**
 * urb_sandbox_enter:
 * @readable: (array zero-terminated=1): files, and folders with all that is in them, that stay
 *   readable besides the system's libraries and data; those that do not exist are skipped
 * @writable: (nullable): a folder in which files can be created
 * @ports: (nullable): %NULL for no network at all; else, ending with 0, the TCP ports of servers that it may
 *   connect to, which needs the network's names and certificates to be readable, too.  Kernels before 6.7 do not
 *   restrict ports
 *
 * For the rest of the process's life.  Call it before a second thread starts.  Without Landlock, all
 * files stay readable, but none can be written, not even in @writable.
 *
 * Returns: the layers that hold now
 */
UrbSandboxLayers urb_sandbox_enter (const char *const *readable, const char *writable,
                                    const guint16 *ports);

G_END_DECLS
