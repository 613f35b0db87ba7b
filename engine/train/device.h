/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.h - what a run computes on: "cpu", "cuda" (the first GPU), "cuda:1", or "reference".
 */
#pragma once

#include "train/trainer.h"

G_BEGIN_DECLS

/* @index: (out): which of several.  Fails with %URB_TRAIN_ERROR_OPTIONS for what names no device
 * anywhere, with %URB_TRAIN_ERROR_NO_DEVICE where there is none of that name in this build or on this
 * machine, and says what there is. */
const UkBackendTable *urb_device_find (const char *name, int *index, GError **error);

/* Over how many devices of a machine ranks that talk to each other are spread, one after the other:
 * with "cuda" over all GPUs, else over one.  At least 1. */
int        urb_device_count_spread (const char *name);
/* The device of the @local_rank-th of them on a machine.  (transfer full) */
char      *urb_device_dup_of_rank  (const char *name, int local_rank);

/* "NVIDIA H200 (cuda:0), bf16": for people. (transfer full) */
char      *urb_device_dup_text (const char *name, UkPrecision precision);

/* Where it is in this machine: the same for what shares its memory. "" for a host. (transfer full) */
char      *urb_device_dup_address  (const char *name);

/* The PCI addresses of the first @n GPUs that ranks are spread over, NULL-terminated; NULL for a host.
 * (transfer full) (nullable) */
char     **urb_device_dup_gpus (const char *name, int n);

/* Open; @n_threads: of a host.  Close it with its table's close(). */
UkBackend *urb_device_open (const char *name, UkPrecision precision, int n_threads, GError **error);

/* Whether what is measured of it once can be kept for the next time: a folder, which is made if need
 * be.  NULL: yes, or there is nothing to keep; else a sentence. (transfer full) (nullable) */
char      *urb_device_dup_cache_problem (const char *name);

/* @status: of moving numbers, or of waiting for them.  FALSE with a %URB_TRAIN_ERROR_DEVICE if it
 * failed. */
gboolean   urb_device_check (UkStatus status, GError **error);

/* Bytes that it may still take; G_MAXINT64 if nobody knows. */
gint64     urb_device_get_available (UkBackend *self);

/* What every process takes of a GPU before its first number, as the driver and the libraries want
 * it; measured as far as it can be.  0 for a host. */
gint64     urb_device_get_overhead (const char *name);

/* FLOP/s of matrix products as the precision has them, and bytes/s (read + written) of a large copy:
 * measured on the device; @n_threads: of a host.  Takes some tenths of a second. */
void       urb_device_measure_peaks (UkBackend *self, int n_threads, double *flops, double *copy);

G_END_DECLS
