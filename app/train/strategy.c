/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/strategy.h"

#include <glib/gi18n.h>

const UrbariumStrategy urbarium_strategies[URB_N_STRATEGIES] = {
  [URB_STRATEGY_SINGLE] = { N_ ("One process"),
    N_ ("Both networks and every step on one device") },
  [URB_STRATEGY_HOGWILD] = { N_ ("Asynchronous processes (Hogwild)"),
    N_ ("Several processes train the same networks without waiting for each other; if one "
        "crashes, the others continue") },
  [URB_STRATEGY_STREAMS] = { N_ ("Asynchronous threads"),
    N_ ("The same inside one process: starts faster, but a crash ends all threads") },
  [URB_STRATEGY_DP] = { N_ ("DataParallel"),
    N_ ("Each batch is split among copies of the networks; the first copy gathers the gradients "
        "and broadcasts the new weights") },
  [URB_STRATEGY_DDP] = { N_ ("Distributed data parallel (DDP)"),
    N_ ("Each copy of the networks computes its part of a batch; gradients are summed during the "
        "computation") },
  [URB_STRATEGY_ZERO1] = { N_ ("Sharded optimizer (ZeRO-1)"),
    N_ ("Like DDP, but each copy keeps the optimizer’s state of its share of the weights: saves "
        "memory, not messages") },
  [URB_STRATEGY_ZERO2] = { N_ ("Sharded gradients (ZeRO-2)"),
    N_ ("Gradients are divided as well, as soon as they are complete") },
  [URB_STRATEGY_ZERO3] = { N_ ("Fully sharded (ZeRO-3, FSDP)"),
    N_ ("Weights are divided as well, and gathered a few layers at a time: least memory, most "
        "messages") },
  [URB_STRATEGY_LAYERS] = { N_ ("Layers in turn (naive model parallel)"),
    N_ ("The layers are divided among the ranks, which work one after the other: saves memory, not "
        "time") },
  [URB_STRATEGY_GPIPE] = { N_ ("Pipeline (GPipe)"),
    N_ ("The layers are divided among the ranks; microbatches flow through them, all forward, then "
        "all backward") },
  [URB_STRATEGY_1F1B] = { N_ ("Pipeline (1F1B)"),
    N_ ("Like GPipe, but each microbatch goes back as soon as it can: needs less memory") },
  [URB_STRATEGY_INTERLEAVED] = { N_ ("Interleaved pipeline"),
    N_ ("Each rank has several separate parts of the layers: shorter waits, more messages") },
  [URB_STRATEGY_ZB] = { N_ ("Zero-bubble pipeline"),
    N_ ("Like 1F1B; ranks compute the gradients of their weights while they would wait") },
  [URB_STRATEGY_TENSOR] = { N_ ("Tensor parallel"),
    N_ ("Each rank computes some channels of the wide layers and holds only their weights: fewer "
        "weights to exchange and update") },
  [URB_STRATEGY_MESH] = { N_ ("Mesh (3D parallel)"),
    N_ ("Several of these at once: ranks divide the samples along one axis, the channels along another, and "
        "the layers along the third; for many ranks") },
};

gboolean
urbarium_strategy_is_available (guint index, const char *const *reported)
{
  if (index == URB_STRATEGY_SINGLE)
    return TRUE;
  return index < URB_N_STRATEGIES && reported != NULL
         && g_strv_contains (reported, urb_strategy_names[index]);
}

char *
urbarium_strategy_check_batch (UrbStrategy strategy, int n_ranks, const UrbTrainOptions *options)
{
  int batch = options->batch / options->accumulate;
  if (!urb_strategy_shares_batch (strategy) || batch % n_ranks == 0)
    return NULL;
  if (options->accumulate == 1)
    return g_strdup_printf (_ ("A batch of %d cannot be split equally among %d copies."), batch, n_ranks);
  return g_strdup_printf (_ ("A microbatch of %d cannot be split equally among %d copies."), batch, n_ranks);
}

char *
urbarium_strategy_dup_summary (UrbStrategy strategy, int n_ranks)
{
  switch (strategy)
    {
    case URB_STRATEGY_HOGWILD:
      return g_strdup_printf (ngettext ("Hogwild, %d process", "Hogwild, %d processes", n_ranks),
                              n_ranks);
    case URB_STRATEGY_STREAMS:
      return g_strdup_printf (ngettext ("Asynchronous, %d thread", "Asynchronous, %d threads",
                                        n_ranks), n_ranks);
    case URB_STRATEGY_DP:
      /* translators: copies of the networks */
      return g_strdup_printf (ngettext ("DataParallel, %d copy", "DataParallel, %d copies",
                                        n_ranks), n_ranks);
    case URB_STRATEGY_DDP:
      /* translators: copies of the networks */
      return g_strdup_printf (ngettext ("DDP, %d copy", "DDP, %d copies", n_ranks), n_ranks);
    case URB_STRATEGY_ZERO1:
    case URB_STRATEGY_ZERO2:
    case URB_STRATEGY_ZERO3:
      /* translators: ZeRO-1 to ZeRO-3; copies of the networks, which share what they hold */
      return g_strdup_printf (ngettext ("ZeRO-%d, %d copy", "ZeRO-%d, %d copies", n_ranks),
                              urb_strategy_get_zero_level (strategy), n_ranks);
    case URB_STRATEGY_LAYERS:
      /* translators: parts of the networks, one on each rank */
      return g_strdup_printf (ngettext ("Layers in turn, %d stage", "Layers in turn, %d stages",
                                        n_ranks), n_ranks);
    case URB_STRATEGY_GPIPE:
    case URB_STRATEGY_1F1B:
    case URB_STRATEGY_INTERLEAVED:
    case URB_STRATEGY_ZB:
      /* translators: "Pipeline (GPipe)", and parts of the networks, one on each rank */
      return g_strdup_printf (ngettext ("%s, %d stage", "%s, %d stages", n_ranks),
                              _ (urbarium_strategies[strategy].title), n_ranks);
    case URB_STRATEGY_TENSOR:
      /* translators: the channels of the networks' wide layers are divided among them */
      return g_strdup_printf (ngettext ("Tensor parallel, %d rank", "Tensor parallel, %d ranks", n_ranks),
                              n_ranks);
    case URB_STRATEGY_MESH:
      /* translators: of ranks that divide samples, channels and layers, or two of these */
      return g_strdup_printf (ngettext ("Mesh, %d rank", "Mesh, %d ranks", n_ranks), n_ranks);
    default:
      return g_strdup (_ ("One process"));
    }
}
