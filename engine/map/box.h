/* SPDX-License-Identifier: Apache-2.0 */
/*
 * box.h - a rectangle along the axes.
 */
#pragma once

#include <glib.h>
#include <math.h>

G_BEGIN_DECLS

typedef struct
{
  double min_x, min_y, max_x, max_y; /* meters */
} UrbBox;

/* Becomes any box or point that is added to it. */
#define URB_BOX_EMPTY ((UrbBox){ INFINITY, INFINITY, -INFINITY, -INFINITY })

static inline void
urb_box_add (UrbBox *self, UrbBox other)
{
  self->min_x = MIN (self->min_x, other.min_x);
  self->min_y = MIN (self->min_y, other.min_y);
  self->max_x = MAX (self->max_x, other.max_x);
  self->max_y = MAX (self->max_y, other.max_y);
}

static inline void
urb_box_add_point (UrbBox *self, double x, double y)
{
  urb_box_add (self, (UrbBox){ x, y, x, y });
}

/* What both have in common; max < min if nothing. */
static inline UrbBox
urb_box_intersect (UrbBox self, UrbBox other)
{
  return (UrbBox){ MAX (self.min_x, other.min_x), MAX (self.min_y, other.min_y),
                   MIN (self.max_x, other.max_x), MIN (self.max_y, other.max_y) };
}

/* With @margin added on each side. */
static inline UrbBox
urb_box_widen (UrbBox self, double margin)
{
  return (UrbBox){ self.min_x - margin, self.min_y - margin, self.max_x + margin,
                   self.max_y + margin };
}

/* Whether all of @other is inside, edges included. */
static inline gboolean
urb_box_contains (UrbBox self, UrbBox other)
{
  return other.min_x >= self.min_x && other.max_x <= self.max_x && other.min_y >= self.min_y
         && other.max_y <= self.max_y;
}

static inline gboolean
urb_box_contains_point (UrbBox self, double x, double y)
{
  return urb_box_contains (self, (UrbBox){ x, y, x, y });
}

/* Whether they have a point in common, edges included. */
static inline gboolean
urb_box_meets (UrbBox self, UrbBox other)
{
  return self.min_x <= other.max_x && self.max_x >= other.min_x && self.min_y <= other.max_y
         && self.max_y >= other.min_y;
}

G_END_DECLS
