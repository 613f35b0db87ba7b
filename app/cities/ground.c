/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/ground.h"

struct _UrbariumGround
{
  GObject            parent_instance;
  UrbMap            *map;   /* (nullable) owned */
  GStrv              paths; /* (nullable) owned; of the map */
  UrbariumGroundFunc find_areas;
  gpointer           data;
  guint              n_holders; /* of the areas */
  gboolean           has_last;
  UrbariumPlacement  last;
};

G_DEFINE_FINAL_TYPE (UrbariumGround, urbarium_ground, G_TYPE_OBJECT)

enum { MAP_CHANGED, AREAS_CHANGED, AREAS_RELEASED, N_SIGNALS };

static guint signals[N_SIGNALS];

UrbariumGround *
urbarium_ground_new (UrbariumGroundFunc find_areas, gpointer data)
{
  UrbariumGround *self = g_object_new (URBARIUM_TYPE_GROUND, NULL);
  self->find_areas = find_areas;
  self->data = data;
  return self;
}

/* Whether @map was read from the same files, in the same coordinates. */
static gboolean
is_same_map (UrbariumGround *self, UrbMap *map, const char *const *paths)
{
  return self->map != NULL && map != NULL && g_strv_equal (paths, (const char *const *) self->paths)
         && g_str_equal (urb_map_get_crs_wkt (map), urb_map_get_crs_wkt (self->map));
}

void
urbarium_ground_set_map (UrbariumGround *self, UrbMap *map, const char *const *paths)
{
  if (self->map == map)
    return;
  self->has_last = self->has_last && is_same_map (self, map, paths);
  g_clear_pointer (&self->map, urb_map_unref);
  self->map = map != NULL ? urb_map_ref (map) : NULL;
  g_strfreev (self->paths);
  self->paths = g_strdupv ((GStrv) paths);
  g_signal_emit (self, signals[MAP_CHANGED], 0);
}

UrbMap *
urbarium_ground_get_map (UrbariumGround *self)
{
  return self->map;
}

GArray *
urbarium_ground_find_areas (UrbariumGround *self)
{
  return self->map != NULL ? self->find_areas (self->data) : g_array_new (FALSE, FALSE, sizeof (UrbSquare));
}

void
urbarium_ground_hold_areas (UrbariumGround *self)
{
  self->n_holders++;
}

void
urbarium_ground_release_areas (UrbariumGround *self)
{
  self->n_holders--;
  if (self->n_holders == 0)
    g_signal_emit (self, signals[AREAS_RELEASED], 0);
}

void
urbarium_ground_change_areas (UrbariumGround *self)
{
  g_signal_emit (self, signals[AREAS_CHANGED], 0);
}

void
urbarium_ground_set_last (UrbariumGround *self, const UrbariumPlacement *placement)
{
  self->has_last = TRUE;
  self->last = *placement;
}

const UrbariumPlacement *
urbarium_ground_get_last (UrbariumGround *self)
{
  return self->has_last ? &self->last : NULL;
}

static void
finalize (GObject *object)
{
  UrbariumGround *self = URBARIUM_GROUND (object);
  g_clear_pointer (&self->map, urb_map_unref);
  g_strfreev (self->paths);
  G_OBJECT_CLASS (urbarium_ground_parent_class)->finalize (object);
}

static void
urbarium_ground_class_init (UrbariumGroundClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);
  G_OBJECT_CLASS (klass)->finalize = finalize;
  signals[MAP_CHANGED] = g_signal_new ("map-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[AREAS_CHANGED] = g_signal_new ("areas-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[AREAS_RELEASED] = g_signal_new ("areas-released", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                          0);
}

static void
urbarium_ground_init (UrbariumGround *self)
{
}
