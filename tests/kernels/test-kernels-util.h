/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-kernels-util.h - shared by the kernel tests: arrays of doubles, the reference backend in one call, and
 * finite differences.
 */
#pragma once

#include "kernels/uk.h"

#include <glib.h>

/* @count values in [-1, 1), exactly representable as float, so that every backend gets the same ones.  Free
 * with g_free(). */
double *test_random_array (GRand *rand, int64_t count);

/* An array of @count NaNs, so that unwritten elements show. */
double *test_nan_array (int64_t count);

/* Runs @desc on the reference backend; any status but UK_OK ends the test. */
void test_reference (const UkOpDesc *desc, void *const *args);

/* Likewise, but returns run()'s status; prepare() must succeed. */
UkStatus test_reference_status (const UkOpDesc *desc, void *const *args);

double test_dot (const double *a, const double *b, int64_t count);

/* max |a - b| <= tolerance * max |expected|, and no NaN anywhere. */
void test_assert_near (const char *what, const double *actual, const double *expected,
                       int64_t count, double tolerance);

/* A scalar function of arrays in @data. */
typedef double (*TestLoss) (gpointer data);

/* Compares @gradient with central differences of @loss for each of the @count elements of @x, which are
 * changed by @step and restored.  The largest difference may be 1e-6 of the largest gradient. */
void test_assert_gradient (const char *what, double *x, int64_t count, const double *gradient,
                           double step, TestLoss loss, gpointer data);
