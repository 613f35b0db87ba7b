/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-kernels.c - how fast the cpu backend runs each operation of a GAN step.
 *
 * For every layer of a preset, each operation is timed on its own (the median
 * of as many runs as fit into a fraction of a second) and shown with its rate
 * and its share of the machine's measured peak.  The sum weights each by how
 * often one step of the classic recipe runs it at this batch: D on real, on
 * fake, and for G; G once; one update of each.  Not a test: it only measures.
 *
 *   bench-kernels --preset dcgan-32m --batch 8 --threads 2
 */
#include <string.h>

#include <glib.h>

#include "kernels/uk.h"
#include "seconds.h"

enum { MAX_RUNS = 200 };

typedef struct
{
  const char *name;
  int64_t     size_px, z;
  int64_t     g[8], d[8]; /* channels from 4 x 4 upward; from the image downward */
  int         n_g, n_d;
  bool        refine; /* two 3 x 3 layers after the last transposed one */
  bool        norm;   /* batch norm and ReLU in G instead of bias and leaky ReLU */
} Preset;

static const Preset presets[] = {
  { .name = "tiny", .size_px = 64, .z = 64, .g = { 128, 64, 32, 16 }, .n_g = 4,
    .d = { 16, 32, 64, 128 }, .n_d = 4 },
  { .name = "dcgan-32m", .size_px = 256, .z = 256,
    .g = { 1024, 1024, 512, 256, 128, 64, 32 }, .n_g = 7,
    .d = { 64, 128, 256, 512, 1024, 1024 }, .n_d = 6, .refine = true, .norm = true },
};

typedef struct
{
  const UkBackendTable *table;
  UkBackend            *backend;
  double                peak_flops, peak_bytes; /* per second */
  double                budget_s;               /* per operation */
  bool                  cpu_time; /* count the processor's time, not the clock's */
  const char           *only; /* measure only layers and operations with this in their name */
  double                step_s, step_flops, conv_s;
} Bench;

/* ------------------------------------------------------------------------ */
/* One operation                                                             */

static size_t
arg_bytes (const UkOpDesc *desc, int arg)
{
  UkArgType type = uk_op_info (desc->kind)->args[arg].type;
  size_t size = type == UK_U8 ? 1 : type == UK_U64 ? sizeof (uint64_t) : sizeof (float);

  return (size_t) uk_op_arg_count (desc, arg) * size;
}

/* Small positive numbers do for everything, also for variances and rates. */
static void *
make_arg (Bench *bench, const UkOpDesc *desc, int arg)
{
  void *memory = bench->table->alloc (bench->backend, arg_bytes (desc, arg));
  float *x = memory;

  if (memory == NULL)
    g_error ("There is not enough memory for %s", uk_op_info (desc->kind)->name);
  if (uk_op_info (desc->kind)->args[arg].type == UK_REAL)
    for (int64_t i = 0; i < uk_op_arg_count (desc, arg); i++)
      x[i] = (float) (i * 7919 % 1000 + 1) * 1e-3f;
  return memory;
}

static double
now_s (const Bench *bench)
{
  return clock_s (bench->cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC);
}

static double
median_seconds (Bench *bench, UkOp *op, void *const *args, void *scratch)
{
  double times[MAX_RUNS], start = now_s (bench);
  int n = 0;

  bench->table->run (op, args, scratch);
  while (n < 3 || (n < MAX_RUNS && now_s (bench) - start < bench->budget_s))
    {
      double before = now_s (bench);

      if (bench->table->run (op, args, scratch) != UK_OK)
        g_error ("%s failed", uk_op_info (op->desc.kind)->name);
      times[n++] = now_s (bench) - before;
    }
  return median (times, n);
}

/* Packing happens once per update, however often the packed weights are used. */
static void
pack (Bench *bench, UkOp *op, void **w, void **packed)
{
  double start, seconds;

  *packed = bench->table->alloc (bench->backend, op->packed_bytes);
  bench->table->pack (op, *w, *packed);
  start = now_s (bench);
  bench->table->pack (op, *w, *packed);
  seconds = now_s (bench) - start;
  g_print ("%-24s %-16s %9.3f ms  %8.1f GB/s\n", "", "pack", seconds * 1e3,
           2.0 * (double) op->packed_bytes / seconds / 1e9);
  bench->step_s += seconds;
  *w = *packed;
}

static void
measure (Bench *bench, const char *layer, const UkOpDesc *desc, double times_per_step)
{
  const UkOpInfo *info = uk_op_info (desc->kind);
  void *args[UK_MAX_ARGS] = { NULL }, *owned[UK_MAX_ARGS] = { NULL };
  void *packed = NULL, *scratch;
  double seconds, flops = uk_op_flops (desc), bytes = uk_op_bytes (desc, sizeof (float));
  g_autofree char *title = g_strdup_printf ("%-24s %-16s", layer, info->name);
  UkOp *op;

  if (bench->only != NULL && strstr (title, bench->only) == NULL)
    return;
  if (bench->table->prepare (bench->backend, desc, &op) != UK_OK)
    g_error ("%s cannot be prepared", info->name);
  for (int i = 0; i < info->n_args; i++)
    args[i] = owned[i] = make_arg (bench, desc, i);
  if (op->packed_bytes > 0)
    pack (bench, op, &args[1], &packed);
  scratch = bench->table->alloc (bench->backend, op->scratch_bytes);
  seconds = median_seconds (bench, op, args, scratch);
  g_print ("%s %9.3f ms  %8.1f GFLOP/s %5.1f %%  %6.1f GB/s %5.1f %%  x %g\n", title,
           seconds * 1e3, flops / seconds / 1e9,
           100 * flops / seconds / bench->peak_flops, bytes / seconds / 1e9,
           100 * bytes / seconds / bench->peak_bytes, times_per_step);
  bench->step_s += times_per_step * seconds;
  if (desc->kind >= UK_OP_CONV && desc->kind <= UK_OP_CONV_WGRAD)
    {
      bench->conv_s += times_per_step * seconds;
      bench->step_flops += times_per_step * flops;
    }
  bench->table->free (bench->backend, scratch, op->scratch_bytes);
  if (packed != NULL)
    bench->table->free (bench->backend, packed, op->packed_bytes);
  for (int i = 0; i < info->n_args; i++)
    bench->table->free (bench->backend, owned[i], arg_bytes (desc, i));
  bench->table->release (op);
}

/* ------------------------------------------------------------------------ */
/* Networks                                                                  */

/* How often per step each pass of a layer runs. */
typedef struct
{
  double forward, dgrad, wgrad;
} Passes;

static void
measure_conv (Bench *bench, UkOpDesc desc, Passes passes)
{
  g_autofree char *name = g_strdup_printf ("%s%d %" G_GINT64_FORMAT ">%" G_GINT64_FORMAT
                                           " %" G_GINT64_FORMAT ">%" G_GINT64_FORMAT,
                                           desc.transposed ? "T" : "C", desc.kernel, desc.x.c,
                                           desc.y.c, desc.x.h, desc.y.h);
  const double times[] = { passes.forward, passes.dgrad, passes.wgrad };

  for (int i = 0; i < 3; i++)
    {
      desc.kind = (UkOpKind) (UK_OP_CONV + i);
      if (times[i] > 0)
        measure (bench, name, &desc, times[i]);
    }
}

/* What follows a layer of @shape: its activation's gradient, or batch norm. */
static void
measure_tail (Bench *bench, UkShape shape, UkAct act, bool norm, Passes passes)
{
  UkOpDesc desc = { .x = shape, .y = shape, .act = act, .slope = 0.2f, .eps = 1e-5f,
                    .momentum = 0.1f };

  if (norm)
    {
      desc.kind = UK_OP_BATCH_NORM;
      measure (bench, "", &desc, passes.forward);
      desc.kind = UK_OP_BATCH_NORM_GRAD;
    }
  else
    desc.kind = UK_OP_ACT_GRAD;
  measure (bench, "", &desc, norm ? passes.wgrad : passes.dgrad);
}

static int64_t
measure_generator (Bench *bench, const Preset *p, int64_t n, int64_t channels)
{
  const Passes inner = { 1, 1, 1 }, first = { 1, 0, 1 };
  UkAct act = p->norm ? UK_ACT_RELU : UK_ACT_LEAKY_RELU;
  int64_t edge = 4, count = p->z * p->g[0] * 16;
  UkShape at = { n, 4, 4, p->g[0] };
  UkOpDesc desc = { .x = { n, 1, 1, p->z }, .y = at, .kernel = 4, .stride = 1,
                    .transposed = true, .act = p->norm ? UK_ACT_NONE : act, .slope = 0.2f };

  measure_conv (bench, desc, first);
  measure_tail (bench, at, act, p->norm, inner);
  for (int i = 1; i < p->n_g + (p->refine ? 0 : 1); i++)
    {
      bool last = i == p->n_g;

      edge *= 2;
      desc.x = at;
      at = desc.y = (UkShape) { n, edge, edge, last ? channels : p->g[i] };
      desc.stride = 2;
      desc.pad = 1;
      desc.act = last ? UK_ACT_TANH : p->norm ? UK_ACT_NONE : act;
      measure_conv (bench, desc, inner);
      measure_tail (bench, at, last ? UK_ACT_TANH : act, p->norm && !last, inner);
      count += 16 * desc.x.c * desc.y.c;
    }
  for (int i = 0; p->refine && i < 2; i++)
    {
      desc = (UkOpDesc) { .x = at, .y = at, .kernel = 3, .stride = 1, .pad = 1 };
      desc.y.c = i == 0 ? at.c : channels;
      desc.act = i == 0 ? UK_ACT_NONE : UK_ACT_TANH;
      at = desc.y;
      measure_conv (bench, desc, inner);
      measure_tail (bench, at, i == 0 ? act : UK_ACT_TANH, i == 0, inner);
      count += 9 * desc.x.c * desc.y.c;
    }
  return count;
}

static int64_t
measure_discriminator (Bench *bench, const Preset *p, int64_t n, int64_t channels)
{
  const Passes inner = { 3, 3, 2 }, first = { 3, 1, 2 };
  UkShape at = { n, p->size_px, p->size_px, channels };
  UkOpDesc desc = { .kernel = 4, .stride = 2, .pad = 1, .act = UK_ACT_LEAKY_RELU,
                    .slope = 0.2f };
  int64_t count = 0;

  for (int i = 0; i < p->n_d; i++)
    {
      desc.x = at;
      at = desc.y = (UkShape) { n, at.h / 2, at.w / 2, p->d[i] };
      measure_conv (bench, desc, i == 0 ? first : inner);
      measure_tail (bench, at, UK_ACT_LEAKY_RELU, false, inner);
      count += 16 * desc.x.c * desc.y.c;
    }
  desc = (UkOpDesc) { .x = at, .y = { n, 1, 1, 1 }, .kernel = 4, .stride = 1 };
  measure_conv (bench, desc, inner);
  return count + 16 * desc.x.c;
}

static void
measure_update (Bench *bench, int64_t count)
{
  UkOpDesc desc = { .kind = UK_OP_GRAD_NORM, .x = { count, 1, 1, 1 } };

  measure (bench, "update", &desc, 1);
  desc.kind = UK_OP_ADAM;
  measure (bench, "", &desc, 1);
}

static const Preset *
find_preset (const char *name)
{
  for (size_t i = 0; i < G_N_ELEMENTS (presets); i++)
    if (g_str_equal (presets[i].name, name))
      return &presets[i];
  return NULL;
}

int
main (int argc, char **argv)
{
  g_autofree char *name = g_strdup ("tiny"), *only = NULL;
  int batch = 0, threads = 0, channels = 3;
  gboolean bf16 = FALSE, cpu_time = FALSE;
  double budget_s = 0.2;
  const GOptionEntry entries[] = {
    { "preset", 'p', 0, G_OPTION_ARG_STRING, &name, "tiny or dcgan-32m", "NAME" },
    { "batch", 'b', 0, G_OPTION_ARG_INT, &batch, "Images per batch", "N" },
    { "threads", 't', 0, G_OPTION_ARG_INT, &threads, "Threads (0: all)", "N" },
    { "channels", 'c', 0, G_OPTION_ARG_INT, &channels, "Image channels", "N" },
    { "bf16", 0, 0, G_OPTION_ARG_NONE, &bf16, "Products in bf16", NULL },
    { "only", 'o', 0, G_OPTION_ARG_STRING, &only, "Only what has this in its name", "TEXT" },
    { "cpu-time", 0, 0, G_OPTION_ARG_NONE, &cpu_time,
      "Count processor time: for one thread on a busy machine", NULL },
    { "seconds", 's', 0, G_OPTION_ARG_DOUBLE, &budget_s, "Time per operation", "S" },
    { NULL },
  };
  g_autoptr(GOptionContext) context = g_option_context_new ("- time the cpu backend");
  g_autoptr(GError) error = NULL;
  const Preset *preset;
  UkBackendConfig config;
  Bench bench = { .table = uk_backend_cpu () };
  UkCpuInfo info;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      g_printerr ("%s\n", error->message);
      return 2;
    }
  preset = find_preset (name);
  if (preset == NULL || batch < 0 || channels < 1)
    {
      g_printerr ("There is no preset \"%s\", or a number is out of range\n", name);
      return 2;
    }
  batch = batch > 0 ? batch : preset->norm ? 8 : 64;
  bench.budget_s = budget_s;
  bench.only = only;
  bench.cpu_time = cpu_time;
  config = (UkBackendConfig) { .n_threads = threads, .precision = bf16 ? UK_BF16 : UK_FP32 };
  if (bench.table->open (&config, &bench.backend) != UK_OK)
    {
      g_printerr ("The processor cannot do that\n");
      return 1;
    }
  uk_cpu_info (&info);
  bench.peak_flops = uk_cpu_peak_flops (threads);
  bench.peak_bytes = uk_cpu_peak_copy (threads);
  g_print ("%s, %s, %s: %.1f GFLOP/s, %.1f GB/s at best\n", info.model, info.isa, info.library,
           bench.peak_flops / 1e9, bench.peak_bytes / 1e9);
  measure_update (&bench, measure_generator (&bench, preset, batch, channels));
  measure_update (&bench, measure_discriminator (&bench, preset, batch, channels));
  g_print ("step: %.1f ms, %.2f images/s; convolutions %.1f ms, %.1f GFLOP/s, %.1f %% of peak\n",
           bench.step_s * 1e3, batch / bench.step_s, bench.conv_s * 1e3,
           bench.step_flops / bench.conv_s / 1e9,
           100 * bench.step_flops / bench.conv_s / bench.peak_flops);
  bench.table->close (bench.backend);
  return 0;
}
