/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places.h - the places that areas lie in.
 */
#pragma once

#include "dataset/dataset.h"

G_BEGIN_DECLS

/**
 * urb_dataset_count_places:
 *
 * Areas with centers less than two edges apart are of the same place, and so is a chain of them:
 * they share ground, or streets, and are of one kind.  Areas of different places are independent.
 *
 * Returns: the number of places of a split
 */
guint urb_dataset_count_places (UrbDataset *self, UrbSplit split);

G_END_DECLS
