/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/shares.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

const char *const urbarium_share_keys[URBARIUM_N_SHARES] = { "built", "roads", "halls" };
const char *const urbarium_share_titles[URBARIUM_N_SHARES] = { N_ ("Built"), N_ ("Roads"),
                                                               N_ ("Large buildings") };

struct _UrbariumShares
{
  GObject            parent_instance;
  gboolean           there;
  UrbariumShareRange ranges[URBARIUM_N_SHARES]; /* if there */
  UrbariumShareWish  wish;
};

G_DEFINE_FINAL_TYPE (UrbariumShares, urbarium_shares, G_TYPE_OBJECT)

enum
{
  PROP_THERE = 1,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

enum { CHANGED, RANGES_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

gboolean
urbarium_share_wish_equal (const UrbariumShareWish *a, const UrbariumShareWish *b)
{
  const double same = 1e-4; /* favorites are saved with four digits */
  for (int i = 0; i < URBARIUM_N_SHARES; i++)
    if (fabs (MAX (a->share[i], -1) - MAX (b->share[i], -1)) > same)
      return FALSE;
  return TRUE;
}

gboolean
urbarium_share_wish_is_given (const UrbariumShareWish *self)
{
  return !urbarium_share_wish_equal (self, &URBARIUM_SHARES_AS_IN_MAP);
}

const UrbariumShareRange *
urbarium_shares_get_ranges (UrbariumShares *self)
{
  return self->there ? self->ranges : NULL;
}

const UrbariumShareWish *
urbarium_shares_get_wish (UrbariumShares *self)
{
  return &self->wish;
}

void
urbarium_shares_set_wishes (UrbariumShares *self, const UrbariumShareWish *wish)
{
  UrbariumShareWish within = URBARIUM_SHARES_AS_IN_MAP;
  g_return_if_fail (URBARIUM_IS_SHARES (self));
  for (int i = 0; i < URBARIUM_N_SHARES && self->there; i++)
    if (wish->share[i] >= 0)
      within.share[i] = CLAMP (wish->share[i], self->ranges[i].low, self->ranges[i].high);
  if (urbarium_share_wish_equal (&self->wish, &within))
    return;
  self->wish = within;
  g_signal_emit (self, signals[CHANGED], 0);
}

void
urbarium_shares_set_wish (UrbariumShares *self, UrbariumShare share, double value)
{
  UrbariumShareWish wish;
  g_return_if_fail (URBARIUM_IS_SHARES (self) && self->there);
  wish = self->wish;
  wish.share[share] = value;
  urbarium_shares_set_wishes (self, &wish);
}

void
urbarium_shares_set_ranges (UrbariumShares *self, const UrbariumShareRange *ranges)
{
  UrbariumShareWish wish;
  g_return_if_fail (URBARIUM_IS_SHARES (self));
  wish = self->wish;
  self->there = ranges != NULL;
  if (ranges != NULL)
    memcpy (self->ranges, ranges, sizeof self->ranges);
  g_signal_emit (self, signals[RANGES_CHANGED], 0);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_THERE]);
  urbarium_shares_set_wishes (self, &wish);
}

UrbariumShares *
urbarium_shares_new (void)
{
  return g_object_new (URBARIUM_TYPE_SHARES, NULL);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_THERE)
    g_value_set_boolean (value, URBARIUM_SHARES (object)->there);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
urbarium_shares_class_init (UrbariumSharesClass *klass)
{
  G_OBJECT_CLASS (klass)->get_property = get_property;
  props[PROP_THERE] = g_param_spec_boolean ("there", NULL, NULL, FALSE,
                                            G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, props);
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  signals[RANGES_CHANGED] = g_signal_new ("ranges-changed", G_TYPE_FROM_CLASS (klass),
                                          G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
urbarium_shares_init (UrbariumShares *self)
{
  self->wish = URBARIUM_SHARES_AS_IN_MAP;
}
