/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reversed-list.h - a list model in reverse order.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_REVERSED_LIST (urbarium_reversed_list_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumReversedList, urbarium_reversed_list, URBARIUM, REVERSED_LIST,
                      GObject)

UrbariumReversedList *urbarium_reversed_list_new (GListModel *list);

G_END_DECLS
