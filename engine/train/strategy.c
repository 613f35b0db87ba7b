/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy.c - the names of the strategies, and which of them can be run.
 */
#include <errno.h>
#include <string.h>

#include "train/trainer.h"

enum { MAX_RANKS = 4096 };

static const char *const names[URB_N_STRATEGIES] = {
  [URB_STRATEGY_SINGLE] = "single", [URB_STRATEGY_HOGWILD] = "hogwild",
  [URB_STRATEGY_STREAMS] = "streams", [URB_STRATEGY_DP] = "dp", [URB_STRATEGY_DDP] = "ddp",
};

/* The one list of what the trainer can do. */
static const gboolean implemented[URB_N_STRATEGIES] = {
  [URB_STRATEGY_SINGLE] = TRUE, [URB_STRATEGY_HOGWILD] = TRUE, [URB_STRATEGY_STREAMS] = TRUE,
  [URB_STRATEGY_DP] = TRUE, [URB_STRATEGY_DDP] = TRUE,
};

const char *
urb_strategy_get_obstacle (UrbStrategy self)
{
  return implemented[self] ? NULL : "Not in this version";
}

gboolean
urb_strategy_is_synchronous (UrbStrategy self)
{
  return self == URB_STRATEGY_DP || self == URB_STRATEGY_DDP;
}

gboolean
urb_strategy_is_asynchronous (UrbStrategy self)
{
  return self == URB_STRATEGY_HOGWILD || self == URB_STRATEGY_STREAMS;
}

const char *
urb_strategy_get_name (UrbStrategy self)
{
  return names[self];
}

gboolean
urb_strategy_parse (const char *text, UrbStrategy *strategy, int *n_ranks, GError **error)
{
  g_auto(GStrv) parts = g_strsplit (text, ":", 2);
  guint64 number = 0;

  for (int i = 0; parts[0] != NULL && i < URB_N_STRATEGIES; i++)
    {
      if (strcmp (parts[0], names[i]) != 0)
        continue;
      if (parts[1] != NULL
          && !g_ascii_string_to_unsigned (parts[1], 10, 1, MAX_RANKS, &number, NULL))
        {
          g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS,
                       "The number of ranks in “%s” must be from 1 to %d.", text, MAX_RANKS);
          return FALSE;
        }
      *strategy = (UrbStrategy) i;
      if (parts[1] != NULL)
        *n_ranks = (int) number;
      return TRUE;
    }
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS,
               "There is no strategy “%s”; choose single, hogwild, streams, dp or ddp, with a "
               "number of ranks as in hogwild:2.", text);
  return FALSE;
}
