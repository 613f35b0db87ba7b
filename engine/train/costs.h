/* SPDX-License-Identifier: Apache-2.0 */
/*
 * costs.h - what operations and exchanges cost on this machine, as train/calibrate.h measured it.
 *
 * Costs depend on the situation they were measured in: the device, this build, the threads of a rank and
 * how many ranks of the machine worked at once.  Each situation has a file in the user's cache folder.
 * What was not measured is estimated, and said to be.
 */
#pragma once

#include "settings/run-config.h"
#include "train/simulate.h"

G_BEGIN_DECLS

typedef struct _UrbCosts UrbCosts;

/* @options: resolved; device, precision and threads count.  @n_local: ranks on this machine, which share
 * its threads.  Reads what the cache has. */
UrbCosts *urb_costs_new  (const UrbTrainOptions *options, int n_local);
void      urb_costs_free (UrbCosts *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbCosts, urb_costs_free)

/* Ranks of the machine, and the threads of each. */
int       urb_costs_get_n_local   (const UrbCosts *self);
int       urb_costs_get_n_threads (const UrbCosts *self);

/* Writes the cache.  Fails with a %G_FILE_ERROR. */
gboolean  urb_costs_save (UrbCosts *self, GError **error);

/* What tells the costs of instructions apart: "conv 8x4x4x512 8x8x8x256 k4 s2 p1 …"; NULL if it computes
 * nothing.  (transfer full) (nullable) */
char     *urb_costs_dup_key (const UrbInstruction *instruction);
/* The same of an exchange between @n_members ranks, without its size. */
char     *urb_costs_dup_exchange_key (UrbCollectiveKind kind, int n_members);

gboolean  urb_costs_knows (const UrbCosts *self, const char *key);
void      urb_costs_set   (UrbCosts *self, const char *key, double seconds);
/* One size of an exchange: bytes of what->count elements.  In any order; a new size replaces an old. */
void      urb_costs_set_exchange (UrbCosts *self, const char *key, gint64 n_bytes, double seconds);

/* How much longer the slowest of the ranks of this machine takes than they do on average, from 1 (also if
 * not measured) to 10. */
void      urb_costs_set_imbalance (UrbCosts *self, double factor);
double    urb_costs_get_imbalance (const UrbCosts *self);

/* Seconds of each instruction of a planned @program.  @estimated: (out): the share of their sum that is
 * estimated rather than measured, 0 to 1.  (transfer full) (n_instructions) */
double   *urb_costs_list (UrbCosts *self, const UrbProgram *program, double *estimated);

/* Of ranks on this machine: interpolated linearly between the sizes that were measured.
 * @measured: (out) (nullable) */
UrbExchangeCost urb_costs_get_exchange (UrbCosts *self, const UrbCollective *what, int n_members,
                                        gboolean *measured);

G_END_DECLS
