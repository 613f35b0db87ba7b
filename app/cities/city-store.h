/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-store.h - all cities of a seed, without an end: a GListModel of
 * UrbariumCity that grows as one scrolls.
 */
#pragma once

#include "app/cities/city.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CITY_STORE (urbarium_city_store_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCityStore, urbarium_city_store, URBARIUM, CITY_STORE, GObject)

/* Tells whoever made the store of a new city: is it a favourite? */
typedef void (*UrbariumCityStoreFunc) (UrbariumCity *city, gpointer user_data);

/* @made: (nullable): called for each city when it is made */
UrbariumCityStore *urbarium_city_store_new   (UrbariumCityStoreFunc made, gpointer user_data);

/* Other cities: those of @seed.  The store is as long as it was at first. */
void               urbarium_city_store_reset (UrbariumCityStore *self, gint64 seed,
                                              double truncation);
/* None: no checkpoint is open. */
void               urbarium_city_store_clear (UrbariumCityStore *self);
/* Calls @func for each city that was made so far. */
void               urbarium_city_store_foreach (UrbariumCityStore *self, UrbariumCityStoreFunc func,
                                                gpointer user_data);
/* Some more at the end; the city of that number is there then. */
void               urbarium_city_store_grow  (UrbariumCityStore *self, gint64 index);

G_END_DECLS
