/* SPDX-License-Identifier: Apache-2.0 */
/*
 * variance.c - how much there is to see in an area.
 */
#include "dataset/variance.h"

#include "map/map.h"

static double
rgb_variance (const double share[3])
{
  double sum = 0;

  for (int c = 0; c < 3; c++)
    sum += 4 * share[c] * (1 - share[c]);
  return sum / 3;
}

static double
grey_variance (const double share[3])
{
  double building = share[URB_CLASS_BUILDING], road = share[URB_CLASS_ROAD];
  double rest = 1 - building - road;
  double mean = building + 0.5 * rest;
  double mean_square = building + 0.25 * rest;

  return 4 * (mean_square - mean * mean);
}

double
urb_variance_from_shares (UrbEncoding encoding, const double share[3])
{
  double variance = encoding == URB_ENCODING_GREY ? grey_variance (share) : rgb_variance (share);

  return CLAMP (variance, 0, 1); /* against rounding */
}
