/* SPDX-License-Identifier: Apache-2.0 */
/*
 * describe.c - which operations of a program run on a slow fallback of its device, and why.
 */
#include "step/program.h"

enum { MAX_NAMED = 8 };

char *
urb_program_dup_slow (const UrbProgram *self, const UkBackend *backend)
{
  g_autoptr(GHashTable) known = g_hash_table_new (NULL, NULL);
  g_autoptr(GString) text = g_string_new (NULL);

  if (backend->table->describe == NULL)
    return NULL;
  for (guint i = 0; i < self->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self, i);
      g_autofree char *label = NULL;
      char how[256];

      if (instruction->kind != URB_DO_OP || instruction->op == NULL
          || backend->table->describe (instruction->op, how, sizeof how)
          || !g_hash_table_add (known, instruction->op) || g_hash_table_size (known) > MAX_NAMED)
        continue;
      label = urb_instruction_dup_label (instruction);
      g_string_append_printf (text, "%s%s (%s)", text->len > 0 ? ", " : "", label, how);
    }
  if (g_hash_table_size (known) == 0)
    return NULL;
  return g_strdup_printf ("%u convolution%s on a slow kernel, not on cuDNN's: %s%s.",
                          g_hash_table_size (known), g_hash_table_size (known) == 1 ? " runs" : "s run", text->str,
                          g_hash_table_size (known) > MAX_NAMED ? " …" : "");
}
