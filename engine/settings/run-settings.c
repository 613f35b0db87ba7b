/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-settings.c - the table of all settings of a run.
 *
 * Rows are in the order of run.ini and of --help.  docs/architecture.md says
 * what follows from a row.
 */
#include <glib/gi18n.h>

#include "settings/recipe.h"

const char *const urb_precision_names[] = UK_PRECISION_NAMES;
static const char *const channels[] = { "1", "3", NULL };
static const char *const communicators[] = { "auto", "threads", "mpi", "nccl", NULL };
static const char *const splits[] = { "auto", "all", NULL };
static const char *const schedules[] = { "layers", "gpipe", "1f1b", "interleaved", "zb", NULL };
static const char *const sharings[] = { "file_descriptor", "file_system", NULL };

#define FIELD(member) G_STRUCT_OFFSET (UrbRunConfig, member)
#define ANY G_MAXDOUBLE

enum
{
  NEW = URB_SETTING_TRAIN,
  NETWORK = URB_SETTING_TRAIN | URB_SETTING_BENCH | URB_SETTING_PLAN,
  ANYTIME = URB_SETTING_TRAIN | URB_SETTING_RESUME,
  EVERYWHERE = NETWORK | URB_SETTING_RESUME,
  SWEEP = URB_SETTING_SWEEP,
  MESH = 1 << URB_STRATEGY_MESH,
  BUCKETS = 1 << URB_STRATEGY_DDP | 1 << URB_STRATEGY_TENSOR | MESH,
  DISTRIBUTED = URB_STRATEGIES_DISTRIBUTED,
  SEVERAL_RANKS = ((1 << URB_N_STRATEGIES) - 1) & ~(1 << URB_STRATEGY_SINGLE)
};

static const UrbSetting rows[] = {
  { .key = "dataset", .group = "train", .type = URB_SETTING_FILE, .offset = FIELD (train.dataset),
    .section = URB_SECTION_TRAINING, .flags = ANYTIME, .arg = "FILE", .title = N_ ("Dataset"),
    .help = N_ ("Areas to learn from (see curate)"),
    .details = N_ ("The areas to learn from.  For a run that is resumed: where the file is now; it "
                   "must have the same areas."),
    .effect = N_ ("The areas to learn from") },
  { .key = "preset", .group = "train", .type = URB_SETTING_TEXT, .offset = FIELD (train.preset),
    .section = URB_SECTION_TRAINING, .flags = NETWORK | SWEEP, .text = "tiny", .arg = "NAME",
    .title = N_ ("Networks"), .help = N_ ("Networks: %s, or a file"),
    .details = N_ ("The networks: %s, or a file, which is copied into the run.") },
  { .key = "recipe", .group = "train", .type = URB_SETTING_TEXT, .offset = FIELD (train.recipe),
    .section = URB_SECTION_TRAINING, .flags = NETWORK | SWEEP, .choices = urb_recipe_names, .text = "r3",
    .arg = "NAME", .title = N_ ("Recipe"), .help = N_ ("Loss and schedules: %s"),
    .details = N_ ("`r3`: relativistic pairing with gradient penalties.  `dcgan`: binary cross "
                   "entropy.") },
  { .key = "device", .stored = "backend", .group = "train", .type = URB_SETTING_TEXT,
    .offset = FIELD (train.backend), .section = URB_SECTION_HARDWARE, .flags = EVERYWHERE,
    .text = "cpu", .alias = "backend", .arg = "NAME", .title = N_ ("Device"),
    .help = N_ ("cpu, cuda, or some of several GPUs as in cuda:1 or cuda:0,2"),
    .details = N_ ("`cpu`, `cuda` (the first GPU; several ranks take all GPUs in turn) or some of several GPUs: `cuda:1`, or `cuda:0,2`, "
                   "which the ranks take in turn, in this order.  `reference` is slow, plain C in double precision.  A run can be "
                   "resumed on another device."),
    .effect = N_ ("`cpu`, or GPUs: `cuda:0`, `cuda:1` and so on, or several for several ranks, as in `cuda:0,1`") },
  { .key = "channels", .group = "train", .type = URB_SETTING_INT, .offset = FIELD (train.n_channels),
    .section = URB_SECTION_TRAINING, .flags = NETWORK, .choices = channels,
    .source = URB_SOURCE_DATASET, .arg = "N", .title = N_ ("Channels"),
    .help = N_ ("3 for rgb, 1 for grey"),
    .details = N_ ("3 for rgb, 1 for grey.  Without a dataset, 3.") },
  { .key = "steps", .group = "train", .type = URB_SETTING_INT64, .offset = FIELD (train.n_steps),
    .section = URB_SECTION_TRAINING, .flags = ANYTIME, .min = 1, .max = G_MAXUINT32,
    .source = URB_SOURCE_PRESET, .unit = N_ ("steps"), .arg = "N", .title = N_ ("Steps"),
    .help = N_ ("Training steps in total"),
    .details = N_ ("Steps in total: a run that has done 10 and is resumed with 20 does 10 more."),
    .effect = N_ ("Training steps in total") },
  { .key = "batch", .group = "train", .type = URB_SETTING_INT, .offset = FIELD (train.batch),
    .section = URB_SECTION_TRAINING, .flags = NETWORK | SWEEP, .min = 1, .max = 65536,
    .source = URB_SOURCE_PRESET, .unit = N_ ("images"), .arg = "N", .title = N_ ("Batch size"),
    .help = N_ ("Images per step") },
  { .key = "accumulate", .group = "train", .type = URB_SETTING_INT,
    .offset = FIELD (train.accumulate), .section = URB_SECTION_TRAINING, .flags = NETWORK | SWEEP,
    .min = 1, .max = 65536, .number = 1, .arg = "N", .title = N_ ("Microbatches"),
    .help = N_ ("Microbatches per step"),
    .details = N_ ("Computes a step in several parts and adds up their gradients: less memory for "
                   "the same result.") },
  { .key = "d-steps", .group = "train", .type = URB_SETTING_INT, .offset = FIELD (train.n_d_steps),
    .section = URB_SECTION_TRAINING, .flags = NETWORK | SWEEP, .min = 1, .max = 16, .number = 1, .arg = "N",
    .title = N_ ("Discriminator’s steps"), .help = N_ ("Discriminator's steps per step of the generator"),
    .details = N_ ("The discriminator makes this many steps, each with a batch and noise of its own, before each "
                   "step of the generator.  Images per second count the images of all of them.") },
  { .key = "precision", .group = "train", .type = URB_SETTING_ENUM,
    .offset = FIELD (train.precision), .section = URB_SECTION_HARDWARE,
    .flags = EVERYWHERE | SWEEP, .choices = urb_precision_names, .number = UK_FP32, .arg = "NAME",
    .title = N_ ("Precision"), .help = N_ ("fp32, bf16, or tf32 or fp16 on a GPU"),
    .details = N_ ("Precision of the products inside convolutions.  `tf32` rounds the factors of "
                   "32-bit products.  `fp16` has more digits than `bf16` but a smaller range, so that losses are "
                   "scaled (see loss-scale).  Both need a GPU.  A GPU or processor must support `bf16` in "
                   "hardware, and a GPU `tf32`.") },
  { .key = "cudnn-compiled", .group = "train", .type = URB_SETTING_INT, .offset = FIELD (train.cudnn_compiled),
    .section = URB_SECTION_HARDWARE, .flags = EVERYWHERE, .max = 8, .arg = "N",
    .title = N_ ("Kernels compiled by cuDNN"), .help = N_ ("Try up to N kernels per convolution that cuDNN must compile first"),
    .details = N_ ("On a GPU, the kernels that cuDNN compiles while it runs, at most so many for each convolution, "
                   "compete with those that it brings along.  Each takes about a second to compile at the first "
                   "start with a preset and batch size.  0: none.") },
  { .key = "threads", .group = "train", .type = URB_SETTING_INT, .offset = FIELD (train.n_threads),
    .section = URB_SECTION_HARDWARE, .flags = EVERYWHERE, .max = 4096,
    .source = URB_SOURCE_MACHINE, .usual = N_ ("one per processor"), .arg = "N",
    .title = N_ ("Processor threads"), .help = N_ ("Processor threads"),
    .details = N_ ("Processor threads of all ranks on this machine together.") },
  { .key = "rank-memory", .group = "train", .type = URB_SETTING_DOUBLE, .offset = FIELD (train.rank_memory),
    .section = URB_SECTION_HARDWARE, .flags = EVERYWHERE, .max = 1e6, .usual = N_ ("no limit"), .unit = N_ ("GB"),
    .arg = "GB", .title = N_ ("Memory limit of a rank"), .help = N_ ("Most memory that a rank may take; 0: any amount"),
    .details = N_ ("The most memory that each rank may take: of this machine, or of its GPU.  A rank's memory is known "
                   "before it begins; a run that needs more is refused, with what would fit.  0: no limit but what is "
                   "free.") },
  { .key = "seed", .group = "train", .type = URB_SETTING_UINT64, .offset = FIELD (train.seed),
    .section = URB_SECTION_TRAINING, .flags = NEW | SWEEP, .max = (double) G_MAXUINT64, .number = 1,
    .arg = "N", .title = N_ ("Seed"), .help = N_ ("Seed of all random numbers") },
  { .key = "overfit", .group = "train", .type = URB_SETTING_BOOLEAN, .offset = FIELD (train.overfit),
    .section = URB_SECTION_TRAINING, .flags = NEW, .title = N_ ("Overfit one batch"),
    .help = N_ ("Train on the images of the first step alone"),
    .details = N_ ("Every step has the images and the noise of the first one, without augmentation.  Networks that "
                   "can learn at all soon know them by heart: a test of networks and settings, which makes no new "
                   "cities."),
    .effect = N_ ("Every step has the images and the noise of the first one, without augmentation: a test of "
                  "networks and settings, which makes no new cities") },
  { .key = "lr-g", .group = "train", .type = URB_SETTING_DOUBLE, .offset = FIELD (train.lr_g),
    .section = URB_SECTION_SCHEDULES, .flags = ANYTIME | SWEEP, .above_min = TRUE, .max = 1,
    .source = URB_SOURCE_RECIPE, .arg = "X", .title = N_ ("Generator’s learning rate"),
    .help = N_ ("Generator's learning rate"),
    .details = N_ ("The generator's learning rate, which the schedule of the learning rates multiplies by "
                   "a share from step to step.") },
  { .key = "lr-d", .group = "train", .type = URB_SETTING_DOUBLE, .offset = FIELD (train.lr_d),
    .section = URB_SECTION_SCHEDULES, .flags = ANYTIME | SWEEP, .above_min = TRUE, .max = 1,
    .source = URB_SOURCE_RECIPE, .arg = "X", .title = N_ ("Discriminator’s learning rate"),
    .help = N_ ("Discriminator's learning rate"),
    .details = N_ ("The discriminator's learning rate, which the schedule of the learning rates multiplies "
                   "by a share from step to step.") },
  { .key = "lr-schedule", .group = "train", .type = URB_SETTING_ENUM, .offset = FIELD (train.lr_schedule),
    .section = URB_SECTION_SCHEDULES, .flags = NEW | SWEEP, .choices = urb_lr_schedule_names,
    .number = URB_LR_SCHEDULE_OF_RECIPE, .source = URB_SOURCE_RECIPE, .arg = "NAME",
    .title = N_ ("Schedule of the learning rates"), .help = N_ ("Schedule of both learning rates: %s"),
    .details = N_ ("How both learning rates fall from the full rate to its final share: never (`constant`), in "
                   "equal amounts (`linear`), along half a cosine (`cosine`) or in equal factors at equal "
                   "distances (`step`).  `one-cycle` begins with a twenty-fifth of the rate, has the full rate "
                   "after three tenths of the schedule, and then falls, both along a cosine.") },
  { .key = "lr-drops", .group = "train", .type = URB_SETTING_INT, .offset = FIELD (train.lr_drops),
    .section = URB_SECTION_SCHEDULES, .flags = NEW | SWEEP, .min = 1, .max = 1000, .number = 3, .arg = "N",
    .title = N_ ("Drops of the learning rates"), .help = N_ ("Times that the schedule step lowers the learning rates"),
    .details = N_ ("How often the schedule `step` lowers the learning rates, each time by the same factor.  The "
                   "parts between the drops are equally long; the last one has the final share.") },
  { .key = "lr-final", .group = "train", .type = URB_SETTING_DOUBLE,
    .offset = FIELD (train.lr_final), .section = URB_SECTION_SCHEDULES, .flags = NEW | SWEEP,
    .above_min = TRUE, .max = 1, .source = URB_SOURCE_RECIPE, .arg = "X",
    .title = N_ ("Final share of learning rates"),
    .help = N_ ("Share of the learning rates left at the end of the schedule") },
  { .key = "gamma", .group = "train", .type = URB_SETTING_DOUBLE, .offset = FIELD (train.gamma),
    .section = URB_SECTION_SCHEDULES, .flags = ANYTIME | SWEEP, .max = ANY, .number = -1,
    .source = URB_SOURCE_RECIPE, .arg = "X", .title = N_ ("Weight of the gradient penalty"),
    .help = N_ ("Weight of the gradient penalty"),
    .details = N_ ("Initial weight of the gradient penalties R1 and R2 under the recipe `r3`.") },
  { .key = "beta2", .group = "train", .type = URB_SETTING_DOUBLE, .offset = FIELD (train.beta2),
    .section = URB_SECTION_SCHEDULES, .flags = NEW | SWEEP, .above_min = TRUE, .max = 1,
    .source = URB_SOURCE_RECIPE, .arg = "X", .title = N_ ("Adam’s β₂"),
    .help = N_ ("Decay of Adam's second moments") },
  { .key = "adam-epsilon", .group = "train", .type = URB_SETTING_DOUBLE,
    .offset = FIELD (train.adam_epsilon), .section = URB_SECTION_SCHEDULES, .flags = NEW | SWEEP,
    .min = 1e-12, .max = 0.1, .number = 1e-8, .arg = "X", .title = N_ ("Adam’s ε"),
    .help = N_ ("Added to the root of Adam's second moments"),
    .details = N_ ("Added to the root of Adam's second moments, so that small gradients do not make "
                   "large steps.") },
  { .key = "clip-norm", .group = "train", .type = URB_SETTING_DOUBLE,
    .offset = FIELD (train.clip_norm), .section = URB_SECTION_SCHEDULES, .flags = NEW | SWEEP,
    .max = ANY, .number = -1, .source = URB_SOURCE_RECIPE, .arg = "X",
    .title = N_ ("Largest gradient norm"), .help = N_ ("Clip gradients to this norm; 0: never"),
    .details = N_ ("Each network's gradient is scaled down to this norm where it is larger.  0: never.") },
  { .key = "clip-norm-g", .group = "train", .type = URB_SETTING_DOUBLE,
    .offset = FIELD (train.clip_norm_g), .section = URB_SECTION_SCHEDULES, .flags = NEW | SWEEP,
    .max = ANY, .number = -1, .source = URB_SOURCE_RUN, .usual = N_ ("that of both networks"), .arg = "X",
    .title = N_ ("Largest norm of the generator’s gradient"),
    .help = N_ ("Clip the generator's gradient to this norm; 0: never") },
  { .key = "clip-norm-d", .group = "train", .type = URB_SETTING_DOUBLE,
    .offset = FIELD (train.clip_norm_d), .section = URB_SECTION_SCHEDULES, .flags = NEW | SWEEP,
    .max = ANY, .number = -1, .source = URB_SOURCE_RUN, .usual = N_ ("that of both networks"), .arg = "X",
    .title = N_ ("Largest norm of the discriminator’s gradient"),
    .help = N_ ("Clip the discriminator's gradient to this norm; 0: never") },
  { .key = "weight-decay-g", .group = "train", .type = URB_SETTING_DOUBLE,
    .offset = FIELD (train.weight_decay_g), .section = URB_SECTION_SCHEDULES, .flags = NEW | SWEEP,
    .max = 1e3, .arg = "X", .title = N_ ("Generator’s weight decay"),
    .help = N_ ("Weight decay of the generator, as in AdamW"),
    .details = N_ ("Each step also takes this share, times the learning rate, from every weight of the generator.") },
  { .key = "weight-decay-d", .group = "train", .type = URB_SETTING_DOUBLE,
    .offset = FIELD (train.weight_decay_d), .section = URB_SECTION_SCHEDULES, .flags = NEW | SWEEP,
    .max = 1e3, .arg = "X", .title = N_ ("Discriminator’s weight decay"),
    .help = N_ ("Weight decay of the discriminator, as in AdamW"),
    .details = N_ ("Each step also takes this share, times the learning rate, from every weight of the "
                   "discriminator.") },
  { .key = "label-smoothing", .group = "train", .type = URB_SETTING_DOUBLE,
    .offset = FIELD (train.label_smoothing), .section = URB_SECTION_SCHEDULES, .flags = NETWORK | SWEEP,
    .max = 0.5, .arg = "X", .title = N_ ("Label smoothing"),
    .help = N_ ("Real cities have the label 1 minus this in the discriminator's loss"),
    .details = N_ ("One-sided: the discriminator learns to give real cities the label 1 minus this, and generated "
                   "ones 0.  Only with the recipe `dcgan`; `r3` has no labels.") },
  { .key = "loss-scale", .group = "train", .type = URB_SETTING_DOUBLE, .offset = FIELD (train.loss_scale),
    .section = URB_SECTION_SCHEDULES, .flags = NEW | SWEEP, .min = 1, .max = 1e30,
    .source = URB_SOURCE_RUN, .usual = N_ ("no scaling, or 65536 in fp16"), .arg = "X", .title = N_ ("Loss scale"),
    .help = N_ ("Multiply the gradients of both losses by this power of two at first; 1: never"),
    .details = N_ ("The gradients of both losses are multiplied by it, so that small ones are not lost in 16 bits, and "
                   "divided again before each update.  A network whose gradient overflows skips that update, and its "
                   "scale is halved.  A power of two; 1: no scaling.") },
  { .key = "loss-scale-steps", .group = "train", .type = URB_SETTING_INT64, .offset = FIELD (train.loss_scale_steps),
    .section = URB_SECTION_SCHEDULES, .flags = NEW | SWEEP, .min = 1, .max = 1e9, .number = 2000,
    .unit = N_ ("steps"), .arg = "N", .title = N_ ("Steps until the loss scale doubles"),
    .help = N_ ("Steps without an overflow until the loss scale is doubled") },
  { .key = "augment", .group = "train", .type = URB_SETTING_DOUBLE, .offset = FIELD (train.augment),
    .section = URB_SECTION_SCHEDULES, .flags = NETWORK | SWEEP, .max = 1, .number = -1,
    .source = URB_SOURCE_RECIPE, .arg = "P", .title = N_ ("Augmentation"),
    .help = N_ ("Final probability of DiffAugment") },
  { .key = "refine", .group = "train", .type = URB_SETTING_BOOLEAN, .offset = FIELD (train.refine),
    .section = URB_SECTION_TRAINING, .flags = NETWORK | SWEEP, .number = TRUE, .option = "no-refine",
    .title = N_ ("Refine cities"), .help = N_ ("Train no refiner"),
    .details = N_ ("Leaves out the refiner, a small second network that draws the generator's cities "
                   "at the resolution of the dataset: walls and narrow streets become sharp."),
    .effect = N_ ("Train a small second network that draws walls and narrow streets sharply") },
  { .key = "shares-weight", .group = "train", .type = URB_SETTING_DOUBLE,
    .offset = FIELD (train.shares_weight), .section = URB_SECTION_SCHEDULES, .flags = ANYTIME | SWEEP,
    .max = ANY, .number = 1, .arg = "X", .title = N_ ("Weight of the shares"),
    .help = N_ ("Weight of the loss on the shares that the generator is given"),
    .details = N_ ("Weight of the generator's loss on its shares: the mean squared difference between "
                   "the built, road and large-building shares that it is given and those of its city, "
                   "in standard deviations.  Only with presets that have shares.") },
  { .key = "average", .group = "train", .type = URB_SETTING_ENUM, .offset = FIELD (train.averaging),
    .section = URB_SECTION_SCHEDULES, .flags = ANYTIME | SWEEP, .choices = urb_averaging_names,
    .number = URB_AVERAGING_EMA, .arg = "NAME", .title = N_ ("Averaged weights"),
    .help = N_ ("Average of the generator's weights: %s"),
    .details = N_ ("Cities are drawn with an average of the generator's weights.  `ema`: newer weights count more, "
                   "with a half-life.  `equal`: from one step on all count the same; before it, the average is "
                   "the weights.") },
  { .key = "ema-kimg", .group = "train", .type = URB_SETTING_DOUBLE,
    .offset = FIELD (train.ema_kimg), .section = URB_SECTION_SCHEDULES, .flags = NEW | SWEEP,
    .max = ANY, .number = -1, .source = URB_SOURCE_PRESET, .unit = N_ ("thousand images"),
    .arg = "X", .title = N_ ("Half-life of averaged weights"),
    .help = N_ ("Half-life of the averaged weights (EMA), in thousands of images") },
  { .key = "ema-ramp", .group = "train", .type = URB_SETTING_DOUBLE, .offset = FIELD (train.ema_ramp),
    .section = URB_SECTION_SCHEDULES, .flags = ANYTIME | SWEEP, .max = 1e6, .number = 0.05, .arg = "X",
    .title = N_ ("Ramp of the half-life"),
    .help = N_ ("The half-life of the averaged weights is at most this share of the images so far"),
    .details = N_ ("At the beginning of a run the half-life of the averaged weights is at most this share of the images "
                   "so far, so that the average soon forgets the untrained weights.  0: the half-life is the same "
                   "throughout.  Only with the average `ema`.") },
  { .key = "average-from", .group = "train", .type = URB_SETTING_INT64, .offset = FIELD (train.average_from),
    .section = URB_SECTION_SCHEDULES, .flags = ANYTIME | SWEEP, .max = ANY, .number = -1, .source = URB_SOURCE_RUN,
    .usual = N_ ("three quarters of the schedules"), .unit = N_ ("steps"), .arg = "N",
    .title = N_ ("Equal average from"), .help = N_ ("Steps after which the average equal begins"),
    .details = N_ ("After this many steps the weights of all further steps count the same in the average.  Only with "
                   "the average `equal`.") },
  { .key = "warmup", .group = "train", .type = URB_SETTING_INT64, .offset = FIELD (train.n_warmup),
    .section = URB_SECTION_SCHEDULES, .flags = NEW | SWEEP, .max = ANY, .number = -1,
    .source = URB_SOURCE_RECIPE, .unit = N_ ("steps"), .arg = "N", .title = N_ ("Warm-up"),
    .help = N_ ("Steps until the full learning rate") },
  { .key = "schedule-steps", .group = "train", .type = URB_SETTING_INT64,
    .offset = FIELD (train.schedule_steps), .section = URB_SECTION_SCHEDULES, .flags = NEW | SWEEP,
    .max = ANY, .source = URB_SOURCE_RUN, .usual = N_ ("the number of steps"), .unit = N_ ("steps"),
    .arg = "N", .title = N_ ("Length of the schedules"),
    .help = N_ ("Steps until the schedules reach their final values") },
  { .key = "strategy", .group = "train", .type = URB_SETTING_ENUM, .offset = FIELD (train.strategy),
    .section = URB_SECTION_STRATEGY, .flags = EVERYWHERE | SWEEP, .choices = urb_strategy_names,
    .arg = "NAME[:N]", .title = N_ ("Strategy"), .help = N_ ("%s, with the number of ranks as in ddp:2"),
    .details = N_ ("How several ranks, processes or threads, train one model together: `single` "
                   "(one process), `hogwild` (processes that update shared parameters without "
                   "locks), `streams` (the same with threads), `dp` (rank 0 owns the parameters, "
                   "the other ranks get copies at every step), `ddp` (every rank owns a replica, "
                   "and gradients are summed over all ranks), or a pipeline, in which every rank "
                   "owns a part of the layers: `layers` (one rank after the other), `gpipe`, `1f1b` "
                   "and `interleaved` (several microbatches under way, see --accumulate) and `zb` "
                   "(weight gradients fill the gaps).  `zero1`, `zero2` and `zero3` (also called `fsdp`) "
                   "are as `ddp`, but ranks divide moments and average, gradients too, parameters "
                   "too.  `tensor`: ranks divide the channels of wide layers.  `mesh`: several of "
                   "these at once, see --mesh.  A run can be resumed under any "
                   "strategy and number of ranks; the settings of the new strategy then start "
                   "from their defaults.  See docs/strategies.md."),
    .effect = N_ ("How ranks, processes or threads, train one model together.  The settings of "
                  "another strategy start from their defaults.") },
  { .key = "ranks", .group = "train", .type = URB_SETTING_INT, .offset = FIELD (train.n_ranks),
    .section = URB_SECTION_STRATEGY, .flags = EVERYWHERE,
    .strategies = SEVERAL_RANKS, .min = 1, .max = URB_MAX_RANKS, .number = 1,
    .arg = "N", .title = N_ ("Ranks"),
    .help = N_ ("number of ranks, as in --strategy ddp:2"),
    .details = N_ ("Processes or threads that train one model together: `--strategy ddp --ranks 2` "
                   "is `--strategy ddp:2`."),
    .effect = N_ ("Processes or threads that train together") },
  { .key = "mesh", .group = "train", .type = URB_SETTING_TEXT, .offset = FIELD (train.mesh),
    .section = URB_SECTION_STRATEGY, .flags = EVERYWHERE, .strategies = MESH, .arg = "AXES",
    .title = N_ ("Axes of the mesh"), .help = N_ ("ranks along each axis, as in data=2,pipe=2"),
    .details = N_ ("Ranks along each axis, as in `data=2,pipe=2`: along `data` they divide the samples of a "
                   "batch, along `tensor` the channels of wide layers, along `pipe` the layers.  The option "
                   "alone chooses the strategy `mesh` with as many ranks.") },
  { .key = "schedule", .group = "train", .type = URB_SETTING_TEXT, .offset = FIELD (train.schedule),
    .section = URB_SECTION_STRATEGY, .flags = EVERYWHERE | SWEEP, .strategies = MESH,
    .choices = schedules, .text = "1f1b", .arg = "NAME", .title = N_ ("Order in pipelines"),
    .help = N_ ("order of work along pipe: %s"),
    .details = N_ ("The order in which ranks along `pipe` work, as the strategy of that name.") },
  { .key = "zero", .group = "train", .type = URB_SETTING_INT, .offset = FIELD (train.zero),
    .section = URB_SECTION_STRATEGY, .flags = EVERYWHERE | SWEEP, .strategies = MESH, .max = 3, .arg = "N",
    .title = N_ ("Division along data"), .help = N_ ("what ranks along data divide, as zero1 to zero3; 0: nothing"),
    .details = N_ ("What ranks along `data` divide: 1: moments and average, 2: gradients too, 3: parameters "
                   "too, as `zero1` to `zero3`.") },
  { .key = "communicator", .group = "train", .type = URB_SETTING_TEXT,
    .offset = FIELD (train.communicator), .section = URB_SECTION_STRATEGY, .flags = EVERYWHERE,
    .strategies = DISTRIBUTED, .choices = communicators, .text = "auto", .arg = "NAME",
    .title = N_ ("Communicator"), .help = N_ ("how ranks communicate: %s"),
    .details = N_ ("How ranks communicate: as `threads` of one process, through `mpi`, through "
                   "`nccl` (one GPU per rank, or the run is refused) or `auto` (threads on one "
                   "host, MPI on several).") },
  { .key = "sync-batch-norm", .group = "train", .type = URB_SETTING_BOOLEAN,
    .offset = FIELD (train.sync_batch_norm), .section = URB_SECTION_STRATEGY, .flags = EVERYWHERE,
    .strategies = URB_STRATEGIES_REPLICAS | MESH, .number = TRUE, .option = "no-sync-batch-norm",
    .title = N_ ("Batch norm over all ranks"),
    .help = N_ ("batch norm sees only its rank's part of the batch"),
    .details = N_ ("Batch norm then uses the statistics of the part of the batch that its rank "
                   "has, rather than of the whole batch."),
    .effect = N_ ("Gives the result of one process, but costs some time") },
  { .key = "bucket-mib", .group = "train", .type = URB_SETTING_DOUBLE,
    .offset = FIELD (train.bucket_mib), .section = URB_SECTION_STRATEGY, .flags = EVERYWHERE | SWEEP,
    .strategies = BUCKETS, .min = 1e-6, .max = 65536, .number = 25, .unit = N_ ("MiB"), .arg = "X",
    .title = N_ ("Gradient buckets"), .help = N_ ("MiB of gradients per all-reduce"),
    .details = N_ ("Gradients are all-reduced in buckets of about this size while the backward "
                   "pass goes on.") },
  { .key = "unit-mib", .group = "train", .type = URB_SETTING_DOUBLE,
    .offset = FIELD (train.unit_mib), .section = URB_SECTION_STRATEGY, .flags = EVERYWHERE | SWEEP,
    .strategies = URB_STRATEGIES_ZERO | MESH, .max = 65536, .number = 4, .unit = N_ ("MiB"), .arg = "X",
    .title = N_ ("Units of layers"), .help = N_ ("MiB of parameters exchanged together, at least; 0: each layer"),
    .details = N_ ("Layers whose gradients are reduced and whose parameters are gathered together: at "
                   "least this many MiB of parameters.  0: each layer by itself.") },
  { .key = "prefetch", .group = "train", .type = URB_SETTING_INT, .offset = FIELD (train.prefetch),
    .section = URB_SECTION_STRATEGY, .flags = EVERYWHERE | SWEEP,
    .strategies = 1 << URB_STRATEGY_ZERO3 | MESH, .max = 64, .number = 1, .arg = "N",
    .title = N_ ("Units gathered ahead"), .help = N_ ("units of parameters gathered before they are needed"),
    .details = N_ ("Units of parameters that are gathered before they are needed, while others are in "
                   "use.  Each needs memory; with 0, ranks wait for each unit.") },
  { .key = "reshard", .group = "train", .type = URB_SETTING_BOOLEAN, .offset = FIELD (train.reshard),
    .section = URB_SECTION_STRATEGY, .flags = EVERYWHERE,
    .strategies = 1 << URB_STRATEGY_ZERO3 | MESH, .number = TRUE, .option = "no-reshard",
    .title = N_ ("Drop gathered parameters after each sweep"),
    .help = N_ ("keep gathered parameters until the update"),
    .details = N_ ("Keeps gathered parameters until the update of their network, instead of gathering "
                   "them anew for each sweep: fewer messages, more memory."),
    .effect = N_ ("Needs less memory, but more messages") },
  { .key = "chunks", .group = "train", .type = URB_SETTING_INT, .offset = FIELD (train.chunks),
    .section = URB_SECTION_STRATEGY, .flags = EVERYWHERE | SWEEP,
    .strategies = 1 << URB_STRATEGY_INTERLEAVED | MESH, .min = 2, .max = 64, .number = 2, .arg = "N",
    .title = N_ ("Parts per rank"), .help = N_ ("parts of each network on a rank"),
    .details = N_ ("Each rank has this many separate parts of either network, so that ranks wait for "
                   "shorter work of each other, but send more messages.") },
  { .key = "split", .group = "train", .type = URB_SETTING_TEXT, .offset = FIELD (train.split),
    .section = URB_SECTION_STRATEGY, .flags = EVERYWHERE | SWEEP,
    .strategies = 1 << URB_STRATEGY_TENSOR | MESH, .choices = splits, .text = "auto", .arg = "NAME",
    .title = N_ ("Divided layers"), .help = N_ ("which layers are divided: %s"),
    .details = N_ ("Which layers ranks divide: those for which that is estimated to be faster than to sum "
                   "their gradients (`auto`), or as many as possible (`all`).") },
  { .key = "offload", .group = "train", .type = URB_SETTING_TEXT, .offset = FIELD (train.offload),
    .section = URB_SECTION_STRATEGY, .flags = EVERYWHERE, .strategies = URB_STRATEGIES_OFFLOADING,
    .usual = N_ ("in memory"), .arg = "FOLDER", .title = N_ ("Offload optimizer state"),
    .help = N_ ("moments and average in a file in this folder, or in the “host”’s memory"),
    .details = N_ ("Adam's moments and the averaged weights are in a file in this folder, or with `host` in "
                   "the host's memory instead of a GPU's.  Parts of them are fetched, updated and stored "
                   "during each update.  The result is the same, for less memory and some time.  The file has no "
                   "name, and vanishes with its process."),
    .effect = N_ ("A folder with room for Adam’s moments and the averaged weights, which then need no "
                  "memory; or `host`, if a GPU trains") },
  { .key = "local-moments", .group = "train", .type = URB_SETTING_BOOLEAN,
    .offset = FIELD (train.local_moments), .section = URB_SECTION_STRATEGY, .flags = EVERYWHERE,
    .strategies = URB_STRATEGIES_ASYNCHRONOUS, .title = N_ ("Adam’s moments per rank"),
    .help = N_ ("each rank has its own Adam moments"),
    .details = N_ ("Each rank has its own moments of Adam, as in PyTorch's Hogwild example, instead "
                   "of shared ones.") },
  { .key = "staleness", .group = "train", .type = URB_SETTING_INT,
    .offset = FIELD (train.staleness), .section = URB_SECTION_STRATEGY, .flags = EVERYWHERE | SWEEP,
    .strategies = URB_STRATEGIES_ASYNCHRONOUS, .max = G_MAXINT, .unit = N_ ("steps"), .arg = "N",
    .title = N_ ("Largest lead of a rank"),
    .help = N_ ("maximum lead over the slowest rank, in steps; 0: any") },
  { .key = "stale-lr", .group = "train", .type = URB_SETTING_BOOLEAN,
    .offset = FIELD (train.stale_lr), .section = URB_SECTION_STRATEGY, .flags = EVERYWHERE,
    .strategies = URB_STRATEGIES_ASYNCHRONOUS, .number = TRUE, .option = "full-lr",
    .title = N_ ("Divide learning rates by the ranks"),
    .help = N_ ("do not divide the learning rates by the number of ranks"),
    .effect = N_ ("Gradients are slightly stale when they arrive; smaller steps keep the training "
                  "stable") },
  { .key = "send-dataset", .group = "train", .type = URB_SETTING_BOOLEAN, .offset = FIELD (train.send_dataset),
    .section = URB_SECTION_HARDWARE, .flags = ANYTIME, .strategies = DISTRIBUTED,
    .title = N_ ("Send the dataset"), .help = N_ ("rank 0 gives the dataset to hosts that lack it"),
    .details = N_ ("Rank 0 gives the dataset to ranks whose host has no file of that name.  They keep it in "
                   "the user's cache, under the dataset's id.") },
  { .key = "sharing", .group = "train", .type = URB_SETTING_TEXT, .offset = FIELD (train.sharing),
    .section = URB_SECTION_STRATEGY, .flags = EVERYWHERE,
    .strategies = 1 << URB_STRATEGY_HOGWILD, .choices = sharings, .text = "file_descriptor",
    .arg = "NAME", .title = N_ ("Shared memory"),
    .help = N_ ("parameters in %s memory"),
    .details = N_ ("Where the shared parameters are: `file_descriptor` (memory without a name) or "
                   "`file_system` (a file in /dev/shm).") },

  { .key = "sample-every", .stored = "sample_every", .group = "run", .type = URB_SETTING_INT64,
    .offset = FIELD (sample_every), .section = URB_SECTION_CHECKPOINTS, .flags = ANYTIME,
    .max = ANY, .source = URB_SOURCE_MACHINE, .usual = N_ ("about every minute"),
    .unit = N_ ("steps"), .arg = "N", .title = N_ ("Sample every"),
    .help = N_ ("Steps between sample grids"),
    .details = N_ ("Steps between sample grids, which show cities of the same seeds throughout the "
                   "training.") },
  { .key = "checkpoint-every", .stored = "checkpoint_every", .group = "run",
    .type = URB_SETTING_INT64, .offset = FIELD (checkpoint_every),
    .section = URB_SECTION_CHECKPOINTS, .flags = ANYTIME, .max = ANY,
    .source = URB_SOURCE_MACHINE, .usual = N_ ("about every five minutes"), .unit = N_ ("steps"),
    .arg = "N", .title = N_ ("Save every"), .help = N_ ("Steps between checkpoints") },
  { .key = "keep-checkpoints", .stored = "keep_checkpoints", .group = "run",
    .type = URB_SETTING_INT, .offset = FIELD (keep_checkpoints),
    .section = URB_SECTION_CHECKPOINTS, .flags = ANYTIME, .max = G_MAXINT, .number = 3, .arg = "N",
    .title = N_ ("Checkpoints to keep"), .help = N_ ("Newest checkpoints to keep; 0: all"),
    .details = N_ ("Newest checkpoints to keep; 0 keeps all.  Older ones are deleted when a new one has "
                   "been written.") },
  { .key = "score", .group = "run", .type = URB_SETTING_BOOLEAN, .offset = FIELD (score),
    .section = URB_SECTION_CHECKPOINTS, .flags = ANYTIME, .number = TRUE, .option = "no-score",
    .title = N_ ("Score cities"), .help = N_ ("Do not score the cities of the run"),
    .details = N_ ("Leaves out the scores: a process of its own, which does not change the training, draws "
                   "cities from checkpoints and measures how far they are from real areas.  The best "
                   "checkpoint is kept."),
    .effect = N_ ("Measure how far the cities are from real areas, and keep the best checkpoint") },
  { .key = "score-every", .stored = "score_every", .group = "run", .type = URB_SETTING_INT64,
    .offset = FIELD (score_every), .section = URB_SECTION_CHECKPOINTS, .flags = ANYTIME, .max = ANY,
    .source = URB_SOURCE_MACHINE, .usual = N_ ("about every five minutes"), .unit = N_ ("steps"),
    .arg = "N", .title = N_ ("Score every"), .help = N_ ("Steps between scores"),
    .details = N_ ("Steps between scores; each needs a checkpoint, which is saved.  If not given: about five minutes, or "
                   "longer where scores would take more than a fiftieth of a processor.") },
  { .key = "patience", .group = "run", .type = URB_SETTING_INT, .offset = FIELD (patience),
    .section = URB_SECTION_CHECKPOINTS, .flags = ANYTIME, .max = G_MAXINT, .unit = N_ ("scores"),
    .usual = N_ ("never"), .arg = "N", .title = N_ ("Stop after"),
    .help = N_ ("Stop after N scores without a better one; 0: never"),
    .details = N_ ("Stops the run after this many scores without a better one; 0: never.  Learning rates "
                   "fall until the last step, so that a run may improve late.") },
  { .key = "note", .group = "run", .type = URB_SETTING_TEXT, .offset = FIELD (note),
    .section = URB_SECTION_REPORTS, .flags = ANYTIME, .usual = N_ ("none"), .arg = "TEXT", .title = N_ ("Note"),
    .help = N_ ("A note for people, such as “wider roads #alps”"),
    .details = N_ ("What you want to remember of the run.  The table of all runs and the report show it.  Words that begin "
                   "with # can serve as tags.") },
  { .key = "quiet-hours", .group = "run", .type = URB_SETTING_TEXT, .offset = FIELD (quiet_hours),
    .section = URB_SECTION_HARDWARE, .flags = ANYTIME, .usual = N_ ("none"), .arg = "FROM-TO", .title = N_ ("Quiet hours"),
    .help = N_ ("A queued run does not begin in these hours, as in 08:00-18:00"),
    .details = N_ ("A range of times of each day, by the clock of this machine, in which the run does not begin while it "
                   "is queued; `22:30-06:00` reaches into the next day.  A run that trains goes on.  `none`: no such "
                   "hours.") },
  { .key = "hook", .group = "run", .type = URB_SETTING_TEXT, .offset = FIELD (hook),
    .section = URB_SECTION_REPORTS, .flags = ANYTIME | URB_SETTING_SECRET, .usual = N_ ("none"), .arg = "COMMAND",
    .title = N_ ("Hook"), .help = N_ ("Call this command, or post JSON to this http address, at events of the run"),
    .details = N_ ("A command for the shell, or an address that begins with `http://` or `https://`.  At each event the "
                   "command gets a JSON object on its standard input, or the object is posted to the address.  It never "
                   "delays the training; what it prints is in `hooks.log` in the run's folder.  `none`: no hook.") },
  { .key = "hook-on", .group = "run", .type = URB_SETTING_TEXT, .offset = FIELD (hook_on),
    .section = URB_SECTION_REPORTS, .flags = ANYTIME, .usual = N_ ("all"), .arg = "EVENTS",
    .title = N_ ("Events that call the hook"),
    .help = N_ ("Call the hook at these events alone, as in best,failure"),
    .details = N_ ("Names with commas between them: `start`, `sample`, `checkpoint`, `best` (a checkpoint has the best score "
                   "so far), `end`, `failure`; or `all`.") },
  { .key = "hook-timeout", .group = "run", .type = URB_SETTING_INT, .offset = FIELD (hook_timeout),
    .section = URB_SECTION_REPORTS, .flags = ANYTIME, .min = 1, .max = 3600, .number = 30, .unit = N_ ("seconds"),
    .arg = "N", .title = N_ ("Time for a hook"), .help = N_ ("Seconds after which a call of the hook is ended"),
    .details = N_ ("A call that takes longer is ended.  A call that fails is tried twice more.") },
  { .key = "tensorboard", .group = "run", .type = URB_SETTING_BOOLEAN, .offset = FIELD (tensorboard),
    .section = URB_SECTION_REPORTS, .flags = ANYTIME, .title = N_ ("Events for TensorBoard"),
    .help = N_ ("Write events for TensorBoard while the run trains"),
    .details = N_ ("Writes the curves, scores, sample grids and settings of the run to the folder `tensorboard` in the run's "
                   "folder, and histograms of the weights and gradients of its checkpoints.  TensorBoard shows them while the "
                   "run trains."),
    .effect = N_ ("Write curves, scores, sample grids, histograms and settings to the run’s folder, where TensorBoard reads "
                  "them while the run trains") },
  { .key = "hosts", .group = "run", .type = URB_SETTING_FILE, .offset = FIELD (hosts),
    .section = URB_SECTION_HARDWARE, .flags = ANYTIME, .strategies = DISTRIBUTED,
    .usual = N_ ("this host"), .arg = "FILE", .title = N_ ("Hosts file"),
    .help = N_ ("start ranks on these hosts, as mpirun's --hostfile"),
    .details = N_ ("Starts ranks through MPI on the hosts in the file: one per line, as "
                   "`name slots=2`, this machine first.") },
  { .key = "master", .group = "run", .type = URB_SETTING_TEXT, .offset = FIELD (master),
    .section = URB_SECTION_HARDWARE, .flags = ANYTIME, .strategies = DISTRIBUTED,
    .usual = N_ ("none"), .arg = "ADDRESS:PORT", .title = N_ ("Address of rank 0"),
    .help = N_ ("ranks are started one by one; rank 0 listens here; none: they are not"),
    .details = N_ ("Each rank is started by itself, as with srun or kubectl: rank 0 by the whole command, each "
                   "other by `train` with this address, its rank and the number of ranks.  Rank 0 listens at "
                   "this address and nowhere else, and all data pass through it.  `none`: ranks are started "
                   "together again.") },
  { .key = "token-file", .group = "run", .type = URB_SETTING_FILE, .offset = FIELD (token_file),
    .section = URB_SECTION_HARDWARE, .flags = ANYTIME, .strategies = DISTRIBUTED,
    .usual = N_ ("none"), .arg = "FILE", .title = N_ ("Token file"),
    .help = N_ ("secret of ranks that are started one by one; needed if other hosts reach rank 0"),
    .details = N_ ("A file with the secret that every rank must know to take part (or the variable "
                   "URBARIUM_TOKEN has it).  It is needed if other hosts can reach the address of rank 0.  It is not "
                   "sent, but what ranks send to each other is not encrypted.") },
};

const UrbSettingTable urb_run_settings = {
  .rows = rows,
  .n_rows = G_N_ELEMENTS (rows),
  .error_domain = urb_train_error_quark,
  .error_code = URB_TRAIN_ERROR_OPTIONS,
};
