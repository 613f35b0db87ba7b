/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stand-in.h - cities without a generator: a shell script replaces the engine, opens any checkpoint
 * and draws identical cities; and a small handmade dataset.
 */
#pragma once

#include "app/cities/city-source.h"

G_BEGIN_DECLS

enum { STAND_IN_AREAS = 3 };

/* Creates the test's own folder. */
void        stand_in_set_up    (void);
void        stand_in_tear_down (void);
const char *stand_in_folder    (void);
/* Its areas are stand_in_tile() of 0, 1 and 2, all for training. */
const char *stand_in_dataset   (void);

/* A building whose size grows with @kind, from kind 3 on rows of houses, and a road from kind 1 on.
 * (transfer full) */
UrbariumTile *stand_in_tile (int kind);
/* (transfer full): a drawn city without a source */
UrbariumCity *stand_in_city (gint64 index, int kind);

/* Opens a checkpoint and waits. @name: need not exist; the checkpoint names the dataset, unless the
 * name contains "orphan"; it has shares, from 5 to 45 %, mean 20 %, if the name contains "dense". */
void stand_in_open (UrbariumCitySource *source, const char *name);

G_END_DECLS
