/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.c - identifies the processor and measures its peak rates.
 *
 * The peaks are measured because virtual machines deliver less than their nominal rates.  Each is the
 * best of a few short runs, since interference only makes a run slower.
 */
#include "kernels/cpu/cpu-private.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef UK_CPU_X86
#include <cpuid.h>
#endif

enum { N_RUNS = 4 };

static double
now_s (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* ------------------------------------------------------------------------ */
/* Capabilities                                                              */

int
uk_cpu_n_cores (void)
{
  cpu_set_t set;
  int n;

  CPU_ZERO (&set);
  if (sched_getaffinity (0, sizeof set, &set) != 0)
    return 1; /* more than 1024 CPUs: the caller chooses the thread count */
  n = CPU_COUNT (&set);
  return n < 1 ? 1 : n > UK_CPU_MAX_THREADS ? UK_CPU_MAX_THREADS : n;
}

const UkCpuIsa *
uk_cpu_isa (void)
{
#ifdef UK_CPU_X86
  __builtin_cpu_init ();
  if (__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512bw")
      && __builtin_cpu_supports ("avx512vl") && __builtin_cpu_supports ("avx512dq")
      && __builtin_cpu_supports ("avx512cd"))
    return &uk_cpu_isa_avx512;
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma")
      && __builtin_cpu_supports ("bmi") && __builtin_cpu_supports ("bmi2"))
    return &uk_cpu_isa_avx2;
#endif
  return &uk_cpu_isa_baseline;
}

/* Leaf 7: AMX_BF16 is EDX bit 22 of subleaf 0, AVX512_BF16 EAX bit 5 of subleaf 1.  The latter requires
 * that the OS saves those registers, which the AVX-512 check covers. */
bool
uk_cpu_has_bf16 (void)
{
#ifdef UK_CPU_X86
  unsigned a = 0, b = 0, c = 0, d = 0;
  bool amx, avx512;

  if (uk_cpu_isa () != &uk_cpu_isa_avx512)
    return false;
  amx = __get_cpuid_count (7, 0, &a, &b, &c, &d) != 0 && (d >> 22 & 1u) != 0;
  avx512 = __get_cpuid_count (7, 1, &a, &b, &c, &d) != 0 && (a >> 5 & 1u) != 0;
  return amx || avx512;
#else
  return false;
#endif
}

static void
read_model (char *text, size_t size)
{
  FILE *file = fopen ("/proc/cpuinfo", "re");
  char line[256];

  snprintf (text, size, "unknown processor");
  if (file == NULL)
    return;
  while (fgets (line, sizeof line, file) != NULL)
    {
      const char *value = strchr (line, ':');

      if (strncmp (line, "model name", 10) != 0 || value == NULL)
        continue;
      value += strspn (value, ": \t");
      snprintf (text, size, "%.*s", (int) strcspn (value, "\n"), value);
      break;
    }
  fclose (file);
}

void
uk_cpu_info (UkCpuInfo *info)
{
  memset (info, 0, sizeof *info);
  read_model (info->model, sizeof info->model);
  snprintf (info->isa, sizeof info->isa, "%s", uk_cpu_isa ()->name);
  info->n_cores = uk_cpu_n_cores ();
  info->has_bf16 = uk_cpu_has_bf16 ();
  uk_dnnl_version (info->library, sizeof info->library);
}

/* ------------------------------------------------------------------------ */
/* Peak rates                                                                */

static int
clamp_threads (int n_threads)
{
  return n_threads < 1 ? uk_cpu_n_cores ()
                       : n_threads > UK_CPU_MAX_THREADS ? UK_CPU_MAX_THREADS : n_threads;
}

double
uk_cpu_peak_flops (int n_threads)
{
  const UkCpuIsa *isa = uk_cpu_isa ();
  const int64_t n_rounds = 5000000;
  int n = clamp_threads (n_threads);
  double best = 0.0;

  for (int run = 0; run < N_RUNS; run++)
    {
      double start = now_s (), flops = 0.0, rate;

#pragma omp parallel for num_threads (n) schedule (static, 1) reduction (+ : flops)
      for (int t = 0; t < n; t++)
        flops += isa->peak_flops (n_rounds);
      rate = flops / (now_s () - start);
      best = rate > best ? rate : best;
    }
  return best;
}

double
uk_cpu_peak_copy (int n_threads)
{
  const size_t n_bytes = (size_t) 64 << 20; /* each way; beyond most caches */
  int n = clamp_threads (n_threads);
  size_t part = n_bytes / (size_t) n / UK_CPU_ALIGN * UK_CPU_ALIGN;
  char *from = aligned_alloc (4096, n_bytes), *to = aligned_alloc (4096, n_bytes);
  double best = 0.0;

  for (int run = 0; from != NULL && to != NULL && run <= N_RUNS; run++)
    {
      double start = now_s (), rate;

#pragma omp parallel for num_threads (n) schedule (static, 1)
      for (int t = 0; t < n; t++)
        if (run == 0)
          {
            memset (from + (size_t) t * part, 1, part);
            memset (to + (size_t) t * part, 0, part);
          }
        else
          memcpy (to + (size_t) t * part, from + (size_t) t * part, part);
      rate = 2.0 * (double) part * n / (now_s () - start);
      if (run > 0)
        best = rate > best ? rate : best;
    }
  free (from);
  free (to);
  return best;
}
