/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/city.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/base/format.h"
#include "app/cities/latent-pad.h"

/* Edge of a gallery image; UrbariumCityView paints larger ones itself. */
enum { PICTURE_PX = 320 };

typedef enum { RASTER, VECTOR, N_KINDS } Kind;

struct _UrbariumCity
{
  GObject       parent_instance;
  gint64        seed, index;
  double        truncation;
  UrbTurn       turn;
  UrbariumShareWish shares;
  int           n_cols, n_rows; /* areas */
  double        share; /* position in a walk; negative: not in a walk */
  gboolean      proposal;
  UrbPlace      place;
  gboolean      favorite;
  guint         n_wants;
  UrbariumTile *tile;      /* (nullable) owned */
  GdkPaintable *pictures[N_KINDS]; /* (nullable) owned */
  gboolean      painting[N_KINDS];
  guint         generation; /* of the tile: images of older tiles are dropped */
  char         *failure;    /* (nullable) owned */
  const char   *checkpoint; /* (nullable) interned; that drew the tile */
};

G_DEFINE_FINAL_TYPE (UrbariumCity, urbarium_city, G_TYPE_OBJECT)

enum
{
  PROP_DRAWN = 1,
  PROP_RASTER,
  PROP_VECTOR,
  PROP_FAVORITE,
  PROP_FAILURE,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

UrbariumCity *
urbarium_city_new (gint64 seed, gint64 index, double truncation)
{
  return urbarium_city_new_between (seed, index, truncation, -1);
}

UrbariumCity *
urbarium_city_new_between (gint64 seed, gint64 index, double truncation, double share)
{
  UrbariumCity *self = g_object_new (URBARIUM_TYPE_CITY, NULL);
  self->seed = seed;
  self->index = index;
  self->truncation = truncation;
  self->share = share;
  return self;
}

UrbariumCity *
urbarium_city_new_proposal (gint64 seed, gint64 index, const UrbPlace *place)
{
  UrbariumCity *self = urbarium_city_new (seed, index, 1);
  self->proposal = TRUE;
  if (place != NULL)
    self->place = *place;
  return self;
}

gboolean
urbarium_city_is_proposal (UrbariumCity *self)
{
  return self->proposal;
}

const UrbPlace *
urbarium_city_get_place (UrbariumCity *self)
{
  return urb_place_is_known (&self->place) ? &self->place : NULL;
}

void
urbarium_city_set_place (UrbariumCity *self, const UrbPlace *place)
{
  self->place = *place;
}

UrbariumCity *
urbarium_city_new_wide (gint64 seed, gint64 index, int n_cols, int n_rows)
{
  UrbariumCity *self = urbarium_city_new (seed, index, 1);
  self->n_cols = n_cols;
  self->n_rows = n_rows;
  return self;
}

UrbariumCity *
urbarium_city_copy (UrbariumCity *self)
{
  UrbariumCity *copy
    = urbarium_city_new_between (self->seed, self->index, self->truncation, self->share);
  copy->n_cols = self->n_cols;
  copy->n_rows = self->n_rows;
  copy->shares = self->shares;
  copy->turn = self->turn;
  copy->proposal = self->proposal;
  copy->place = self->place;
  return copy;
}

void
urbarium_city_set_shares (UrbariumCity *self, const UrbariumShareWish *shares)
{
  g_return_if_fail (self->n_wants == 0);
  self->shares = *shares;
}

const UrbariumShareWish *
urbarium_city_get_shares (UrbariumCity *self)
{
  return &self->shares;
}

void
urbarium_city_set_turn (UrbariumCity *self, const UrbTurn *turn)
{
  g_return_if_fail (self->n_wants == 0);
  self->turn = *turn;
}

const UrbTurn *
urbarium_city_get_turn (UrbariumCity *self)
{
  return &self->turn;
}

gboolean
urbarium_city_is_turned (UrbariumCity *self)
{
  return urb_turn_is_some (&self->turn);
}

int
urbarium_city_get_n_cols (UrbariumCity *self)
{
  return self->n_cols;
}

int
urbarium_city_get_n_rows (UrbariumCity *self)
{
  return self->n_rows;
}

gint64
urbarium_city_get_seed (UrbariumCity *self)
{
  return self->seed;
}

gint64
urbarium_city_get_index (UrbariumCity *self)
{
  return self->index;
}

double
urbarium_city_get_truncation (UrbariumCity *self)
{
  return self->truncation;
}

gboolean
urbarium_city_can_walk (UrbariumCity *self, UrbariumCity *other)
{
  return self->truncation == other->truncation && urbarium_share_wish_equal (&self->shares, &other->shares);
}

gboolean
urbarium_city_is_between (UrbariumCity *self)
{
  return self->share >= 0 || self->proposal;
}

char *
urbarium_city_dup_title (UrbariumCity *self)
{
  g_autofree char *number = urbarium_format_count (self->index);
  if (self->share >= 0)
    {
      g_autofree char *share = urbarium_format_percent (self->share);
      /* translators: a city between two others; %s is how far: 25 % */
      return g_strdup_printf (_ ("%s of the way"), share);
    }
  if (self->proposal)
    /* translators: one of several plans for a site: Proposal 3 */
    return g_strdup_printf (_ ("Proposal %s"), number);
  if (urbarium_city_is_turned (self))
    /* translators: a city that was changed step by step from this one */
    return g_strdup_printf (_ ("Variation of city %s"), number);
  /* translators: name of a generated city: City 12 */
  return g_strdup_printf (_ ("City %s"), number);
}

char *
urbarium_city_dup_turn_text (UrbariumCity *self)
{
  g_autofree char *place = urbarium_latent_pad_dup_place (self->turn.x, self->turn.y);
  g_autofree char *directions = urbarium_format_count (self->turn.directions);
  if (!urbarium_city_is_turned (self))
    return NULL;
  /* translators: where the point of a variation is, "20 % right, 5 % down", and the number of its pair of directions */
  return g_strdup_printf (_ ("%s, directions\u00a0%s"), place, directions);
}

gboolean
urbarium_city_equal (UrbariumCity *self, UrbariumCity *other)
{
  return self->seed == other->seed && self->index == other->index
         && self->proposal == other->proposal && self->n_cols == other->n_cols && self->n_rows == other->n_rows
         && fabs (self->truncation - other->truncation) < 1e-6 && self->share == other->share
         && self->turn.x == other->turn.x && self->turn.y == other->turn.y
         && (!urbarium_city_is_turned (self) || self->turn.directions == other->turn.directions)
         && urbarium_share_wish_equal (&self->shares, &other->shares);
}

/* ------------------------------------------------------------------------ */
/* Images                                                                    */

static void
painted_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  UrbariumCity *self = URBARIUM_CITY (source);
  const UrbariumTilePainting *painting = g_task_get_task_data (G_TASK (result));
  g_autoptr(GdkPaintable) picture = g_task_propagate_pointer (G_TASK (result), NULL);
  Kind kind = painting->part.vectors ? VECTOR : RASTER;
  if (painting->generation != self->generation)
    return;
  self->painting[kind] = FALSE;
  g_set_object (&self->pictures[kind], picture);
  g_object_notify_by_pspec (G_OBJECT (self), props[kind == VECTOR ? PROP_VECTOR : PROP_RASTER]);
}

static GdkPaintable *
get_picture (UrbariumCity *self, Kind kind)
{
  UrbariumTilePart part;
  if (self->pictures[kind] != NULL || self->painting[kind] || self->tile == NULL)
    return self->pictures[kind];
  self->painting[kind] = TRUE;
  urbarium_tile_part_init (&part, self->tile, kind == VECTOR, PICTURE_PX);
  urbarium_tile_paint_async (self->tile, &part, self->generation, self, painted_cb);
  return NULL;
}

GdkPaintable *
urbarium_city_get_raster (UrbariumCity *self)
{
  return get_picture (self, RASTER);
}

GdkPaintable *
urbarium_city_get_vector (UrbariumCity *self)
{
  return get_picture (self, VECTOR);
}

UrbariumTile *
urbarium_city_get_tile (UrbariumCity *self)
{
  return self->tile;
}

void
urbarium_city_set_tile (UrbariumCity *self, UrbariumTile *tile)
{
  self->generation++;
  g_clear_pointer (&self->tile, urbarium_tile_unref);
  self->tile = tile != NULL ? urbarium_tile_ref (tile) : NULL;
  for (int k = 0; k < N_KINDS; k++)
    {
      self->painting[k] = FALSE;
      g_clear_object (&self->pictures[k]);
    }
  if (tile != NULL)
    urbarium_city_set_failure (self, NULL);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_DRAWN]);
}

void
urbarium_city_set_checkpoint (UrbariumCity *self, const char *checkpoint)
{
  self->checkpoint = g_intern_string (checkpoint);
}

const char *
urbarium_city_get_checkpoint (UrbariumCity *self)
{
  return self->checkpoint;
}

const char *
urbarium_city_get_failure (UrbariumCity *self)
{
  return self->failure;
}

void
urbarium_city_set_failure (UrbariumCity *self, const char *text)
{
  if (g_strcmp0 (self->failure, text) == 0)
    return;
  g_free (self->failure);
  self->failure = g_strdup (text);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_FAILURE]);
}

gboolean
urbarium_city_get_favorite (UrbariumCity *self)
{
  return self->favorite;
}

void
urbarium_city_set_favorite (UrbariumCity *self, gboolean favorite)
{
  if (self->favorite == favorite)
    return;
  self->favorite = favorite;
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_FAVORITE]);
}

guint
urbarium_city_add_want (UrbariumCity *self, int change)
{
  g_return_val_if_fail ((int) self->n_wants + change >= 0, 0);
  self->n_wants = (guint) ((int) self->n_wants + change);
  return self->n_wants;
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  UrbariumCity *self = URBARIUM_CITY (object);
  switch (id)
    {
    case PROP_DRAWN: g_value_set_boolean (value, self->tile != NULL); break;
    case PROP_RASTER: g_value_set_object (value, get_picture (self, RASTER)); break;
    case PROP_VECTOR: g_value_set_object (value, get_picture (self, VECTOR)); break;
    case PROP_FAVORITE: g_value_set_boolean (value, self->favorite); break;
    case PROP_FAILURE: g_value_set_string (value, self->failure); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
finalize (GObject *object)
{
  UrbariumCity *self = URBARIUM_CITY (object);
  g_clear_pointer (&self->tile, urbarium_tile_unref);
  for (int k = 0; k < N_KINDS; k++)
    g_clear_object (&self->pictures[k]);
  g_free (self->failure);
  G_OBJECT_CLASS (urbarium_city_parent_class)->finalize (object);
}

static void
urbarium_city_class_init (UrbariumCityClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags read = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  props[PROP_DRAWN] = g_param_spec_boolean ("drawn", NULL, NULL, FALSE, read);
  props[PROP_RASTER] = g_param_spec_object ("raster", NULL, NULL, GDK_TYPE_PAINTABLE, read);
  props[PROP_VECTOR] = g_param_spec_object ("vector", NULL, NULL, GDK_TYPE_PAINTABLE, read);
  props[PROP_FAVORITE] = g_param_spec_boolean ("favorite", NULL, NULL, FALSE, read);
  props[PROP_FAILURE] = g_param_spec_string ("failure", NULL, NULL, NULL, read);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
urbarium_city_init (UrbariumCity *self)
{
  self->share = -1;
  self->shares = URBARIUM_SHARES_AS_IN_MAP;
  self->n_cols = self->n_rows = 1;
}
