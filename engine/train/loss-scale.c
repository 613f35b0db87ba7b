/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loss-scale.c - see loss-scale.h.
 */
#include "train/loss-scale.h"

#include <float.h>
#include <math.h>

/* PyTorch's GradScaler: growth_factor, and the inverse of backoff_factor. */
#define FACTOR 2.0

void
urb_loss_scale_init (UrbLossScale *self, const UrbTrainOptions *options)
{
  *self = (UrbLossScale) { .scale = urb_train_options_get_loss_scale (options),
                           .beta1_skipped = 1, .beta2_skipped = 1 };
}

void
urb_loss_scale_follow (UrbLossScale *self, gboolean overflowed, gint64 interval)
{
  if (overflowed)
    {
      self->scale = MAX (self->scale / FACTOR, 1);
      self->n_clean = 0;
    }
  else if (++self->n_clean >= interval)
    {
      if (urb_loss_scale_is_valid (self->scale * FACTOR))
        self->scale *= FACTOR;
      self->n_clean = 0;
    }
}

/* A product that reached 0 would say nothing any more. */
static double
include (double product, double beta)
{
  return beta > 0 ? MAX (product * beta, DBL_MIN) : product;
}

void
urb_loss_scale_skip (UrbLossScale *self, int n_updates, double beta1, double beta2)
{
  for (int i = 0; i < n_updates; i++)
    {
      self->beta1_skipped = include (self->beta1_skipped, beta1);
      self->beta2_skipped = include (self->beta2_skipped, beta2);
    }
}

char *
urb_loss_scale_to_text (const UrbLossScale *self)
{
  const double numbers[] = { self->scale, (double) self->n_clean, self->beta1_skipped, self->beta2_skipped };
  GString *text = g_string_new (NULL);
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "", g_ascii_dtostr (number, sizeof number, numbers[i]));
  return g_string_free (text, FALSE);
}

static gboolean
is_product (double x)
{
  return x > 0 && x <= 1;
}

gboolean
urb_loss_scale_from_text (UrbLossScale *self, const char *text)
{
  double numbers[4];

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      char *end;

      numbers[i] = g_ascii_strtod (text, &end);
      if (end == text)
        return FALSE;
      text = end;
    }
  if (*text != '\0' || !urb_loss_scale_is_valid (numbers[0]) || !(numbers[1] >= 0 && numbers[1] <= G_MAXUINT32)
      || !is_product (numbers[2]) || !is_product (numbers[3]))
    return FALSE;
  *self = (UrbLossScale) { numbers[0], (gint64) numbers[1], numbers[2], numbers[3] };
  return TRUE;
}
