/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loss-scale.h - dynamic loss scaling of a network: by how much the gradient of its loss is multiplied.
 *
 * In fp16, values below 6e-8 are 0, and gradients are smaller than that before weights and activations are.
 * Multiplied by a scale they fit (Micikevicius et al. 2017, 1710.03740).  The scale follows the rule and
 * the numbers of PyTorch's GradScaler: it is halved when the gradient overflows, and that update is
 * skipped; it is doubled after so many steps without.  It is always a power of two, so that it changes no
 * bit of a value that neither overflows nor underflows.
 */
#pragma once

#include <glib.h>

#include "settings/run-config.h"

G_BEGIN_DECLS

/* Plain bytes: rank 0 sends it to the others. */
typedef struct
{
  double scale;    /* 1 or more; exactly 1 if the run has no loss scaling */
  gint64 n_clean;  /* steps since it was last changed */
  /* Products of Adam's betas over all updates that were skipped, which its bias correction must not count. */
  double beta1_skipped, beta2_skipped;
} UrbLossScale;

/* @options: resolved */
void     urb_loss_scale_init (UrbLossScale *self, const UrbTrainOptions *options);

/* After a step.  @overflowed: its gradient was not finite */
void     urb_loss_scale_follow (UrbLossScale *self, gboolean overflowed, gint64 interval);
/* Notes that @n_updates, of a step with these betas, were skipped. */
void     urb_loss_scale_skip   (UrbLossScale *self, int n_updates, double beta1, double beta2);

/* For a checkpoint, and back, exactly.  FALSE if @text is not of this kind or out of range; then @self is as it was. */
char    *urb_loss_scale_to_text   (const UrbLossScale *self);
gboolean urb_loss_scale_from_text (UrbLossScale *self, const char *text);

G_END_DECLS
