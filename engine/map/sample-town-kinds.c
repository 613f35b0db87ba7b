/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-town-kinds.c - names and classes of the sample town's polygons.
 */
#include "map/sample-town.h"

static const struct
{
  const char *name;
  UrbClass    class_;
} kinds[URB_N_TOWN_KINDS] = {
  [URB_TOWN_HOUSE] = { "house", URB_CLASS_BUILDING },
  [URB_TOWN_ROW_HOUSES] = { "row_houses", URB_CLASS_BUILDING },
  [URB_TOWN_APARTMENTS] = { "apartments", URB_CLASS_BUILDING },
  [URB_TOWN_TOWN_HOUSE] = { "town_house", URB_CLASS_BUILDING },
  [URB_TOWN_ANNEX] = { "annex", URB_CLASS_BUILDING },
  [URB_TOWN_GARAGE] = { "garage", URB_CLASS_BUILDING },
  [URB_TOWN_HALL] = { "hall", URB_CLASS_BUILDING },
  [URB_TOWN_CHURCH] = { "church", URB_CLASS_BUILDING },
  [URB_TOWN_SCHOOL] = { "school", URB_CLASS_BUILDING },
  [URB_TOWN_BARN] = { "barn", URB_CLASS_BUILDING },
  [URB_TOWN_STREET] = { "street", URB_CLASS_ROAD },
  [URB_TOWN_LANE] = { "lane", URB_CLASS_ROAD },
  [URB_TOWN_PATH] = { "path", URB_CLASS_ROAD },
  [URB_TOWN_SQUARE] = { "square", URB_CLASS_ROAD },
  [URB_TOWN_GARDEN] = { "garden", URB_CLASS_OTHER },
  [URB_TOWN_COURTYARD] = { "courtyard", URB_CLASS_OTHER },
  [URB_TOWN_YARD] = { "yard", URB_CLASS_OTHER },
  [URB_TOWN_GREEN] = { "green", URB_CLASS_OTHER },
  [URB_TOWN_PARK] = { "park", URB_CLASS_OTHER },
  [URB_TOWN_SPORTS] = { "sports", URB_CLASS_OTHER },
  [URB_TOWN_FIELD] = { "field", URB_CLASS_OTHER },
  [URB_TOWN_WOOD] = { "wood", URB_CLASS_OTHER },
  [URB_TOWN_RIVER] = { "river", URB_CLASS_OTHER },
  [URB_TOWN_POND] = { "pond", URB_CLASS_OTHER },
  [URB_TOWN_RAILWAY] = { "railway", URB_CLASS_OTHER },
};

const char *
urb_town_kind_get_name (UrbTownKind kind)
{
  g_return_val_if_fail ((guint) kind < URB_N_TOWN_KINDS, "other");
  return kinds[kind].name;
}

UrbClass
urb_town_kind_get_class (UrbTownKind kind)
{
  g_return_val_if_fail ((guint) kind < URB_N_TOWN_KINDS, URB_CLASS_OTHER);
  return kinds[kind].class_;
}
