/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dataset-fixture.h - small datasets with random tiles, for several tests.
 */
#pragma once

#include "dataset/dataset-writer.h"

#define FIXTURE_N_AREAS 12

/* Temporary folder; remove with fixture_remove_folder(). */
char *fixture_make_folder (void);
void  fixture_remove_folder (const char *folder);

/* Levels that the encoding can store exactly, in patches instead of noise. */
void fixture_levels (GRand *rand, UrbEncoding encoding, gboolean soft, int size_px,
                     guint8 *levels);

/* Area number @i of @size_m meters, every third in the test split. */
UrbArea fixture_area (int i, double size_m);

/* Writes FIXTURE_N_AREAS areas of 250 m to @path, with tiles of seed @i for area @i. */
void fixture_write (const char *path, UrbEncoding encoding, gboolean soft, int size_px);
