/* SPDX-License-Identifier: Apache-2.0 */
/* area-list.h - list model of the chosen areas; items are created on request. */
#pragma once

#include "app/areas/curation.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_AREA_ITEM (urbarium_area_item_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumAreaItem, urbarium_area_item, URBARIUM, AREA_ITEM, GObject)

const UrbRankedArea *urbarium_area_item_get_area   (UrbariumAreaItem *self);
/* The search in which the area is a candidate; only to compare pointers. */
const UrbariumSearch *urbarium_area_item_get_search (UrbariumAreaItem *self);

#define URBARIUM_TYPE_AREA_LIST (urbarium_area_list_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumAreaList, urbarium_area_list, URBARIUM, AREA_LIST, GObject)

/* A GListModel of UrbariumAreaItem, best first, that follows the curation. */
UrbariumAreaList *urbarium_area_list_new (UrbariumCuration *curation);

G_END_DECLS
