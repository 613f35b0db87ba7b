/* SPDX-License-Identifier: Apache-2.0 */
/*
 * small-dataset.h - a dataset and networks that are so small that a test trains
 * a hundred steps in a second.
 */
#pragma once

/* Writes areas.gpkg and mini.preset, both of 16 pixels, into @folder. */
void small_dataset_write (const char *folder);
