/* SPDX-License-Identifier: Apache-2.0 */
/*
 * area-list.c - reports minimal changes, so that views keep their scroll position and focus: only
 * the end of the list while the threshold is dragged; after a decision, the range from the first
 * to the last difference.
 */
#include "app/areas/area-list.h"

struct _UrbariumAreaItem
{
  GObject         parent_instance;
  UrbRankedArea   area;
  UrbariumSearch *search; /* owned */
};

G_DEFINE_FINAL_TYPE (UrbariumAreaItem, urbarium_area_item, G_TYPE_OBJECT)

static void
item_finalize (GObject *object)
{
  g_clear_pointer (&URBARIUM_AREA_ITEM (object)->search, urbarium_search_unref);
  G_OBJECT_CLASS (urbarium_area_item_parent_class)->finalize (object);
}

static void
urbarium_area_item_class_init (UrbariumAreaItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = item_finalize;
}

static void
urbarium_area_item_init (UrbariumAreaItem *self)
{
}

const UrbRankedArea *
urbarium_area_item_get_area (UrbariumAreaItem *self)
{
  return &self->area;
}

const UrbariumSearch *
urbarium_area_item_get_search (UrbariumAreaItem *self)
{
  return self->search;
}

struct _UrbariumAreaList
{
  GObject           parent_instance;
  UrbariumCuration *curation; /* owned */
  UrbariumRanked   *ranked;   /* owned; nullable; its first n areas are listed */
  guint             n;
};

static void list_model_init (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (UrbariumAreaList, urbarium_area_list, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

static GType
get_item_type (GListModel *model)
{
  return URBARIUM_TYPE_AREA_ITEM;
}

static guint
get_n_items (GListModel *model)
{
  return URBARIUM_AREA_LIST (model)->n;
}

static const UrbRankedArea *
area_of (const UrbariumRanked *ranked, guint index)
{
  return &g_array_index (ranked->ranking->areas, UrbRankedArea, index);
}

static gpointer
get_item (GListModel *model, guint position)
{
  UrbariumAreaList *self = URBARIUM_AREA_LIST (model);
  UrbariumAreaItem *item;
  if (position >= self->n)
    return NULL;
  item = g_object_new (URBARIUM_TYPE_AREA_ITEM, NULL);
  item->area = *area_of (self->ranked, position);
  item->search = urbarium_search_ref (self->ranked->search);
  return item;
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

static gboolean
is_same (const UrbRankedArea *a, const UrbRankedArea *b)
{
  return a->id == b->id && a->split == b->split && a->forced == b->forced;
}

static void
choice_changed_cb (UrbariumAreaList *self)
{
  UrbariumRanked *now = urbarium_curation_get_ranked (self->curation);
  g_autoptr(UrbariumRanked) old = g_steal_pointer (&self->ranked);
  guint n_old = self->n, n = (guint) urbarium_curation_get_choice (self->curation).n;
  guint head = 0, tail = 0, n_both = MIN (n_old, n);
  gboolean comparable = old != NULL && now != NULL && old->search == now->search;
  if (comparable && old == now)
    head = n_both;
  while (comparable && head < n_both && is_same (area_of (old, head), area_of (now, head)))
    head++;
  while (comparable && head + tail < n_both
         && is_same (area_of (old, n_old - 1 - tail), area_of (now, n - 1 - tail)))
    tail++;
  self->ranked = now == NULL ? NULL : urbarium_ranked_ref (now);
  self->n = n;
  if (n_old > head + tail || n > head + tail)
    g_list_model_items_changed (G_LIST_MODEL (self), head, n_old - head - tail, n - head - tail);
}

static void
dispose (GObject *object)
{
  UrbariumAreaList *self = URBARIUM_AREA_LIST (object);
  if (self->curation != NULL)
    g_signal_handlers_disconnect_by_data (self->curation, self);
  g_clear_object (&self->curation);
  g_clear_pointer (&self->ranked, urbarium_ranked_unref);
  self->n = 0;
  G_OBJECT_CLASS (urbarium_area_list_parent_class)->dispose (object);
}

static void
urbarium_area_list_class_init (UrbariumAreaListClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = dispose;
}

static void
urbarium_area_list_init (UrbariumAreaList *self)
{
}

UrbariumAreaList *
urbarium_area_list_new (UrbariumCuration *curation)
{
  UrbariumAreaList *self = g_object_new (URBARIUM_TYPE_AREA_LIST, NULL);
  self->curation = g_object_ref (curation);
  g_signal_connect_swapped (curation, "choice-changed", G_CALLBACK (choice_changed_cb), self);
  choice_changed_cb (self);
  return self;
}
