/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out-of-memory.h - reports it when a program ends for lack of memory.
 *
 * Large blocks are allocated with g_try_malloc() and fail with a GError.  The rest
 * cannot continue: GLib aborts, C++ libraries throw exceptions that nobody catches, and
 * just-in-time compilers jump to code that does not exist.  Instead of "Trace/breakpoint
 * trap", users then see what was missing.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The exit code in that case. */
enum { URB_OUT_OF_MEMORY_EXIT_CODE = 4 };

/**
 * urb_out_of_memory_prepare:
 * @program: first word of the message
 * @command: (nullable): second word of the message
 *
 * From now on, when GLib is refused memory, threads or descriptors that it needs, the
 * process prints one line to stderr and exits with URB_OUT_OF_MEMORY_EXIT_CODE.  It does
 * the same instead of dying by SIGSEGV, SIGBUS, SIGABRT or SIGTRAP when almost no memory
 * is available.  Other exits, and handlers already installed, are left unchanged.
 */
void urb_out_of_memory_prepare (const char *program, const char *command);

G_END_DECLS
