/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dataset-writer.h - writes a dataset file, area by area.
 */
#pragma once

#include "dataset/dataset.h"

G_BEGIN_DECLS

typedef struct _UrbDatasetWriter UrbDatasetWriter;

/**
 * urb_dataset_writer_new:
 * @path: of the finished dataset; an existing file is replaced at the end
 * @info: properties of the dataset; counts, splits and id are ignored, and strings
 *   may be %NULL
 * @crs_wkt: (nullable): of the areas' coordinates
 *
 * Writes to a temporary file in the folder of @path.
 *
 * Returns: (transfer full): or %NULL with a %URB_DATASET_ERROR_WRITE, or
 *   _OPTIONS if @info is out of bounds
 */
UrbDatasetWriter *urb_dataset_writer_new (const char *path, const UrbDatasetInfo *info,
                                          const char *crs_wkt, GError **error);

/**
 * urb_dataset_writer_add:
 * @source: (nullable): the map the area was cut from, for display
 * @blob: the tile, from urb_tile_codec_pack()
 */
gboolean urb_dataset_writer_add (UrbDatasetWriter *self, const UrbArea *area, const char *source,
                                 const guint8 *blob, gsize n_bytes, GError **error);

/* Completes the file, syncs it to disk and renames it. */
gboolean urb_dataset_writer_finish (UrbDatasetWriter *self, GError **error);

/* Deletes the temporary file of an unfinished dataset. */
void urb_dataset_writer_free (UrbDatasetWriter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbDatasetWriter, urb_dataset_writer_free)

G_END_DECLS
