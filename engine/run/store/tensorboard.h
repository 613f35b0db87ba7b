/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensorboard.h - writes the history of a run for TensorBoard, from run.db, while it grows.
 *
 * The folder has one file, which is made anew from the whole history when a run begins or is resumed: so it
 * always has exactly what run.db has.  Histograms and sample grids are taken over from the file before, since
 * their checkpoints and images may be deleted.
 */
#pragma once

#include "run/store/run-db.h"

G_BEGIN_DECLS

typedef struct _UrbTensorboard UrbTensorboard;

/* @run: the run's folder
 * @folder: made if it is not there; its files of an earlier session are deleted by the first
 *   urb_tensorboard_follow() */
UrbTensorboard *urb_tensorboard_new    (const char *run, const char *folder, GError **error);
void            urb_tensorboard_free   (UrbTensorboard *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbTensorboard, urb_tensorboard_free)

/* Writes what was committed to run.db since the last call. */
gboolean        urb_tensorboard_follow (UrbTensorboard *self, GError **error);

G_END_DECLS
