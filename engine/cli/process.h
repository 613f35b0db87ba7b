/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - process setup shared by the programs in this folder.
 */
#pragma once

#include <glib.h>

/* Limits the spinning of OpenMP threads, and sets the user's locale, but with decimal points.
 * A program that @computes is executed again with the same @argv if needed. */
void urb_cli_prepare_process (char **argv, gboolean computes);
