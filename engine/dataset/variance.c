/* SPDX-License-Identifier: Apache-2.0 */
/*
 * variance.c - the variance of an area, a measure of its visual content.
 */
#include "dataset/variance.h"

#include "map/map.h"

double
urb_variance_from_shares (UrbEncoding encoding, const double share[3])
{
  double variance = 0;

  if (encoding == URB_ENCODING_GREY)
    {
      double building = share[URB_CLASS_BUILDING], rest = 1 - building - share[URB_CLASS_ROAD];
      double mean = building + 0.5 * rest, mean_square = building + 0.25 * rest;

      variance = 4 * (mean_square - mean * mean);
    }
  else
    {
      for (int c = 0; c < 3; c++)
        variance += 4 * share[c] * (1 - share[c]);
      variance /= 3;
    }
  return CLAMP (variance, 0, 1); /* against rounding */
}
