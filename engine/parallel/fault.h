/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault.h - injects a fault into one rank, to test that it is noticed.
 *
 * The environment variable URBARIUM_FAULT describes it as "RANK:STEP:KIND": in that rank, in its
 * first step from STEP on, once in a run (the status board remembers).  The kinds are kill
 * (SIGKILL), stop (SIGSTOP), error, count (a collective or message with one element fewer than the
 * others'), skip (one is omitted) and nan (a logit becomes NaN).  For tests only; see
 * tests/README.md.
 */
#pragma once

#include "parallel/board.h"

G_BEGIN_DECLS

typedef enum
{
  URB_FAULT_NONE,
  URB_FAULT_KILL,
  URB_FAULT_STOP,
  URB_FAULT_ERROR,
  URB_FAULT_COUNT,
  URB_FAULT_SKIP,
  URB_FAULT_NAN
} UrbFault;

/* Faults by where they can be injected. */
enum
{
  URB_FAULTS_OF_PROCESS = 1u << URB_FAULT_KILL | 1u << URB_FAULT_STOP,
  URB_FAULTS_OF_CALL = 1u << URB_FAULT_ERROR,
  URB_FAULTS_OF_COLLECTIVE = 1u << URB_FAULT_COUNT | 1u << URB_FAULT_SKIP,
  URB_FAULTS_OF_VALUE = 1u << URB_FAULT_NAN
};

/* Parses @text without checking that it is due; NONE if invalid. */
UrbFault urb_fault_parse (const char *text, int *rank, gint64 *step);

/* Whether the fault concerns a value: then every instruction must be reported. */
gboolean urb_fault_is_of_value (void);

/**
 * urb_fault_strike:
 * @board: (nullable): NULL: no fault
 * @rank: the caller's
 * @step: its current step
 * @kinds: those possible here
 * @fault: (out) (nullable): COUNT, SKIP or NAN, for the caller to do; NONE otherwise
 *
 * If the fault is due: ends or stops this process, or fails.
 *
 * Returns: FALSE with a %URB_COMM_ERROR for `error`
 */
gboolean urb_fault_strike (UrbBoard *board, int rank, gint64 step, guint kinds,
                           UrbFault *fault, GError **error);

G_END_DECLS
