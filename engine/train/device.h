/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.h - the device of a run, by its name (settings/device-name.h); "cuda" is the first GPU.
 */
#pragma once

#include "kernels/uk.h"
#include "settings/run-config.h"

G_BEGIN_DECLS

/* @index: (out): which of several; of a list, the first.  Fails with %URB_TRAIN_ERROR_OPTIONS if @name is no valid name,
 * with %URB_TRAIN_ERROR_NO_DEVICE if this build or machine has no such device; the message lists
 * those it has. */
const UkBackendTable *urb_device_find (const char *name, int *index, GError **error);

/* The number of devices of a machine over which synchronous ranks are spread, in turn: with "cuda"
 * all GPUs, with a list those of the list, else 1.  At least 1. */
int        urb_device_count_spread (const char *name);
/* The device of the @local_rank-th rank of a machine.  (transfer full) */
char      *urb_device_dup_of_rank  (const char *name, int local_rank);

/* "NVIDIA H200 (cuda:0), bf16"; of several GPUs, the name of the first. (transfer full) */
char      *urb_device_dup_text (const char *name, UkPrecision precision);

/* Its address in this machine: equal for names of the same device. "" for a host. (transfer
 * full) */
char      *urb_device_dup_address  (const char *name);

/* The PCI addresses of the first @n GPUs over which ranks are spread, NULL-terminated; NULL for a
 * host. (transfer full) (nullable) */
char     **urb_device_dup_gpus (const char *name, int n);

/* @name: of one device
 * @n_threads: of a host */
UkBackend *urb_device_open (const char *name, UkPrecision precision, int n_threads, GError **error);
/* Likewise. @cudnn_compiled: see UrbTrainOptions */
UkBackend *urb_device_open_to_train (const char *name, UkPrecision precision, int n_threads,
                                     int cudnn_compiled, GError **error);
/* @self: (nullable).  Logs, as a debugging message, what it took to choose kernels. */
void       urb_device_close (UkBackend *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (UkBackend, urb_device_close)

/* Why measurements of the device cannot be cached for the next start, as a sentence; NULL if they
 * can, or there is nothing to cache.  Creates the cache folder if necessary. (transfer full)
 * (nullable) */
char      *urb_device_dup_cache_problem (const char *name);

/* @status: of a copy or synchronization.  FALSE with a %URB_TRAIN_ERROR_DEVICE if it failed. */
gboolean   urb_device_check (UkStatus status, GError **error);

/* Available bytes; G_MAXINT64 if unknown. */
gint64     urb_device_get_available (UkBackend *self);

/* Bytes of a GPU that every process takes for the driver and libraries, measured as far as
 * possible. 0 for a host. */
gint64     urb_device_get_overhead (const char *name);

/* Measures FLOP/s of matrix products in the device's precision, and bytes/s (read + written) of a
 * large copy.  @n_threads: of a host.  Takes some tenths of a second. */
void       urb_device_measure_peaks (UkBackend *self, int n_threads, double *flops, double *copy);

G_END_DECLS
