/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split.h - divides the plane into training and test blocks.
 *
 * An area belongs to a split if it meets no block of the other; straddling areas are
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
 * @squares: (element-type UrbSquare): of all candidate areas, or of a sample, see
 *   urb_blocks_get_sample_step(); all of the same size
 * @variances: of the squares
 * @extent: contains all squares
 * @test_share: of the areas that are kept, in [0, 1)
 * @seed: of the blocks' order
 *
 * Tries several block sizes and orders and returns the division that best meets
 * @test_share, drops the fewest areas, and has test areas of similar variance.
 *
 * Returns: (transfer full): all for training if @test_share is 0 or the map is too
 *   small to divide
 */
UrbBlocks *urb_blocks_choose (GArray *squares, const float *variances, UrbBox extent,
                              double test_share, guint64 seed);
/* The step for sampling @n areas; urb_blocks_choose() takes time linear in the squares. */
gsize      urb_blocks_get_sample_step (gsize n);
UrbBlocks *urb_blocks_copy   (const UrbBlocks *self);
void       urb_blocks_free   (UrbBlocks *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbBlocks, urb_blocks_free)

/* Returns: FALSE if the square straddles */
gboolean urb_blocks_get_split (const UrbBlocks *self, const UrbSquare *square, UrbSplit *split);

G_END_DECLS
