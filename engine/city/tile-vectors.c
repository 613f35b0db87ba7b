/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-vectors.c - see tile-vectors.h.
 */
#include "city/tile-vectors.h"

enum { FINE_PX = 256 };

UrbCityVectors *
urb_city_vectors_from_levels (const guint8 *levels, int size_px, int base_px, int n_channels,
                              double size_m, gboolean keep_specks)
{
  int zoom = size_px < FINE_PX ? FINE_PX / size_px : 1;
  g_autoptr(UrbSoftMap) map
    = urb_soft_map_new_from_levels (levels, size_px, size_px, n_channels, size_m, zoom);
  UrbVectoriseOptions options;

  urb_vectorise_options_init (&options, size_m / base_px);
  if (base_px < size_px) /* sharp walls show a direction, which may still be the wrong one */
    options.buildings.street_pull *= 2;
  if (keep_specks)
    urb_vectorise_options_keep_specks (&options);
  return urb_vectorise (map, &options);
}
