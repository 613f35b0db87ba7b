/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.h - the step program: a flat list of instructions over named buffers.
 *
 * One GAN iteration is compiled once into such a list and run by one
 * interpreter on any backend.  A program is first *built* (build.c emits
 * instructions that each write fresh buffers, nothing is reused), then
 * *planned* (plan.c prepares the operations, inserts the packing of weights,
 * lets operations work in place and lays the buffers into one arena), then run.
 * A parallel strategy is a rewrite between the first and the second.
 *
 * An instruction's argument is a view: a buffer and an offset in elements, so
 * that the fake half of a batch, or one tensor of a parameter block, need no
 * copies and no buffers of their own.
 */
#pragma once

#include "model/net.h"
#include "step/collective.h"

G_BEGIN_DECLS

/* Where a buffer lives. */
typedef enum
{
  URB_STORE_ARENA,  /* planned by liveness; dead between steps */
  URB_STORE_PARAMS, /* a network's flat blocks: alive from step to step … */
  URB_STORE_GRADS,  /* the planner moves them to the arena where nobody wants them afterwards */
  URB_STORE_MOMENT1,
  URB_STORE_MOMENT2,
  URB_STORE_EMA,
  URB_STORE_STATE,
  URB_STORE_PACKED, /* packed weights; made anew after each update */
  URB_STORE_INPUT,  /* written from outside before a step */
  URB_STORE_OUTPUT, /* read from outside after a step */
  URB_N_STORES
} UrbStore;

/* Elements of a buffer that have a life of their own. */
typedef struct
{
  gint64 first, count;
  int    first_use, last_use;
} UrbPart;

typedef struct
{
  char     *name; /* owned; "d.act.3" */
  UrbStore  store;
  UkArgType type;
  gint64    count; /* elements */
  /* Filled by the planner: */
  gint64    n_bytes;
  gint64    offset;    /* in the arena, bytes; -1 elsewhere */
  int       alias_of;  /* shares another buffer's storage; -1: its own */
  int       first_use, last_use; /* instructions; -1: never */
  GArray   *parts;     /* of UrbPart (nullable), owned: all of it, in order; NULL: it lives as a whole */
} UrbBuffer;

typedef struct
{
  int    buffer; /* -1: NULL */
  gint64 offset; /* elements */
} UrbView;

#define URB_NO_VIEW ((UrbView) { -1, 0 })

typedef enum
{
  URB_PASS_LOAD,
  URB_PASS_FORWARD,
  URB_PASS_LOSS,
  URB_PASS_BACKWARD,
  URB_PASS_TANGENT,
  URB_PASS_UPDATE,
  URB_N_PASSES
} UrbPass;

const char *urb_pass_get_name (UrbPass pass);

/* What the interpreter does with an instruction. */
typedef enum
{
  URB_DO_OP,      /* runs op on args */
  URB_DO_PACK,    /* args: the stored weights, the packed ones; op packs */
  URB_DO_COPY,    /* args: from, to; count elements */
  URB_DO_COLLECTIVE, /* args: in, out; starts the collective, on the communication stream */
  URB_DO_WAIT,    /* for the collective `request` */
  URB_DO_NOTE     /* tells the interpreter's listener `note`, once all before it is done */
} UrbInstructionKind;

typedef struct
{
  UrbInstructionKind kind;
  UkOpDesc desc;       /* OP, PACK */
  UrbCollective collective; /* COLLECT */
  gint64   count;      /* COPY */
  int      request;    /* COLLECT, WAIT: which one, numbered from 0 */
  int      note;       /* NOTE: what happens here; the numbers are its strategy's own */
  UrbView  args[UK_MAX_ARGS];
  /* What it belongs to, for people and for rewrites: */
  const char *net;     /* (static) "g", "d" or "" */
  int         layer;   /* -1: none */
  int         microbatch;
  UrbPass     pass;
  /* Filled by the planner: */
  UkOp       *op;      /* owned, unless is_pack */
  int         scratch; /* OP: the buffer of the arena that it works in; 0: the common scratch */
} UrbInstruction;

/* The small numbers that a step writes; the interpreter's caller reads them. */
enum
{
  URB_SLOT_PAIR_D = 0,    /* 3: loss, mean real logit, mean fake logit */
  URB_SLOT_PAIR_G = 3,    /* 3 */
  URB_SLOT_BCE_REAL = 6,  /* 2: loss, mean logit */
  URB_SLOT_BCE_FAKE = 8,  /* 2 */
  URB_SLOT_BCE_G = 10,    /* 2 */
  URB_SLOT_R1 = 12,       /* 1 */
  URB_SLOT_R2 = 13,       /* 1 */
  URB_SLOT_NORM_D = 14,   /* 2: norm, factor */
  URB_SLOT_NORM_G = 16,   /* 2 */
  URB_N_SLOTS = 18
};

/* A network's blocks as buffers of the program. */
typedef struct
{
  const UrbNet *net; /* borrowed */
  int params, grads, moment1, moment2, ema, state; /* -1: none */
  int hyper; /* input, UK_N_HYPER */
} UrbProgramNet;

typedef struct
{
  GArray *buffers;      /* of UrbBuffer */
  GArray *instructions; /* of UrbInstruction */
  /* Run once after the parameters came from outside, then never again:
   * packings that stay valid from one step to the next. */
  GArray *prologue;     /* of UrbInstruction */
  UrbProgramNet g, d;
  gint64 batch;         /* real images of a step, of this rank */
  int    n_microbatches;
  int    n_requests;    /* collectives are numbered below it */
  /* Inputs and outputs, indices of buffers; -1: none. */
  int    tiles, rng, penalty, augment, z; /* bytes, u64[2], real[1], real[1], values */
  int    next_tiles[2]; /* as many as tiles: where those of the next step wait on a device; of even
                         * steps, and of odd ones */
  int    metrics; /* (n_microbatches, URB_N_SLOTS) */
  int    images;  /* a generator's output */
  /* Set before planning: gradients outlive the step, for who wants to look at them. */
  gboolean keeps_gradients;
  /* Filled by the planner: */
  gint64 store_bytes[URB_N_STORES];
  gint64 live_bytes; /* the most of the arena that is alive at once */
  gint64 scratch_bytes;
  gboolean planned;
} UrbProgram;

UrbProgram *urb_program_new  (void);
void        urb_program_free (UrbProgram *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbProgram, urb_program_free)

UrbBuffer      *urb_program_get_buffer      (const UrbProgram *self, int index);
UrbInstruction *urb_program_get_instruction (const UrbProgram *self, guint index);

/* Adds a buffer; @name is taken (g_strdup_printf it). */
int     urb_program_add_buffer (UrbProgram *self, char *name, UrbStore store, UkArgType type,
                                gint64 count);
/* A fresh buffer of the arena, as a view. */
UrbView urb_program_add_temp   (UrbProgram *self, char *name, UkArgType type, gint64 count);
/* Instructions that start a collective and wait for it, not yet appended: where they go is the
 * caller's choice.  All fields of an instruction's origin are left empty. @in, @out: see
 * step/collective.h.  The planner fills in the collective's element. */
UrbInstruction urb_program_new_collect (UrbProgram *self, UrbCollectiveKind kind, gint64 count,
                                        int peer, UrbView in, UrbView out);
UrbInstruction urb_program_new_wait    (const UrbInstruction *collect);
/* Appends an instruction. */
void    urb_program_emit       (UrbProgram *self, UrbInstruction instruction);

/* The blocks of a network; @trained: gradients and moments too. */
void    urb_program_add_net (UrbProgram *self, UrbProgramNet *slot, const UrbNet *net,
                             gboolean trained, gboolean first_moment, gboolean ema);

/* An instruction that belongs to no network and has no arguments yet. */
UrbInstruction urb_instruction_new (UrbInstructionKind kind);

/* The number of elements that argument @arg covers, or an upper bound: the length of a packing is the
 * backend's own, and that of a collective's gathered side depends on the rank. */
gint64  urb_instruction_count_arg (const UrbInstruction *self, int arg);

/* "d.3 conv-wgrad" */
char   *urb_instruction_dup_label (const UrbInstruction *self);

/* The least bytes that an instruction moves, as uk_op_bytes() counts them; of a collective, those of
 * one rank's part.  Only after planning. */
double  urb_program_count_bytes (const UrbProgram *self, const UrbInstruction *instruction,
                                 const UkBackend *backend);

/* Floating point operations of one step. */
double  urb_program_get_flops (const UrbProgram *self);

#define URB_STEP_ERROR (urb_step_error_quark ())
GQuark urb_step_error_quark (void);

typedef enum { URB_STEP_ERROR_KERNEL, URB_STEP_ERROR_MEMORY } UrbStepError;

/* "@format, which may be a sentence's beginning: why", with what the device says. */
void urb_step_set_error (GError **error, const UkBackend *backend, UkStatus status,
                         const char *format, ...) G_GNUC_PRINTF (4, 5);

/**
 * urb_program_plan:
 * @backend: borrowed; prepares the operations, must outlive the program
 *
 * Prepares every operation, inserts packings, decides what works in place and
 * where each buffer lives.  Afterwards store_bytes and scratch_bytes are the
 * exact memory a run takes.
 */
gboolean urb_program_plan (UrbProgram *self, UkBackend *backend, GError **error);

/* Sum of all stores and the scratch, bytes; only after planning. */
gint64 urb_program_get_bytes (const UrbProgram *self);
/* Of these, what holds nothing that outlives a run but packed weights: see
 * urb_interpreter_new_in (). */
gint64 urb_program_get_workspace_bytes (const UrbProgram *self);

G_END_DECLS
