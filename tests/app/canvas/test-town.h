/* SPDX-License-Identifier: Apache-2.0 */
/* test-town.h - a map for the tests of the canvas. */
#pragma once

#include "map/map.h"

/* (n, n) blocks of 100 m, each with a ground of 90 m and a house of 40 m in its center with a court
 * of 10 m, on a road as large as the town; its lower left corner is at (@x0, @y0). */
UrbMap *test_town_new (int n, double x0, double y0);
