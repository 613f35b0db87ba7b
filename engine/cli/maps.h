/* SPDX-License-Identifier: Apache-2.0 */
/*
 * maps.h - the commands that read or write maps: sample, inspect, curate, generate and vectorize.
 *
 * GDAL comes with about a hundred shared libraries, whose loading takes longer than training's first
 * step: 90 ms of 100 that a process of this program took to come to its main ().  Training starts several of
 * them, and needs no map.  So the commands that do are a program of their own, urbarium-engine-maps, which
 * urbarium-engine becomes (maps-elsewhere.c); without GDAL they are part of it (maps.c).
 */
#pragma once

/* @argv: the command's name, then its options.
 * Returns: its exit code; if at all */
int urb_cli_maps (int argc, char **argv);
