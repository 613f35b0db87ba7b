/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault.h - something goes wrong on purpose in one rank, to see that it is
 * noticed.
 *
 * The environment variable URBARIUM_FAULT says what, "RANK:STEP:KIND": in that
 * rank, in its first step from STEP on, once in a run (the status board
 * remembers).  The kinds are kill (SIGKILL), stop (SIGSTOP), error, count (a
 * collective of one element fewer than the others'), skip (a collective is
 * left out) and nan (a logit is no number).  For tests only; see tests/README.md.
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

/* What makes sense at a place. */
enum
{
  URB_FAULTS_OF_PROCESS = 1u << URB_FAULT_KILL | 1u << URB_FAULT_STOP,
  URB_FAULTS_OF_CALL = 1u << URB_FAULT_ERROR,
  URB_FAULTS_OF_COLLECTIVE = 1u << URB_FAULT_COUNT | 1u << URB_FAULT_SKIP,
  URB_FAULTS_OF_VALUE = 1u << URB_FAULT_NAN
};

/* What @text asks for, whoever and whenever; NONE if it makes no sense. */
UrbFault urb_fault_parse (const char *text, int *rank, gint64 *step);

/* Whether a value is to be spoilt, whenever: then every instruction has to be told of. */
gboolean urb_fault_is_of_value (void);

/**
 * urb_fault_strike:
 * @board: (nullable): NULL: nothing ever happens
 * @rank: the caller's
 * @step: that it is in
 * @kinds: those that make sense here
 * @fault: (out) (nullable): COUNT, SKIP or NAN, if the caller shall do that; NONE otherwise
 *
 * If it is time: ends or stops this process, or fails.
 *
 * Returns: FALSE with a %URB_COMM_ERROR for `error`
 */
gboolean urb_fault_strike (UrbBoard *board, int rank, gint64 step, guint kinds,
                           UrbFault *fault, GError **error);

G_END_DECLS
