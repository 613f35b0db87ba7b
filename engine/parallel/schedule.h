/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule.h - the order in which the ranks of a pipeline do their work.
 *
 * A schedule is a permutation of the whole program that keeps all dependences: one rank that runs it
 * gets the same bits as from the program as built.  Ranks run their instructions in this one order, in
 * which every value is made before it is sent and sent before it is read, so that they cannot wait for
 * each other in a circle.
 */
#pragma once

#include "parallel/layout.h"

G_BEGIN_DECLS

typedef struct
{
  double makespan;    /* of a step, in the unit of the costs; messages take no time */
  double busy;        /* sum of all costs */
  int    n_in_flight; /* the most microbatches under way at a time; 0: not limited */
} UrbPipelineSchedule;

/**
 * urb_program_schedule:
 * @program: as built, with whole networks
 * @parts: (inout): (n_instructions), from urb_layout_find_parts(); permuted like the instructions
 * @costs: (n_instructions): how long each takes
 * @out: (out) (nullable)
 *
 * Simulates the ranks: whenever one is free, it takes the task that the layout's order prefers among
 * those whose inputs are there.  The instructions are then put in the order in which their tasks end.
 * 1F1B tries several numbers of microbatches under way, and takes the smallest that is at most a
 * hundredth slower than the fastest.
 */
void urb_program_schedule (UrbProgram *program, const UrbLayout *layout, int *parts,
                           const double *costs, UrbPipelineSchedule *out);

/* The share of time in which ranks wait: 0 to 1. */
double urb_pipeline_schedule_get_bubble (const UrbPipelineSchedule *self, int n_ranks);

G_END_DECLS
