/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/reversed-list.h"

struct _UrbariumReversedList
{
  GObject     parent_instance;
  GListModel *list; /* owned */
};

static GType
get_item_type (GListModel *model)
{
  return g_list_model_get_item_type (URBARIUM_REVERSED_LIST (model)->list);
}

static guint
get_n_items (GListModel *model)
{
  return g_list_model_get_n_items (URBARIUM_REVERSED_LIST (model)->list);
}

static gpointer
get_item (GListModel *model, guint position)
{
  GListModel *list = URBARIUM_REVERSED_LIST (model)->list;
  guint n = g_list_model_get_n_items (list);
  return position >= n ? NULL : g_list_model_get_item (list, n - 1 - position);
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (UrbariumReversedList, urbarium_reversed_list, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

static void
items_changed_cb (UrbariumReversedList *self, guint position, guint n_removed, guint n_added)
{
  guint n = g_list_model_get_n_items (self->list);
  g_list_model_items_changed (G_LIST_MODEL (self), n - position - n_added, n_removed, n_added);
}

static void
finalize (GObject *object)
{
  g_clear_object (&URBARIUM_REVERSED_LIST (object)->list);
  G_OBJECT_CLASS (urbarium_reversed_list_parent_class)->finalize (object);
}

static void
urbarium_reversed_list_class_init (UrbariumReversedListClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
urbarium_reversed_list_init (UrbariumReversedList *self)
{
}

UrbariumReversedList *
urbarium_reversed_list_new (GListModel *list)
{
  UrbariumReversedList *self = g_object_new (URBARIUM_TYPE_REVERSED_LIST, NULL);
  self->list = g_object_ref (list);
  g_signal_connect_object (list, "items-changed", G_CALLBACK (items_changed_cb), self,
                           G_CONNECT_SWAPPED);
  return self;
}
