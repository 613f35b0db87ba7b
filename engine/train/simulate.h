/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate.h - how long a step of several ranks takes, from the cost of each instruction.
 *
 * An event-driven simulation of what the interpreter does (step/interpreter.h): a rank computes its
 * instructions one after the other; beside the computation, collectives of each lane run in the order in which they are
 * started, one at a time; a collective begins when all its ranks have come to it.  It knows
 * nothing of strategies: the lowered programs say everything.
 *
 * Ranks that share the processors of a host slow each other down once they want more of them than
 * there are: each gets its share.  So do exchanges that use the link of a host at the same time.
 */
#pragma once

#include "settings/mesh.h"
#include "step/program.h"

G_BEGIN_DECLS

/* One exchange between ranks. */
typedef struct
{
  double latency; /* seconds, which need nobody's time */
  double work;    /* seconds, if the processors of its ranks and the links are free */
} UrbExchangeCost;

/* @n_members: ranks that take part; @n_hosts: that they are on */
typedef UrbExchangeCost (*UrbExchangeFunc) (gpointer data, const UrbCollective *what, int n_members,
                                            int n_hosts);

typedef struct
{
  const UrbProgram *program; /* borrowed; of this rank; several ranks may have the same */
  const double     *seconds; /* borrowed; (n_instructions): how long each computes; those of collectives,
                              * waits and notes are not read */
  int               host;    /* from 0 */
} UrbSimulationRank;

typedef struct
{
  const UrbSimulationRank *ranks; /* (n_ranks), borrowed */
  int             n_ranks;
  UrbMesh         mesh;             /* whose axes collectives name; zeros: all collectives are of all ranks */
  int             n_lanes;          /* of the transport (step/collective.h); 0: one */
  double          n_cores;          /* of a host; 0: as many as are wanted */
  double          n_threads;        /* of a rank while it computes */
  double          exchange_threads; /* of a rank during an exchange */
  UrbExchangeFunc exchange;
  gpointer        data;
} UrbSimulation;

/* Seconds of a step. */
typedef struct
{
  double compute_s;  /* computing, slowed down by neighbors */
  double exchange_s; /* an exchange of this rank runs */
  double hidden_s;   /* both at once */
  double idle_s;     /* neither: it waits for another rank */
  double sent_bytes; /* to other ranks, as the cheapest algorithm sends them */
} UrbSimulatedRank;

typedef struct
{
  double            step_s;
  int               n_ranks;
  UrbSimulatedRank *ranks; /* (n_ranks), owned */
} UrbSimulated;

void urb_simulated_clear (UrbSimulated *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbSimulated, urb_simulated_clear)

/**
 * urb_simulate:
 * @out: (out caller-allocates)
 *
 * Simulates one step, which begins when all ranks are ready and ends when all of them are done.
 *
 * Returns: FALSE with %URB_STEP_ERROR_LAYOUT if the ranks would wait for each other for ever, or come to
 *   different collectives at the same time
 */
gboolean urb_simulate (const UrbSimulation *self, UrbSimulated *out, GError **error);

/* Means over all ranks, from 0 to 1: the share of a step in which a rank waits for others; in which its
 * exchanges run; and of the latter the share that computation hides (0 without exchanges). */
double urb_simulated_get_bubble   (const UrbSimulated *self);
double urb_simulated_get_exchange (const UrbSimulated *self);
double urb_simulated_get_overlap  (const UrbSimulated *self);

/* Elements that @rank sends in a collective of @n_members ranks, by the cheapest algorithm: 2 (N - 1) / N
 * of the count in an all-reduce. */
double urb_collective_count_sent (const UrbCollective *what, int rank, int n_members);

G_END_DECLS
