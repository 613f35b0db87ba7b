/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-cases.h - for every kind of operation, the descriptions on which backends are compared with the
 * reference, with suitable inputs.
 */
#pragma once

#include "kernels/uk.h"

#include <glib.h>

typedef struct
{
  UkOpDesc desc;
  guint    absent;        /* bit i: argument i is NULL */
  int      in_place_out;  /* this argument shares memory with the next one; -1: none */
  int      in_place_in;
  int      variant;       /* interpreted by test_case_inputs(), per kind */
} TestCase;

/* Of TestCase; free with g_array_unref(). */
GArray *test_cases_new (UkOpKind kind);

/* One array per argument, of doubles, uint8_t or uint64_t; NULL where absent.  Outputs are NaN unless they
 * accumulate.  Every double is exactly representable as float. */
void test_case_inputs (const TestCase *test, guint32 seed, void *args[UK_MAX_ARGS]);

void test_case_free_inputs (void *args[UK_MAX_ARGS]);

/* Whether desc.accumulate applies to this output. */
bool test_case_adds_to (const TestCase *test, int arg);
