/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device-name.h - names of devices: "cpu", "reference", "cuda", "cuda:1", and several GPUs: "cuda:0,2".
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Whether the device is the processor. */
gboolean urb_device_is_host     (const char *name);
/* Whether the device is a GPU, or several. */
gboolean urb_device_is_gpu      (const char *name);
/* Whether a run on a device may use that GPU; with "cuda", any.
 * @gpu: "cuda:1" */
gboolean urb_device_has_gpu     (const char *name, const char *gpu);
/* The name with the number of the GPU that is used if there is none: "cuda:0" for "cuda". (transfer none) */
const char *urb_device_get_full (const char *name);
/* "cuda:1" (transfer full) */
char    *urb_device_dup_gpu     (int number);
/**
 * urb_device_parse_gpus:
 *
 * Reads the numbers in the name of a device.
 *
 * Returns: (element-type int) (transfer full): in the order of the name: 0 and 2 of "cuda:0,2"; empty for a
 *   name without numbers.  %NULL with %URB_TRAIN_ERROR_OPTIONS if a GPU has no number, or is there twice
 */
GArray  *urb_device_parse_gpus  (const char *name, GError **error);
/* The name of the first @n GPUs of a list: "cuda:0,2" of "cuda:0,2,3"; @name if it has no more. (transfer full) */
char    *urb_device_dup_first   (const char *name, guint n);

G_END_DECLS
