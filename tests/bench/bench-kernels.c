/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-kernels.c - measures each operation of a GAN step on a device.
 *
 * For every layer of a preset, each operation is timed individually (the median
 * of as many runs as fit into a fraction of a second) and printed with its rate
 * and its share of the device's measured peaks: matrix products, and a large
 * copy.  The sum weights each by how often one step of the recipe dcgan runs it
 * at this batch: D on real, on fake, and for G; G once; one update of each.
 * "x 0" marks operations of other recipes and presets.  Not a test: it only
 * measures.
 *
 * A GPU executes asynchronously, and launching a small operation takes longer
 * than executing it.  On a GPU a capture of many runs is therefore timed until
 * the GPU has finished, cycling through several sets of arguments that together
 * exceed any cache.  "below 80 %" marks a memory-bound operation that is large
 * enough for this measurement and slower than 80 % of the copy bandwidth.
 *
 *   bench-kernels --preset dcgan-32m --batch 8 --threads 2
 *   bench-kernels --preset dcgan-32m --batch 64 --device cuda --precision bf16
 */
#include <string.h>

#include <glib.h>

#include "kernels/uk.h"
#include "seconds.h"
#include "train/device.h"

enum
{
  MAX_RUNS = 200,
  MAX_SETS = 16,
  MAX_RECORDED = 256,
  SETS_BYTES = 512 << 20, /* of all sets: several times the largest GPU cache */
  SMALL_BYTES = 16 << 20, /* below this size, launch overhead is significant */
  CHUNK = 1 << 20         /* random numbers */
};

static const double RECORDED_S = 1e-3; /* long compared with the wait for the GPU */

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
  bool                  cpu_time; /* measure processor time instead of wall time */
  const char           *only; /* measure only layers and operations whose name contains this */
  float                *chunk; /* CHUNK random numbers in (0, 1] */
  double                step_s, step_flops, conv_s;
  int                   n_below; /* operations below 80 % */
} Bench;

/* Several sets of arguments of an operation. */
typedef struct
{
  void *args[MAX_SETS][UK_MAX_ARGS], *owned[MAX_SETS][UK_MAX_ARGS];
  void *packed, *scratch;
  int   n;
} Sets;

/* ------------------------------------------------------------------------ */
/* One operation                                                             */

static size_t
arg_bytes (const Bench *bench, const UkOpDesc *desc, int arg)
{
  return (size_t) uk_op_arg_count (desc, arg)
         * uk_type_size (bench->backend, uk_op_info (desc->kind)->args[arg].type);
}

/* Small positive values suit every argument, including variances and rates. */
static float *
new_chunk (void)
{
  float *chunk = g_new (float, CHUNK);
  guint32 state = 1;

  for (int i = 0; i < CHUNK; i++)
    {
      state = state * 1664525u + 1013904223u;
      chunk[i] = (float) ((state >> 8) + 1) * 0x1p-24f;
    }
  return chunk;
}

static void
check (UkStatus status, const char *what)
{
  if (status != UK_OK)
    g_error ("%s: %s", what, uk_status_text (status));
}

/* Beyond one chunk, copies the filled part, doubling it each time. */
static void *
make_arg (Bench *bench, const UkOpDesc *desc, int arg)
{
  const UkOpInfo *info = uk_op_info (desc->kind);
  UkArgType type = info->args[arg].type;
  int64_t count = uk_op_arg_count (desc, arg), n_done = MIN (count, CHUNK);
  size_t size = uk_type_size (bench->backend, type);
  char *memory = bench->table->alloc (bench->backend, arg_bytes (bench, desc, arg));

  if (memory == NULL)
    g_error ("Not enough memory for %s", info->name);
  if (type == UK_REAL || type == UK_VALUE)
    check (bench->table->upload (bench->backend, type, memory, bench->chunk, n_done), info->name);
  else
    check (bench->table->write (bench->backend, memory, bench->chunk,
                                MIN ((size_t) count * size, CHUNK * sizeof (float))), info->name);
  if (type == UK_U8)
    n_done = MIN (count, CHUNK * (int64_t) sizeof (float));
  for (; n_done < count; n_done *= 2)
    check (bench->table->copy (bench->backend, memory + (size_t) n_done * size, memory,
                               (size_t) MIN (n_done, count - n_done) * size), info->name);
  return memory;
}

static double
now_s (const Bench *bench)
{
  return clock_s (bench->cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC);
}

static void
run (Bench *bench, UkOp *op, const Sets *sets, int i)
{
  check (bench->table->run (op, sets->args[i % sets->n], sets->scratch),
         uk_op_info (op->desc.kind)->name);
}

static double
median_on_host (Bench *bench, UkOp *op, const Sets *sets)
{
  double times[MAX_RUNS], start = now_s (bench);
  int n = 0;

  run (bench, op, sets, 0);
  while (n < 3 || (n < MAX_RUNS && now_s (bench) - start < bench->budget_s))
    {
      double before = now_s (bench);

      run (bench, op, sets, 0);
      times[n++] = now_s (bench) - before;
    }
  return median (times, n);
}

static double
replay_s (Bench *bench, UkRecording *recording)
{
  double before = clock_s (CLOCK_MONOTONIC);

  check (bench->table->replay (recording), "replay");
  check (bench->table->sync (bench->backend), "sync");
  return clock_s (CLOCK_MONOTONIC) - before;
}

static UkRecording *
record (Bench *bench, UkOp *op, const Sets *sets, int n)
{
  UkRecording *recording;

  check (bench->table->begin_capture (bench->backend), "record");
  for (int i = 0; i < n; i++)
    run (bench, op, sets, i);
  check (bench->table->end_capture (bench->backend, &recording), uk_op_info (op->desc.kind)->name);
  return recording;
}

static double
median_on_device (Bench *bench, UkOp *op, const Sets *sets)
{
  double times[MAX_RUNS], one, start;
  UkRecording *recording;
  int n = 0, n_recorded;

  run (bench, op, sets, 0); /* loads the kernels */
  check (bench->table->sync (bench->backend), "sync");
  start = clock_s (CLOCK_MONOTONIC);
  for (int i = 0; i < sets->n; i++)
    run (bench, op, sets, i);
  check (bench->table->sync (bench->backend), "sync");
  one = (clock_s (CLOCK_MONOTONIC) - start) / sets->n;
  n_recorded = (int) CLAMP (RECORDED_S / one, sets->n, MAX_RECORDED);
  recording = record (bench, op, sets, n_recorded);
  replay_s (bench, recording);
  start = clock_s (CLOCK_MONOTONIC);
  while (n < 3 || (n < MAX_RUNS && clock_s (CLOCK_MONOTONIC) - start < bench->budget_s))
    times[n++] = replay_s (bench, recording) / n_recorded;
  bench->table->free_capture (recording);
  return median (times, n);
}

/* Packing happens once per update, however often the packed weights are used. */
static void
pack (Bench *bench, UkOp *op, Sets *sets)
{
  double start, seconds;

  sets->packed = bench->table->alloc (bench->backend, op->packed_bytes);
  check (bench->table->pack (op, sets->owned[0][1], sets->packed), "pack");
  check (bench->table->sync (bench->backend), "sync");
  start = now_s (bench);
  check (bench->table->pack (op, sets->owned[0][1], sets->packed), "pack");
  check (bench->table->sync (bench->backend), "sync");
  seconds = now_s (bench) - start;
  g_print ("%-24s %-22s %9.3f ms  %8.1f GB/s\n", "", "pack", seconds * 1e3,
           2.0 * (double) op->packed_bytes / seconds / 1e9);
  bench->step_s += seconds;
  for (int i = 0; i < sets->n; i++)
    sets->args[i][1] = sets->packed;
}

/* One set suffices on a host, whose caches are small compared with a layer. */
static void
make_sets (Bench *bench, UkOp *op, Sets *sets)
{
  const UkOpDesc *desc = &op->desc;
  double bytes = uk_op_bytes (desc, bench->backend);

  *sets = (Sets) { .n = bench->table->is_host
                          ? 1 : (int) CLAMP (SETS_BYTES / MAX (bytes, 1), 1, MAX_SETS) };
  for (int set = 0; set < sets->n; set++)
    for (int arg = 0; arg < uk_op_info (desc->kind)->n_args; arg++)
      sets->args[set][arg] = sets->owned[set][arg] = make_arg (bench, desc, arg);
  if (op->packed_bytes > 0)
    pack (bench, op, sets);
  sets->scratch = bench->table->alloc (bench->backend, op->scratch_bytes);
}

static void
free_sets (Bench *bench, UkOp *op, Sets *sets)
{
  bench->table->free (bench->backend, sets->scratch, op->scratch_bytes);
  if (sets->packed != NULL)
    bench->table->free (bench->backend, sets->packed, op->packed_bytes);
  for (int set = 0; set < sets->n; set++)
    for (int arg = 0; arg < uk_op_info (op->desc.kind)->n_args; arg++)
      bench->table->free (bench->backend, sets->owned[set][arg],
                          arg_bytes (bench, &op->desc, arg));
}

/* Suffix of a line: whether the operation is memory-bound, and whether it is too slow. */
static const char *
judge (Bench *bench, double flops, double bytes, double seconds)
{
  if (bench->table->is_host || flops / bench->peak_flops > bytes / bench->peak_bytes)
    return "";
  if (bytes < SMALL_BYTES)
    return "  small";
  if (bytes / seconds >= 0.8 * bench->peak_bytes)
    return "  memory";
  bench->n_below++;
  return "  memory, below 80 %";
}

static void
measure (Bench *bench, const char *layer, const UkOpDesc *desc, double times_per_step)
{
  const UkOpInfo *info = uk_op_info (desc->kind);
  double seconds, flops = uk_op_flops (desc), bytes = uk_op_bytes (desc, bench->backend);
  g_autofree char *title = g_strdup_printf ("%-24s %-22s", layer, info->name);
  Sets sets;
  UkOp *op;

  if (bench->only != NULL && strstr (title, bench->only) == NULL)
    return;
  check (bench->table->prepare (bench->backend, desc, &op), info->name);
  make_sets (bench, op, &sets);
  seconds = bench->table->is_host ? median_on_host (bench, op, &sets)
                                  : median_on_device (bench, op, &sets);
  g_print ("%s %9.3f ms  %8.1f GFLOP/s %5.1f %%  %6.1f GB/s %5.1f %%  x %g%s\n", title,
           seconds * 1e3, flops / seconds / 1e9,
           100 * flops / seconds / bench->peak_flops, bytes / seconds / 1e9,
           100 * bytes / seconds / bench->peak_bytes, times_per_step,
           judge (bench, flops, bytes, seconds));
  bench->step_s += times_per_step * seconds;
  if (desc->kind >= UK_OP_CONV && desc->kind <= UK_OP_CONV_WGRAD)
    {
      bench->conv_s += times_per_step * seconds;
      bench->step_flops += times_per_step * flops;
    }
  free_sets (bench, op, &sets);
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

/* The operation after a layer of @shape: gradient of the activation, or batch norm. */
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
  UkOpDesc desc = { .kind = UK_OP_GRAD_SQUARES, .x = { count, 1, 1, 1 } };

  measure (bench, "update", &desc, 1);
  desc.kind = UK_OP_ADAM;
  measure (bench, "", &desc, 1);
}

/* Operations outside layers and updates: images, losses, penalties, and those of other presets. */
static void
measure_others (Bench *bench, const Preset *p, int64_t n, int64_t channels)
{
  const UkShape image = { n, p->size_px, p->size_px, channels };
  const UkShape inner = { n, p->size_px / 2, p->size_px / 2, p->d[0] };
  const UkShape whole = { n, p->size_px, p->size_px, p->d[0] };
  const double times_bits = channels == 3; /* sharp tiles, as in `bench` */
  const struct { UkOpKind kind; UkShape x, y; double times; bool bits; } rows[] = {
    { UK_OP_LOAD, image, image, 1 - times_bits },
    { UK_OP_LOAD, image, image, times_bits, .bits = true },
    { UK_OP_NOISE, { n, 1, 1, p->z }, { n, 1, 1, p->z }, 1 },
    { UK_OP_AUGMENT, image, image, 0 },
    { UK_OP_AUGMENT_GRAD, image, image, 0 },
    { UK_OP_LOSS_BCE, { n, 1, 1, 1 }, { n, 1, 1, 1 }, 3 },
    { UK_OP_LOSS_PAIR_D, { 2 * n, 1, 1, 1 }, { 2 * n, 1, 1, 1 }, 0 },
    { UK_OP_LOSS_PAIR_G, { 2 * n, 1, 1, 1 }, { 2 * n, 1, 1, 1 }, 0 },
    { UK_OP_SQUARED_NORM, image, image, 0 },
    { UK_OP_AXPBY, inner, inner, 0 },
    { UK_OP_ADD, inner, inner, 0 },
    { UK_OP_BIAS_ACT, inner, inner, 0 },
    { UK_OP_BATCH_NORM_RECOMPUTE, inner, inner, 0 },
    { UK_OP_BATCH_NORM_INFER, inner, inner, 0 },
    { UK_OP_UPSAMPLE, inner, whole, 0 },
    { UK_OP_DOWNSAMPLE, whole, inner, 0 },
    { UK_OP_FILL, inner, inner, 0 },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const UkOpDesc desc = {
        .kind = rows[i].kind, .x = rows[i].x, .y = rows[i].y, .act = UK_ACT_NONE, .slope = 0.2f,
        .scale = 1, .eps = 1e-5f, .momentum = 0.1f, .target = 1, .batch = n, .dihedral = true,
        .bits = rows[i].bits,
      };

      measure (bench, i == 0 ? "others" : desc.bits ? "of bits" : "", &desc, rows[i].times);
    }
}

static void
measure_step (Bench *bench, const Preset *p, int64_t n, int64_t channels)
{
  measure_update (bench, measure_generator (bench, p, n, channels));
  measure_update (bench, measure_discriminator (bench, p, n, channels));
  measure_others (bench, p, n, channels);
  g_print ("step: %.1f ms, %.2f images/s; convolutions %.1f ms, %.1f GFLOP/s, %.1f %% of peak\n",
           bench->step_s * 1e3, (double) n / bench->step_s, bench->conv_s * 1e3,
           bench->step_flops / bench->conv_s / 1e9,
           100 * bench->step_flops / bench->conv_s / bench->peak_flops);
  if (!bench->table->is_host)
    g_print ("limited by memory and below 80 %% of the copy bandwidth: %d\n", bench->n_below);
}

static void
print_device (const char *device, const Bench *bench)
{
  UkCudaInfo gpu;
  UkCpuInfo cpu;
  int index = 0;

  uk_cpu_info (&cpu);
  if (!bench->table->is_host && urb_device_find (device, &index, NULL) != NULL
      && uk_cuda_info (index, &gpu) == UK_OK)
    g_print ("%s, %s", gpu.name, gpu.library);
  else
    g_print ("%s, %s, %s", cpu.model, cpu.isa, cpu.library);
  g_print (": %.1f GFLOP/s, %.1f GB/s at best\n", bench->peak_flops / 1e9, bench->peak_bytes / 1e9);
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
  g_autofree char *name = g_strdup ("tiny"), *only = NULL, *device = g_strdup ("cpu"),
                  *precision_name = g_strdup ("fp32");
  int batch = 0, threads = 0, channels = 3;
  gboolean cpu_time = FALSE;
  double budget_s = 0.2, tflops = 0, gbytes = 0;
  const GOptionEntry entries[] = {
    { "preset", 'p', 0, G_OPTION_ARG_STRING, &name, "tiny or dcgan-32m", "NAME" },
    { "batch", 'b', 0, G_OPTION_ARG_INT, &batch, "Images per batch", "N" },
    { "threads", 't', 0, G_OPTION_ARG_INT, &threads, "Threads (0: all)", "N" },
    { "channels", 'c', 0, G_OPTION_ARG_INT, &channels, "Image channels", "N" },
    { "device", 'd', 0, G_OPTION_ARG_STRING, &device, "cpu, cuda, cuda:1 … (cpu)", "NAME" },
    { "precision", 0, 0, G_OPTION_ARG_STRING, &precision_name, "fp32, tf32, bf16 or fp16", "NAME" },
    { "only", 'o', 0, G_OPTION_ARG_STRING, &only, "Only layers and operations whose name contains TEXT", "TEXT" },
    { "cpu-time", 0, 0, G_OPTION_ARG_NONE, &cpu_time,
      "Measure processor time (for one thread on a busy machine)", NULL },
    { "seconds", 's', 0, G_OPTION_ARG_DOUBLE, &budget_s, "Time per operation", "S" },
    { "peak-tflops", 0, 0, G_OPTION_ARG_DOUBLE, &tflops, "Peak, instead of measuring it", "TFLOP/s" },
    { "peak-gbytes", 0, 0, G_OPTION_ARG_DOUBLE, &gbytes, "Copy bandwidth, instead of measuring it", "GB/s" },
    { NULL },
  };
  g_autoptr(GOptionContext) context = g_option_context_new ("- time a device's operations");
  g_autoptr(GError) error = NULL;
  const Preset *preset;
  UkPrecision precision;
  Bench bench = { 0 };

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)
      || !urb_precision_parse (precision_name, &precision, &error))
    {
      g_printerr ("%s\n", error->message);
      return 2;
    }
  preset = find_preset (name);
  if (preset == NULL || batch < 0 || channels < 1)
    {
      g_printerr ("Unknown preset \"%s\", or a number out of range\n", name);
      return 2;
    }
  batch = batch > 0 ? batch : preset->norm ? 8 : 64;
  bench.backend = urb_device_open (device, precision, threads, &error);
  if (bench.backend == NULL)
    {
      g_printerr ("%s\n", error->message);
      return 1;
    }
  bench.table = bench.backend->table;
  bench.budget_s = budget_s;
  bench.only = only;
  bench.cpu_time = cpu_time && bench.table->is_host;
  bench.chunk = new_chunk ();
  bench.peak_flops = tflops * 1e12;
  bench.peak_bytes = gbytes * 1e9;
  if (tflops <= 0 || gbytes <= 0)
    urb_device_measure_peaks (bench.backend, threads, &bench.peak_flops, &bench.peak_bytes);
  print_device (device, &bench);
  measure_step (&bench, preset, batch, channels);
  bench.table->close (bench.backend);
  g_free (bench.chunk);
  return 0;
}
