/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/city-store.h"

/* A multiple of 2, 3, 4, 5 and 6, which fills all rows. */
enum { STEP = 120, MAX_CITIES = 1000000 };

struct _UrbariumCityStore
{
  GObject               parent_instance;
  UrbariumCityStoreFunc created;
  gpointer              user_data;
  gint64                seed;
  double                truncation;
  GPtrArray            *cities; /* UrbariumCity, owned; created on demand, NULL until then */
};

static void list_model_init (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (UrbariumCityStore, urbarium_city_store, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

static GType
get_item_type (GListModel *model)
{
  return URBARIUM_TYPE_CITY;
}

static guint
get_n_items (GListModel *model)
{
  return URBARIUM_CITY_STORE (model)->cities->len;
}

static gpointer
get_item (GListModel *model, guint position)
{
  UrbariumCityStore *self = URBARIUM_CITY_STORE (model);
  gpointer *slot;
  if (position >= self->cities->len)
    return NULL;
  slot = &self->cities->pdata[position];
  if (*slot == NULL)
    {
      *slot = urbarium_city_new (self->seed, (gint64) position + 1, self->truncation);
      if (self->created != NULL)
        self->created (*slot, self->user_data);
    }
  return g_object_ref (*slot);
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

static void
free_city (gpointer city)
{
  if (city != NULL)
    g_object_unref (city);
}

static void
replace (UrbariumCityStore *self, guint n)
{
  guint n_before = self->cities->len;
  g_autoptr(GPtrArray) before = g_steal_pointer (&self->cities);
  self->cities = g_ptr_array_new_with_free_func (free_city);
  g_ptr_array_set_size (self->cities, (int) n);
  g_list_model_items_changed (G_LIST_MODEL (self), 0, n_before, n);
}

void
urbarium_city_store_reset (UrbariumCityStore *self, gint64 seed, double truncation)
{
  g_return_if_fail (URBARIUM_IS_CITY_STORE (self));
  self->seed = seed;
  self->truncation = truncation;
  replace (self, STEP);
}

void
urbarium_city_store_clear (UrbariumCityStore *self)
{
  g_return_if_fail (URBARIUM_IS_CITY_STORE (self));
  replace (self, 0);
}

void
urbarium_city_store_foreach (UrbariumCityStore *self, UrbariumCityStoreFunc func,
                             gpointer user_data)
{
  g_return_if_fail (URBARIUM_IS_CITY_STORE (self));
  for (guint i = 0; i < self->cities->len; i++)
    if (self->cities->pdata[i] != NULL)
      func (self->cities->pdata[i], user_data);
}

void
urbarium_city_store_grow (UrbariumCityStore *self, gint64 index)
{
  guint n_before = self->cities->len;
  gint64 n = MAX ((gint64) n_before + STEP, index);
  g_return_if_fail (URBARIUM_IS_CITY_STORE (self));
  if (n > MAX_CITIES)
    return;
  g_ptr_array_set_size (self->cities, (int) n);
  g_list_model_items_changed (G_LIST_MODEL (self), n_before, 0, (guint) n - n_before);
}

UrbariumCityStore *
urbarium_city_store_new (UrbariumCityStoreFunc created, gpointer user_data)
{
  UrbariumCityStore *self = g_object_new (URBARIUM_TYPE_CITY_STORE, NULL);
  self->created = created;
  self->user_data = user_data;
  return self;
}

static void
finalize (GObject *object)
{
  g_ptr_array_unref (URBARIUM_CITY_STORE (object)->cities);
  G_OBJECT_CLASS (urbarium_city_store_parent_class)->finalize (object);
}

static void
urbarium_city_store_class_init (UrbariumCityStoreClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
urbarium_city_store_init (UrbariumCityStore *self)
{
  self->cities = g_ptr_array_new_with_free_func (free_city);
}
