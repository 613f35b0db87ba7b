/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simd-private.h - functions compiled for newer processors beside the oldest.
 *
 * The loader chooses once; elsewhere than on x86-64 there is but one version,
 * and where the thread sanitizer is not yet up while the loader chooses.
 */
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_THREAD__)
#define WITH_POPCNT __attribute__ ((target_clones ("popcnt", "default")))
#define WITH_AVX2 __attribute__ ((target_clones ("avx2", "default")))
#else
#define WITH_POPCNT
#define WITH_AVX2
#endif
