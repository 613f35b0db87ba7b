/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cities-fixture.h - a checkpoint of two steps of training on a small sample
 * town, made by the engine when the test begins.
 */
#pragma once

#include "app-test.h"

/* After test_app_init().  User data goes to a folder of the test's own. */
void        cities_fixture_set_up    (void);
void        cities_fixture_tear_down (void);

const char *cities_fixture_folder     (void); /* to write into */
const char *cities_fixture_runs       (void); /* a folder with one run */
const char *cities_fixture_run        (void);
const char *cities_fixture_checkpoint (void);
const char *cities_fixture_dataset    (void);

/* Runs the engine; it must succeed. */
void        cities_fixture_engine     (const char *format, ...) G_GNUC_PRINTF (1, 2);
