/* SPDX-License-Identifier: Apache-2.0 */
/*
 * square.c - areas as squares in the plane: corners, overlaps, boxes.
 */
#include "dataset/square.h"

#include <math.h>

/* Coordinates of millions of meters are exact to nanometers; squares that overlap by
 * less than this only touch. */
#define TOUCH_M 1e-6

/* Each clip at most doubles the vertices, even with rounding errors. */
#define MAX_CLIPPED (4 * 2 * 2 * 2 * 2)

void
urb_square_get_corners (const UrbSquare *self, double corners[4][2])
{
  static const int sign[4][2] = { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } };
  double angle = self->angle_deg * G_PI / 180.0;
  double u = 0.5 * self->size_m * cos (angle), v = 0.5 * self->size_m * sin (angle);

  for (int i = 0; i < 4; i++)
    {
      corners[i][0] = self->x + sign[i][0] * u - sign[i][1] * v;
      corners[i][1] = self->y + sign[i][0] * v + sign[i][1] * u;
    }
}

UrbBox
urb_square_get_box (const UrbSquare *self)
{
  double angle = self->angle_deg * G_PI / 180.0;
  double half = 0.5 * self->size_m * (fabs (cos (angle)) + fabs (sin (angle)));
  UrbBox box = { self->x - half, self->y - half, self->x + half, self->y + half };

  return box;
}

/* Keeps the part left of the line from @a to @b.  @out has room for 2 n. */
static int
clip (const double (*in)[2], int n, const double a[2], const double b[2], double (*out)[2])
{
  int n_out = 0;

  for (int i = 0; i < n; i++)
    {
      const double *p = in[i], *q = in[(i + 1) % n];
      double dp = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
      double dq = (b[0] - a[0]) * (q[1] - a[1]) - (b[1] - a[1]) * (q[0] - a[0]);

      if (dp >= 0)
        {
          out[n_out][0] = p[0];
          out[n_out++][1] = p[1];
        }
      if ((dp < 0) != (dq < 0))
        {
          double t = dp / (dp - dq);

          out[n_out][0] = p[0] + t * (q[0] - p[0]);
          out[n_out++][1] = p[1] + t * (q[1] - p[1]);
        }
    }
  return n_out;
}

double
urb_square_overlap_m2 (const UrbSquare *a, const UrbSquare *b)
{
  /* Relative to a's center, to avoid cancellation in the products. */
  UrbSquare here = { 0, 0, a->angle_deg, a->size_m };
  UrbSquare there = { b->x - a->x, b->y - a->y, b->angle_deg, b->size_m };
  double reach = (a->size_m + b->size_m) * G_SQRT2 / 2;
  double corners[4][2], buffer[2][MAX_CLIPPED][2], area2 = 0;
  int n = 4;

  if (there.x * there.x + there.y * there.y >= reach * reach)
    return 0;
  urb_square_get_corners (&here, buffer[0]);
  urb_square_get_corners (&there, corners);
  for (int i = 0; i < 4 && n > 0; i++)
    n = clip ((const double (*)[2]) buffer[i % 2], n, corners[i], corners[(i + 1) % 4],
              buffer[(i + 1) % 2]);
  for (int i = 0; i < n; i++)
    {
      const double *p = buffer[0][i], *q = buffer[0][(i + 1) % n];

      area2 += p[0] * q[1] - p[1] * q[0];
    }
  return 0.5 * fabs (area2);
}

/* Separating axis test: two axes of the box and two of the square. */
gboolean
urb_square_meets_box (const UrbSquare *self, const UrbBox *box)
{
  double angle = self->angle_deg * G_PI / 180.0;
  double c = cos (angle), s = sin (angle), half = 0.5 * self->size_m;
  double half_w = 0.5 * (box->max_x - box->min_x), half_h = 0.5 * (box->max_y - box->min_y);
  double dx = box->min_x + half_w - self->x, dy = box->min_y + half_h - self->y;
  double spread = half * (fabs (c) + fabs (s));

  return fabs (dx) < spread + half_w - TOUCH_M && fabs (dy) < spread + half_h - TOUCH_M
         && fabs (dx * c + dy * s) < half + half_w * fabs (c) + half_h * fabs (s) - TOUCH_M
         && fabs (dy * c - dx * s) < half + half_w * fabs (s) + half_h * fabs (c) - TOUCH_M;
}
