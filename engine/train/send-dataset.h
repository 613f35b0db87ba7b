/* SPDX-License-Identifier: Apache-2.0 */
/*
 * send-dataset.h - gives rank 0's dataset to ranks on hosts that lack it.
 */
#pragma once

#include "parallel/comm.h"

G_BEGIN_DECLS

/**
 * urb_send_dataset:
 * @path: (nullable): rank 0: the file, or %NULL: none is sent; other ranks: where the file should be
 * @copy: (out) (nullable) (transfer full): where it is, in the user's cache, if it is not there
 * @problem: (out): why a copy could not be written; the ranks still finish together
 *
 * Collective.  A copy is kept under the dataset's id, so that it is sent once; one that is damaged is replaced.
 */
gboolean urb_send_dataset (UrbComm *comm, const char *path, char **copy, GError **problem, GError **error);

G_END_DECLS
