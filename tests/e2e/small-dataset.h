/* SPDX-License-Identifier: Apache-2.0 */
/*
 * small-dataset.h - a dataset and networks small enough for a hundred training
 * steps per second.
 */
#pragma once

/* Writes areas.gpkg and mini.preset, both of 16 pixels, into @folder. */
void small_dataset_write (const char *folder);
/* Writes @n such areas to the file @path. */
void small_dataset_write_areas (const char *path, int n);
