/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curl.h - the program curl, which knows proxies and certificates of the machine.
 *
 * Arguments can be read by every user, so it reads its options, with address and passwords, from standard input.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The command, %NULL-terminated. */
extern const char *const urb_curl_argv[];

/* Of all calls: the address, of HTTP or HTTPS alone, and errors in words on standard error. (transfer full) */
GString *urb_curl_options_new (const char *url);
/* @value: of any bytes but 0 */
void     urb_curl_add_option  (GString *options, const char *name, const char *value);

G_END_DECLS
