/* SPDX-License-Identifier: Apache-2.0 */
/*
 * small-dataset.h - a dataset and networks small enough for a hundred training
 * steps per second.
 */
#pragma once

/* Writes areas.gpkg and mini.preset, both of 16 pixels, into @folder. */
void small_dataset_write (const char *folder);
