/* SPDX-License-Identifier: Apache-2.0 */
/*
 * maps.h - the commands that write maps: sample, generate, vectorize and verify.
 *
 * GDAL depends on about a hundred shared libraries.  Loading them took 90 of the 100 ms until main (),
 * longer than the first step of training, which starts several processes and needs no maps.  So these
 * commands are in a separate program, urbarium-engine-maps, which urbarium-engine executes
 * (maps-elsewhere.c); in builds without GDAL they are part of urbarium-engine (maps.c).
 */
#pragma once

/* @argv: the command's name, then its options.
 * Returns: the exit code; does not return if it executes the other program */
int urb_cli_maps (int argc, char **argv);
