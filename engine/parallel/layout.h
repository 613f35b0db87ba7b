/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h - how the layers of a model are divided over the ranks of a pipeline, as data.
 *
 * Both networks are cut into the same number of parts, which follow each other in the same direction:
 * part p of either is on rank p % n_stages.  A batch thus passes all ranks in each sweep of either
 * network, and no rank is idle while the other network works.
 *
 * The layout follows from the program alone, so that all ranks find the same one.
 */
#pragma once

#include "step/program.h"

G_BEGIN_DECLS

/* In which order a rank does the work of several microbatches. */
typedef enum
{
  URB_ORDER_BUILT, /* one microbatch after the other */
  URB_ORDER_GPIPE, /* each sweep for all microbatches before the next sweep (Huang et al., 1811.06965) */
  URB_ORDER_1F1B   /* what ends a microbatch first, with few of them under way (Narayanan et al.,
                    * 2006.09503) */
} UrbOrder;

typedef struct
{
  int      n_stages;          /* ranks */
  int      n_chunks;          /* parts of a network on each rank; more than 1: interleaved (2104.04473) */
  UrbOrder order;
  gboolean delay_weights;     /* weight gradients fill the time in which a rank waits (2401.10241) */
  /* (n_layers) (nullable), borrowed: layers whose part is that of the next one, since the value between them is
   * divided among ranks. */
  const gboolean *joined_g, *joined_d;
  /* Filled by urb_layout_cut(): the part of each layer, from 0 to n_stages * n_chunks - 1. */
  int     *g, *d;             /* (n_layers), owned; of the whole generator, with its refiner */
  int      n_g, n_d;
  int      first_refiner_layer; /* in the generator; n_g without a refiner */
} UrbLayout;

void urb_layout_clear (UrbLayout *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbLayout, urb_layout_clear)

/* The layer of an instruction in the table of its network; -1: it has none.
 * @n_base_layers: of the generator without its refiner.  @net: (out): the network */
int urb_program_find_layer (const UrbProgram *program, const UrbInstruction *instruction,
                            int n_base_layers, const UrbProgramNet **net);

/* The layers that the program of a rank computes, in the order of the preset: "G 1–5, D 1–3", or "G 1–2, 5–6, D 1"
 * of an interleaved one.  G and D are generator, with its refiner, and discriminator. (transfer full) */
char *urb_program_dup_layers (const UrbProgram *program, int n_base_layers);

/* How long an instruction takes on a processor, in an arbitrary unit: from operations and values alone,
 * so that it is the same on every rank. */
double urb_instruction_estimate (const UrbInstruction *self);

/**
 * urb_layout_cut:
 * @program: as built, with whole networks
 * @n_base_layers: of the generator without its refiner
 *
 * Cuts both networks such that the slowest part of each is as fast as possible.
 *
 * Returns: FALSE with %URB_STEP_ERROR_LAYOUT if a rank would have no layer
 */
gboolean urb_layout_cut (UrbLayout *self, const UrbProgram *program, int n_base_layers, GError **error);

enum { URB_EVERY_PART = -1 };

/* The part that each instruction of @program belongs to; %URB_EVERY_PART for updates.  An operation
 * without a layer, such as a loss, goes where its latest input is made; one without inputs, such as
 * noise, where its output is read first.  (transfer full) (n_instructions) */
int *urb_layout_find_parts (const UrbLayout *self, const UrbProgram *program);

G_END_DECLS
