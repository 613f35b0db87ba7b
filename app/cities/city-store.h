/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-store.h - the endless list of a seed's cities: a GListModel of UrbariumCity that grows on
 * scrolling.
 */
#pragma once

#include "app/cities/city.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CITY_STORE (urbarium_city_store_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCityStore, urbarium_city_store, URBARIUM, CITY_STORE, GObject)

typedef void (*UrbariumCityStoreFunc) (UrbariumCity *city, gpointer user_data);

/* @created: (nullable): called for each new city */
UrbariumCityStore *urbarium_city_store_new   (UrbariumCityStoreFunc created, gpointer user_data);

/* Replaces the cities by those of @seed, at the initial length. */
void               urbarium_city_store_reset (UrbariumCityStore *self, gint64 seed,
                                              double truncation);
/* Empties the store. */
void               urbarium_city_store_clear (UrbariumCityStore *self);
/* Calls @func for each city created so far. */
void               urbarium_city_store_foreach (UrbariumCityStore *self, UrbariumCityStoreFunc func,
                                                gpointer user_data);
/* Appends cities, up to at least the one at @index (from 1). */
void               urbarium_city_store_grow  (UrbariumCityStore *self, gint64 index);

G_END_DECLS
