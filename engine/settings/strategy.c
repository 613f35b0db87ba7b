/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy.c - the names of the strategies.
 */
#include "settings/strategy.h"

#include <string.h>

G_DEFINE_QUARK (urb-train-error-quark, urb_train_error)

gboolean
urb_options_fail (GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  if (error != NULL)
    *error = g_error_new_valist (URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS, format, args);
  va_end (args);
  return FALSE;
}

const char *const urb_strategy_names[] = {
  [URB_STRATEGY_SINGLE] = "single", [URB_STRATEGY_HOGWILD] = "hogwild",
  [URB_STRATEGY_STREAMS] = "streams", [URB_STRATEGY_DP] = "dp", [URB_STRATEGY_DDP] = "ddp",
  [URB_STRATEGY_ZERO1] = "zero1", [URB_STRATEGY_ZERO2] = "zero2", [URB_STRATEGY_ZERO3] = "zero3",
  [URB_STRATEGY_LAYERS] = "layers", [URB_STRATEGY_GPIPE] = "gpipe", [URB_STRATEGY_1F1B] = "1f1b",
  [URB_STRATEGY_INTERLEAVED] = "interleaved", [URB_STRATEGY_ZB] = "zb", [URB_STRATEGY_TENSOR] = "tensor",
  [URB_STRATEGY_MESH] = "mesh",
  [URB_N_STRATEGIES] = NULL,
};

gboolean
urb_strategy_is_synchronous (UrbStrategy self)
{
  return (URB_STRATEGIES_SYNCHRONOUS & 1 << self) != 0;
}

gboolean
urb_strategy_shares_batch (UrbStrategy self)
{
  return (URB_STRATEGIES_DATA & 1 << self) != 0;
}

gboolean
urb_strategy_has_replicas (UrbStrategy self)
{
  return (URB_STRATEGIES_REPLICAS & 1 << self) != 0;
}

gboolean
urb_strategy_is_pipeline (UrbStrategy self)
{
  return (URB_STRATEGIES_PIPELINE & 1 << self) != 0;
}

int
urb_strategy_get_zero_level (UrbStrategy self)
{
  return (URB_STRATEGIES_ZERO & 1 << self) != 0 ? (int) (self - URB_STRATEGY_ZERO1) + 1 : 0;
}

gboolean
urb_strategy_is_distributed (UrbStrategy self)
{
  return (URB_STRATEGIES_DISTRIBUTED & 1 << self) != 0;
}

gboolean
urb_strategy_is_asynchronous (UrbStrategy self)
{
  return (URB_STRATEGIES_ASYNCHRONOUS & 1 << self) != 0;
}

char *
urb_strategies_join (guint strategies, const char *last)
{
  g_autoptr(GString) text = g_string_new (NULL);

  for (int i = 0; i < URB_N_STRATEGIES; i++)
    if (strategies & 1u << i)
      {
        strategies &= ~(1u << i);
        g_string_append_printf (text, "%s%s", text->len == 0 ? "" : strategies != 0 ? ", " : last,
                                urb_strategy_names[i]);
      }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

gboolean
urb_strategy_parse (const char *text, UrbStrategy *strategy, int *n_ranks, GError **error)
{
  g_auto(GStrv) parts = g_strsplit (text, ":", 2);
  g_autofree char *names = NULL;
  guint64 number = 0;

  for (int i = 0; parts[0] != NULL && i < URB_N_STRATEGIES; i++)
    {
      gboolean is_alias = i == URB_STRATEGY_ZERO3 && strcmp (parts[0], "fsdp") == 0;

      if (strcmp (parts[0], urb_strategy_names[i]) != 0 && !is_alias)
        continue;
      if (parts[1] != NULL
          && !g_ascii_string_to_unsigned (parts[1], 10, 1, URB_MAX_RANKS, &number, NULL))
        return urb_options_fail (error, "The number of ranks in “%s” must be from 1 to %d.", text,
                                 URB_MAX_RANKS);
      *strategy = (UrbStrategy) i;
      if (parts[1] != NULL)
        *n_ranks = (int) number;
      return TRUE;
    }
  names = urb_strategies_join ((1 << URB_N_STRATEGIES) - 1, " or ");
  return urb_options_fail (error, "There is no strategy “%s”; choose %s, with a number of ranks as in "
                                  "ddp:2.", text, names);
}
