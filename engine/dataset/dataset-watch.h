/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dataset-watch.h - whether a dataset that is being trained on has the tiles that its id stands for, and
 * keeps them.
 *
 * A large file is verified in a thread while training begins.  Later changes of the file, as by `cp`
 * onto it, are noticed within seconds: it is then verified again, and only another dataset is an error.
 * A file that was replaced by another (renamed onto it, or deleted) does not matter: whoever reads the
 * old one has it open.
 */
#pragma once

#include "dataset/dataset.h"

G_BEGIN_DECLS

typedef struct _UrbDatasetWatch UrbDatasetWatch;

/* @dataset: borrowed for this call; @path: its file.  Not thread-safe. */
UrbDatasetWatch *urb_dataset_watch_new  (UrbDataset *dataset, const char *path);
void             urb_dataset_watch_free (UrbDatasetWatch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbDatasetWatch, urb_dataset_watch_free)

/* What is known by now; cheap enough for every step.
 * Returns: %FALSE with %URB_DATASET_ERROR_DAMAGED if the tiles are others than those of the id */
gboolean urb_dataset_watch_poll   (UrbDatasetWatch *self, GError **error);
/* The same, once the file was looked at again and all of it is verified.  Blocks: about four seconds for
 * a gigabyte that was not verified yet. */
gboolean urb_dataset_watch_settle (UrbDatasetWatch *self, GError **error);

G_END_DECLS
