/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stand-in.h - cities without a generator: some lines of shell stand in for the
 * engine, open whatever they are asked to and draw every city alike; and a small
 * dataset that was written by hand.
 */
#pragma once

#include "app/cities/city-source.h"

G_BEGIN_DECLS

enum { STAND_IN_AREAS = 3 };

/* Makes a folder of the test's own. */
void        stand_in_set_up    (void);
void        stand_in_tear_down (void);
const char *stand_in_folder    (void);
/* Its areas are stand_in_tile() of 0, 1 and 2, all to be learned from. */
const char *stand_in_dataset   (void);

/* A building on a plain, the larger the higher its @kind, and a road from 1 on. (transfer full) */
UrbariumTile *stand_in_tile (int kind);
/* (transfer full): drawn, without a source */
UrbariumCity *stand_in_city (gint64 index, int kind);

/* Waits until it is open.  @name: of a checkpoint, which need not be there; it has learned from the
 * dataset, but from nothing if the name has "orphan" in it. */
void stand_in_open (UrbariumCitySource *source, const char *name);

G_END_DECLS
