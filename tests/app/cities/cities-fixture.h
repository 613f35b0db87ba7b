/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cities-fixture.h - a checkpoint after two training steps on a small sample town, created by the
 * engine when the test starts.
 */
#pragma once

#include "app-test.h"

/* Call it after test_app_init(). User data goes to the test's own folder. */
void        cities_fixture_set_up    (void);
void        cities_fixture_tear_down (void);

const char *cities_fixture_folder     (void); /* to write into */
const char *cities_fixture_runs       (void); /* a folder with one run */
const char *cities_fixture_run        (void);
const char *cities_fixture_checkpoint (void);
const char *cities_fixture_dataset    (void);

/* Runs the engine; it must succeed. */
void        cities_fixture_engine     (const char *format, ...) G_GNUC_PRINTF (1, 2);
