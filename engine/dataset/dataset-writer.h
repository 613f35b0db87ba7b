/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dataset-writer.h - makes a dataset file, area by area.
 */
#pragma once

#include "dataset/dataset.h"

G_BEGIN_DECLS

typedef struct _UrbDatasetWriter UrbDatasetWriter;

/**
 * urb_dataset_writer_new:
 * @path: where the finished dataset goes; what is there is replaced at the end
 * @info: what holds for all areas; the counts, splits and id are ignored, and
 *   strings may be %NULL
 * @crs_wkt: (nullable): of the areas' coordinates
 *
 * Everything is written to a temporary name beside @path.
 *
 * Returns: (transfer full): or %NULL with a %URB_DATASET_ERROR_WRITE, or
 *   _OPTIONS if @info is out of bounds
 */
UrbDatasetWriter *urb_dataset_writer_new (const char *path, const UrbDatasetInfo *info,
                                          const char *crs_wkt, GError **error);

/**
 * urb_dataset_writer_add:
 * @source: (nullable): what map the area was cut from, for people
 * @blob: the tile, from urb_tile_codec_pack()
 */
gboolean urb_dataset_writer_add (UrbDatasetWriter *self, const UrbArea *area, const char *source,
                                 const guint8 *blob, gsize n_bytes, GError **error);

/* The same from levels as urb_dataset_read_tile() gives them: (size, size,
 * channels) bytes. */
gboolean urb_dataset_writer_add_levels (UrbDatasetWriter *self, const UrbArea *area,
                                        const char *source, const guint8 *levels, GError **error);

/* Completes the file, syncs it to the disk and gives it its name. */
gboolean urb_dataset_writer_finish (UrbDatasetWriter *self, GError **error);

/* Deletes the temporary file if it was not finished. */
void urb_dataset_writer_free (UrbDatasetWriter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbDatasetWriter, urb_dataset_writer_free)

G_END_DECLS
