/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - what a program of this folder does before all else.
 */
#pragma once

/* Threads that spin no longer than they should, the user's language, and numbers with a point.  May
 * start this program once more with the same @argv. */
void urb_cli_prepare_process (char **argv);
