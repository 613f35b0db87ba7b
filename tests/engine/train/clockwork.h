/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clockwork.h - a backend and a transport for tests of time: operations sleep for their modeled cost
 * instead of computing, and exchanges last as long as a given latency and bandwidth say.
 *
 * Threads that sleep need no processor, so any number of ranks runs on any machine.
 */
#pragma once

#include "kernels/uk.h"
#include "step/program.h"

G_BEGIN_DECLS

/* Seconds of an operation. */
typedef double (*ClockworkCost) (const UkOpDesc *desc);

/* @cost: from any thread.  Use the backend from one thread. */
UkBackend *clockwork_new (ClockworkCost cost);

typedef struct
{
  UrbTransport inner; /* of the same rank */
  double       latency, bytes_per_second; /* 0: takes no time */
  double       debt;  /* seconds slept too long */
} ClockworkLink;

/* Borrows @self. */
UrbTransport clockwork_link_get_transport (ClockworkLink *self);
double       clockwork_link_get_seconds   (const ClockworkLink *self, const UrbCollective *what);

G_END_DECLS
