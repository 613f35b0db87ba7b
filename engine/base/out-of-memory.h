/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out-of-memory.h - a program that ends for want of memory says so.
 *
 * What is large is asked for with g_try_malloc() and fails with a GError.  The
 * rest cannot go on: GLib aborts, C++ libraries throw where nobody catches,
 * just-in-time compilers jump to code that is not there.  People would see
 * "Trace/breakpoint trap"; with this they see what was short.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The exit code of such an end. */
enum { URB_OUT_OF_MEMORY_EXIT_CODE = 4 };

/**
 * urb_out_of_memory_prepare:
 * @program: what the message begins with
 * @command: (nullable): what it goes on with
 *
 * From now on, where memory, threads or descriptors that GLib cannot do without
 * are refused, the process prints one line on stderr and exits with
 * URB_OUT_OF_MEMORY_EXIT_CODE; so it does instead of dying by SIGSEGV, SIGBUS,
 * SIGABRT or SIGTRAP at a moment when hardly any memory can be had.  Any other
 * end is left as it is, and so is a handler that somebody has set already.
 */
void urb_out_of_memory_prepare (const char *program, const char *command);

G_END_DECLS
