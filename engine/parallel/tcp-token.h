/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcp-token.h - a secret that ranks which are started one by one share.
 *
 * Both ends of a connection prove that they know it without sending it.  What they send afterwards is neither
 * encrypted nor signed.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define URB_TCP_TOKEN_VARIABLE "URBARIUM_TOKEN"

/**
 * urb_tcp_token_load:
 * @file: (nullable): that has it; %NULL: the variable has it
 * @address: of rank 0; with one that only this host reaches, there need be no token
 *
 * Fails with %URB_COMM_ERROR_INVALID if there is none, if others may read the file, or if it could be guessed.
 *
 * Returns: (transfer full): "" for none
 */
char *urb_tcp_token_load (const char *file, const char *address, GError **error);

G_END_DECLS
