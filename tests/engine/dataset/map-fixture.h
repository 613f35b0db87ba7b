/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-fixture.h - small maps made from nothing, for several tests.
 */
#pragma once

#include "map/map.h"

/* @n star-shaped polygons of all classes, every third with a hole, of 5 to 80 m,
 * within (@x, @y) and @size_m metres to the east and north.  They overlap. */
UrbMap *map_fixture_random (guint32 seed, int n, double x, double y, double size_m);

/* A gap-free town: "other" ground with a road every 60 m and a building in every
 * block but the eastern third, which is empty country. */
UrbMap *map_fixture_town (double x, double y, double width_m, double height_m);

/* The real map of that file below URBARIUM_TEST_DATA, or %NULL and the test is
 * marked as skipped. */
UrbMap *map_fixture_open_real (const char *path);
