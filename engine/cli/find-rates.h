/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find-rates.h - `train --find-rates`: a learning rate for each network.
 */
#pragma once

#include "cli/run-session.h"

G_BEGIN_DECLS

/**
 * urb_cli_find_rates:
 * @config: resolved, of the run that needs rates
 *
 * Tests the rates of each network (train/rate-finder.h) and prints what to choose.  Writes nothing.
 *
 * Returns: the exit code; errors are printed
 */
int urb_cli_find_rates (const UrbRunConfig *config, const UrbCliSession *session);

G_END_DECLS
