/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split.h - divides the plane into training, validation and test blocks.
 *
 * An area belongs to a split if it meets no block of another; straddling areas are
 * dropped.  So areas of different splits never overlap, whatever their rotation.
 */
#pragma once

#include "dataset/dataset.h"
#include "dataset/square.h"

G_BEGIN_DECLS

typedef struct
{
  double  x, y;             /* meters; lower left corner of the first block */
  double  block_w, block_h; /* meters */
  int     n_x, n_y;         /* blocks */
  guint8 *split;            /* (n_y, n_x) UrbSplit; owned */
} UrbBlocks;

/**
 * urb_blocks_choose:
 * @squares: (element-type UrbSquare): all of the same size; overlapping little,
 *   so that each counts for its ground
 * @variances: of the squares
 * @built: their building shares, which tell villages from industrial estates
 * @extent: contains all squares
 * @test_share: of the areas that are kept, in [0, 1)
 * @validation_share: the same, of areas to watch the training with; the test blocks do not depend on it
 * @seed: chooses among the divisions that are about as good as the best
 *
 * Tries several block sizes and orders.  A good division meets @test_share, drops few areas, has
 * test areas in several places, and has the same distributions of variance and building share on
 * both sides (Kolmogorov-Smirnov distance).
 *
 * Returns: (transfer full): all for training if @test_share is 0 or the map is too
 *   small to divide; without validation blocks if these would leave less than 78 % of the training areas
 */
UrbBlocks *urb_blocks_choose (GArray *squares, const float *variances, const float *built,
                              UrbBox extent, double test_share, double validation_share,
                              guint64 seed);
/* The step for sampling @n areas; urb_blocks_choose() takes time linear in the squares. */
gsize      urb_blocks_get_sample_step (gsize n);
UrbBlocks *urb_blocks_copy   (const UrbBlocks *self);
void       urb_blocks_free   (UrbBlocks *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbBlocks, urb_blocks_free)

/* Returns: FALSE if the square straddles */
gboolean urb_blocks_get_split (const UrbBlocks *self, const UrbSquare *square, UrbSplit *split);

G_END_DECLS
