/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split.h - which places are for training and which for testing.
 *
 * The plane is divided into blocks, each for one of the two.  An area belongs to
 * a split if it touches no block of the other; what straddles is dropped.  So no
 * area of one split can overlap one of the other, however it is rotated.
 */
#pragma once

#include "dataset/dataset.h"
#include "dataset/square.h"

G_BEGIN_DECLS

typedef struct
{
  double  x, y;             /* metres; lower left corner of the first block */
  double  block_w, block_h; /* metres */
  int     n_x, n_y;         /* blocks */
  guint8 *split;            /* (n_y, n_x) UrbSplit; owned */
} UrbBlocks;

/**
 * urb_blocks_choose:
 * @squares: (element-type UrbSquare): of all areas that could be chosen, or a
 *   sample of them, see urb_blocks_get_sample_step(); all of one size
 * @variances: of the squares
 * @extent: that contains all of them
 * @test_share: of the areas that are kept, in [0, 1)
 * @seed: of the blocks' order
 *
 * Tries some block sizes and orders and takes the one that meets @test_share
 * best, drops least and has test areas as varied as the rest.
 *
 * Returns: (transfer full): blocks that are all for training if @test_share is 0
 *   or the map is too small to be divided
 */
UrbBlocks *urb_blocks_choose (GArray *squares, const float *variances, UrbBox extent,
                              double test_share, guint64 seed);
/* Of @n areas every so many-th is enough: time is linear in the squares. */
gsize      urb_blocks_get_sample_step (gsize n);
UrbBlocks *urb_blocks_copy   (const UrbBlocks *self);
void       urb_blocks_free   (UrbBlocks *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbBlocks, urb_blocks_free)

/* Returns: FALSE if the square straddles */
gboolean urb_blocks_get_split (const UrbBlocks *self, const UrbSquare *square, UrbSplit *split);

G_END_DECLS
