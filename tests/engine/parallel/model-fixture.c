/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model-fixture.c - see model-fixture.h.
 */
#include "model-fixture.h"

#include <string.h>

void
model_set_up (Model *self, const char *name, UrbGanOptions options)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbPreset) preset = urb_preset_load (name, &error);

  g_assert_no_error (error);
  self->g = urb_preset_build_generator (preset, 3, FALSE, &error);
  g_assert_no_error (error);
  self->d = urb_preset_build_discriminator (preset, 3, !options.penalty, &error);
  g_assert_no_error (error);
  options.g = options.base = self->g;
  options.d = self->d;
  options.tile_bits = 8;
  self->program = urb_program_new_gan (&options);
}

void
model_clear (Model *self)
{
  urb_program_free (self->program);
  urb_net_free (self->g);
  urb_net_free (self->d);
}

gint64
model_sum_parts (const UrbProgram *program, UrbCollectiveKind kind, const char *net, gint64 above)
{
  gint64 sum = 0;

  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);

      if (instruction->kind == URB_DO_COLLECTIVE && instruction->collective.kind == kind
          && strcmp (instruction->net, net) == 0 && instruction->collective.count > above)
        sum += instruction->collective.count;
    }
  return sum;
}
