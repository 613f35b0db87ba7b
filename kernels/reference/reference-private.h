/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference-private.h - declarations shared by the reference backend's operations.
 *
 * Each operation is one function of a checked description and its arguments, in the order of
 * uk_op_info().  All UK_REAL and UK_VALUE arguments are doubles; backend.c has checked that required
 * ones are not NULL.
 *
 * Legend: as in uk.h.  `p` indexes pixels (n, h and w flattened).
 */
#pragma once

#include "kernels/uk.h"

typedef UkStatus (*UkReferenceRun) (const UkOpDesc *desc, void *const *args);

UkStatus uk_reference_load (const UkOpDesc *desc, void *const *args);
UkStatus uk_reference_noise (const UkOpDesc *desc, void *const *args);
UkStatus uk_reference_augment (const UkOpDesc *desc, void *const *args);

UkStatus uk_reference_conv (const UkOpDesc *desc, void *const *args);
UkStatus uk_reference_conv_dgrad (const UkOpDesc *desc, void *const *args);
UkStatus uk_reference_conv_wgrad (const UkOpDesc *desc, void *const *args);

UkStatus uk_reference_depthwise (const UkOpDesc *desc, void *const *args);
UkStatus uk_reference_depthwise_dgrad (const UkOpDesc *desc, void *const *args);
UkStatus uk_reference_depthwise_wgrad (const UkOpDesc *desc, void *const *args);

UkStatus uk_reference_bias_act (const UkOpDesc *desc, void *const *args);
UkStatus uk_reference_act_grad (const UkOpDesc *desc, void *const *args);

UkStatus uk_reference_batch_norm (const UkOpDesc *desc, void *const *args);
UkStatus uk_reference_batch_norm_grad (const UkOpDesc *desc, void *const *args);
UkStatus uk_reference_batch_norm_infer (const UkOpDesc *desc, void *const *args);
UkStatus uk_reference_batch_norm_recompute (const UkOpDesc *desc, void *const *args);
UkStatus uk_reference_batch_norm_local (const UkOpDesc *desc, void *const *args);
UkStatus uk_reference_batch_norm_global (const UkOpDesc *desc, void *const *args);
UkStatus uk_reference_batch_norm_grad_local (const UkOpDesc *desc, void *const *args);
UkStatus uk_reference_batch_norm_grad_global (const UkOpDesc *desc, void *const *args);

UkStatus uk_reference_resample (const UkOpDesc *desc, void *const *args);

UkStatus uk_reference_add (const UkOpDesc *desc, void *const *args);
UkStatus uk_reference_axpby (const UkOpDesc *desc, void *const *args);
UkStatus uk_reference_fill (const UkOpDesc *desc, void *const *args);

UkStatus uk_reference_squared_norm (const UkOpDesc *desc, void *const *args);
UkStatus uk_reference_loss_bce (const UkOpDesc *desc, void *const *args);
UkStatus uk_reference_loss_pair (const UkOpDesc *desc, void *const *args);

UkStatus uk_reference_grad_norm (const UkOpDesc *desc, void *const *args);
UkStatus uk_reference_adam (const UkOpDesc *desc, void *const *args);

/* x = act (x) on the @c channels of one pixel. */
void uk_reference_act_pixel (const UkOpDesc *desc, double *x, int64_t c);

/* dx = dy * act' on the @c channels of one pixel, act' computed from the output @y (which may be NULL
 * with UK_ACT_NONE).  dx may be dy. */
void uk_reference_act_grad_pixel (const UkOpDesc *desc, const double *y, const double *dy,
                                  double *dx, int64_t c);
