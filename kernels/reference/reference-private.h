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

typedef UkStatus UkReferenceRun (const UkOpDesc *desc, void *const *args);

UkReferenceRun uk_reference_load, uk_reference_noise, uk_reference_augment;
UkReferenceRun uk_reference_conv, uk_reference_conv_dgrad, uk_reference_conv_wgrad;
UkReferenceRun uk_reference_depthwise, uk_reference_depthwise_dgrad, uk_reference_depthwise_wgrad;
UkReferenceRun uk_reference_bias_act, uk_reference_act_grad;
UkReferenceRun uk_reference_batch_norm, uk_reference_batch_norm_grad, uk_reference_batch_norm_given;
UkReferenceRun uk_reference_batch_norm_local, uk_reference_batch_norm_global;
UkReferenceRun uk_reference_batch_norm_grad_local, uk_reference_batch_norm_grad_global;
UkReferenceRun uk_reference_resample;
UkReferenceRun uk_reference_add, uk_reference_axpby, uk_reference_fill, uk_reference_concat;
UkReferenceRun uk_reference_shares, uk_reference_shares_grad;
UkReferenceRun uk_reference_squared_norm, uk_reference_loss_bce, uk_reference_loss_pair;
UkReferenceRun uk_reference_grad_squares, uk_reference_grad_factor, uk_reference_adam;

/* x = act (x) on the @c channels of one pixel. */
void uk_reference_act_pixel (const UkOpDesc *desc, double *x, int64_t c);

/* dx = dy * act' on the @c channels of one pixel, act' computed from the output @y (which may be NULL
 * with UK_ACT_NONE).  dx may be dy. */
void uk_reference_act_grad_pixel (const UkOpDesc *desc, const double *y, const double *dy,
                                  double *dx, int64_t c);
