/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simd.h - function clones for newer x86-64 processors, chosen by the loader.
 *
 * There is a single version on other architectures, and with the thread sanitizer,
 * which is not yet initialized when the loader calls the resolvers.
 */
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_THREAD__)
#define WITH_POPCNT __attribute__ ((target_clones ("popcnt", "default")))
#define WITH_AVX2 __attribute__ ((target_clones ("avx2", "default")))
#else
#define WITH_POPCNT
#define WITH_AVX2
#endif
