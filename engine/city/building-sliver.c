/* SPDX-License-Identifier: Apache-2.0 */
/*
 * building-sliver.c - removes what is too narrow to be built.
 *
 * A wall that leaves a street or a neighbor can come close to the wall of a yard behind it, and a line as thin as
 * a hair would be left of the building.
 */
#include "city/building-private.h"

/* The cells between the grid lines of a draft. */
typedef struct
{
  int     nx, ny;
  guint8 *built; /* (ny, nx), owned */
} Cells;

/* A row or column of cells. */
typedef struct
{
  guint8       *first;
  int           n, step;
  const double *lines; /* (n + 1): borders of the cells */
} Strip;

/* Along a row of cells, each wall across it is a border of the building. */
static Cells
get_cells (const UrbBuildingDraft *draft)
{
  Cells cells = { (int) draft->xs->len - 1, (int) draft->ys->len - 1 };
  const UrbBuildingCorner *corners = (const UrbBuildingCorner *) (gpointer) draft->corners->data;

  cells.built = g_malloc0 ((gsize) cells.nx * (gsize) cells.ny);
  for (guint ring = 0; ring < draft->sizes->len; ring++)
    {
      guint n = g_array_index (draft->sizes, guint, ring);

      for (guint i = 0; i < n; i++)
        {
          UrbBuildingCorner a = corners[i], b = corners[(i + 1) % n];

          for (int y = MIN (a.iy, b.iy); a.ix == b.ix && y < MAX (a.iy, b.iy); y++)
            for (int x = a.ix; x < cells.nx; x++)
              cells.built[y * cells.nx + x] ^= 1;
        }
      corners += n;
    }
  return cells;
}

/* Returns: whether anything was narrower than @least_px along the strip; it is removed */
static gboolean
thin_strip (const Strip *strip, double least_px)
{
  gboolean removed = FALSE;

  for (int i = 0, start = 0; i <= strip->n; i++)
    {
      if (i < strip->n && strip->first[i * strip->step])
        continue;
      for (int k = start; k < i && strip->lines[i] - strip->lines[start] < least_px; k++)
        {
          strip->first[k * strip->step] = 0;
          removed = TRUE;
        }
      start = i + 1;
    }
  return removed;
}

static gboolean
thin_cells (const Cells *cells, const UrbBuildingDraft *draft, double least_px)
{
  gboolean removed = FALSE;

  for (int y = 0; y < cells->ny; y++)
    removed |= thin_strip (&(Strip) { cells->built + y * cells->nx, cells->nx, 1,
                                      (const double *) (gpointer) draft->xs->data }, least_px);
  for (int x = 0; x < cells->nx; x++)
    removed |= thin_strip (&(Strip) { cells->built + x, cells->ny, cells->nx,
                                      (const double *) (gpointer) draft->ys->data }, least_px);
  return removed;
}

void
urb_building_draft_drop_slivers (UrbBuildingDraft *self, double least_px)
{
  Cells cells;
  guint n_rounds = 0;

  if (self->n_rectangles == 0)
    return;
  cells = get_cells (self);
  while (thin_cells (&cells, self, least_px))
    n_rounds++;
  if (n_rounds > 0)
    {
      urb_building_trace (cells.built, cells.nx, cells.ny, self->corners, self->sizes);
      urb_building_draft_place (self);
    }
  g_free (cells.built);
}
