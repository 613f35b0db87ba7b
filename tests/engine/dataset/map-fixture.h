/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-fixture.h - small synthetic maps for several tests.
 */
#pragma once

#include "map/map.h"

/* @n star-shaped polygons of all classes, every third with a hole, of 5 to 80 m,
 * within (@x, @y) and @size_m meters to the east and north.  They overlap. */
UrbMap *map_fixture_random (guint32 seed, int n, double x, double y, double size_m);

/* A town without gaps: "other" ground with a road every 60 m and a building in every block, except
 * in the eastern third, which is empty. */
UrbMap *map_fixture_town (double x, double y, double width_m, double height_m);

/* Opens a real map below URBARIUM_TEST_DATA; if missing, returns %NULL and marks the test as skipped. */
UrbMap *map_fixture_open_real (const char *path);

/* A town of @size_m meters at 0, 0, and a house @distance_m to the east and north of it, if not 0. */
UrbMap *map_fixture_town_and_house (double size_m, double distance_m);
