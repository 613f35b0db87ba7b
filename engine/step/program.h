/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.h - the step program: a flat list of instructions over named buffers.
 *
 * One GAN iteration is compiled once into such a list and run by one interpreter on
 * any backend.  A program is first *built* (build.c emits instructions that each write
 * fresh buffers, nothing is reused), then *planned* (plan.c prepares the operations,
 * inserts weight packing, lets operations work in place and places the buffers in one
 * arena), then run.  A parallel strategy is a rewrite between building and planning.
 *
 * An instruction's argument is a view: a buffer and an offset in elements, so that the
 * fake half of a batch, or one tensor of a parameter block, needs no copy and no buffer
 * of its own.
 */
#pragma once

#include "model/net.h"
#include "step/collective.h"
#include "step/runs.h"

G_BEGIN_DECLS

/* Where a buffer lives. */
typedef enum
{
  URB_STORE_ARENA,  /* placed by liveness; dead between steps */
  URB_STORE_PARAMS, /* a network's flat blocks, which persist between steps … */
  URB_STORE_GRADS,  /* moved to the arena by the planner unless they are needed after the step */
  URB_STORE_MOMENT1,
  URB_STORE_MOMENT2,
  URB_STORE_EMA,
  URB_STORE_STATE,
  URB_STORE_OUTSIDE, /* in a storage: only transfers read and write it */
  URB_STORE_PACKED, /* packed weights */
  URB_STORE_INPUT,  /* written from outside before a step */
  URB_STORE_OUTPUT, /* read from outside after a step */
  URB_N_STORES
} UrbStore;

/* Elements of a buffer with a lifetime of their own. */
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
  gint64    offset;    /* in the arena or the storage, bytes; -1 elsewhere */
  int       alias_of;  /* shares another buffer's storage; -1: its own */
  int       first_use, last_use; /* instructions; -1: never */
  GArray   *parts;     /* of UrbPart (nullable), owned: covering it, in order; NULL: one lifetime */
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

/* Action of an instruction. */
typedef enum
{
  URB_DO_OP,      /* runs op on args */
  URB_DO_PACK,    /* args: the stored weights, the packed ones; op packs */
  URB_DO_COPY,    /* args: source, destination; count elements */
  URB_DO_COLLECTIVE, /* args: in, out; starts the collective on the communication stream */
  URB_DO_WAIT,    /* waits for the collective `request` */
  URB_DO_TRANSFER, /* args: from, to, one of which is in the storage; starts it on the storage's stream */
  URB_DO_AWAIT,   /* waits for the transfer `request`, and so for all before it */
  URB_DO_NOTE     /* reports `note` to the interpreter's listener, once all before it is done */
} UrbInstructionKind;

typedef struct
{
  UrbInstructionKind kind;
  UkOpDesc desc;       /* OP, PACK */
  UrbCollective collective; /* COLLECTIVE; a peer is a place in the group; TRANSFER: a message to or from the storage */
  guint    axes;       /* COLLECTIVE: the ranks that take part are a group along these axes of a mesh
                        * (settings/mesh.h); 0: all */
  gint64   count;      /* COPY */
  int      n_parts;    /* COLLECTIVE: ranks that take part; 0: not known */
  int      request;    /* COLLECTIVE, WAIT; TRANSFER, AWAIT: number of the request, from 0 */
  int      note;       /* NOTE: event number, defined by the strategy */
  UrbView  args[UK_MAX_ARGS];
  /* Origin, for messages and rewrites: */
  const char *net;     /* (static) "g", "d" or "" */
  int         layer;   /* -1: none */
  int         microbatch;
  UrbPass     pass;
  /* Filled by the planner: */
  UkOp       *op;      /* borrowed from the program's ops: OP, PACK */
  int         scratch; /* OP: its scratch buffer in the arena; 0: the common scratch */
} UrbInstruction;

/* Metrics that a step writes, for the interpreter's caller. */
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
  URB_SLOT_REFINE = 18,   /* 1: squared norm of a sample's weighted error, mean */
  URB_SLOT_SHARES = 19,   /* 1: likewise */
  URB_N_SLOTS = 20
};

/* A network's blocks as buffers of the program. */
typedef struct
{
  const UrbNet *net; /* borrowed */
  int params, grads, moment1, moment2, ema, state; /* -1: none */
  int hyper; /* input, UK_N_HYPER; of D (n_d_steps, UK_N_HYPER) */
  /* What this rank holds of params, of grads, moments and ema, and of state: of UrbRun (nullable), owned
   * by the program; NULL: all of it, as in the network's tables. */
  GArray *runs, *moment_runs, *state_runs;
} UrbProgramNet;

typedef struct
{
  GArray *buffers;      /* of UrbBuffer */
  GArray *instructions; /* of UrbInstruction */
  /* Run once after parameters were written from outside: packings that stay valid
   * from one step to the next. */
  GArray *prologue;     /* of UrbInstruction */
  GPtrArray *ops;       /* of UkOp, owned: prepared once for all instructions with the same description */
  UrbProgramNet g, d;
  gint64 batch;         /* real images of a step, of this rank */
  int    n_microbatches; /* of the step of a network */
  int    n_d_steps;     /* of D in each step */
  int    n_requests;    /* collectives are numbered from 0 up to this */
  int    n_transfers;   /* and transfers, in the order of their start, up to this */
  /* Inputs and outputs as buffer indices; -1: none. */
  int    tiles, rng, penalty, augment, refine, z; /* bytes, u64[2], real[2], 2 x real[1], values */
  double penalty_scale; /* see urb_program_new_gan () */
  int    shares; /* real[7]: scale (2, 3) of UK_OP_SHARES, then minus shares_weight */
  double shares_weight; /* of a difference of shares in its gradient */
  double refine_weight; /* of a squared difference in the refiner's loss, which is a mean */
  int    next_tiles[2]; /* sized like tiles; on a device they hold the next step's tiles: of even
                         * steps, of odd steps */
  int    metrics; /* (n_d_steps, n_microbatches, URB_N_SLOTS); G's are with the last step of D */
  int    images;  /* a generator's output */
  int    weights, shifts, dz; /* of a fit: step/fit.h */
  /* Set before planning: gradients stay readable after the step. */
  gboolean keeps_gradients;
  /* Filled by the planner: */
  gint64 store_bytes[URB_N_STORES];
  gint64 live_bytes; /* peak of live bytes in the arena */
  gint64 scratch_bytes;
  gboolean planned;
} UrbProgram;

UrbProgram *urb_program_new  (void);
void        urb_program_free (UrbProgram *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbProgram, urb_program_free)

UrbBuffer      *urb_program_get_buffer      (const UrbProgram *self, int index);
UrbInstruction *urb_program_get_instruction (const UrbProgram *self, guint index);

/* Adds a buffer; takes @name (use g_strdup_printf). */
int     urb_program_add_buffer (UrbProgram *self, char *name, UrbStore store, UkArgType type,
                                gint64 count);
/* A fresh buffer in the arena, as a view. */
UrbView urb_program_add_temp   (UrbProgram *self, char *name, UkArgType type, gint64 count);
/* Instructions that start a collective and wait for it, not yet appended, so that the caller chooses
 * their position.  The fields of their origin are empty.  @in, @out: see step/collective.h.  The
 * planner sets the collective's element type. */
UrbInstruction urb_program_new_collect (UrbProgram *self, UrbCollectiveKind kind, gint64 count,
                                        int peer, UrbView in, UrbView out);
UrbInstruction urb_program_new_wait    (const UrbInstruction *collect);
/* The same between a buffer outside of the device's memory and one in it: @kind is RECV from there, or SEND. */
UrbInstruction urb_program_new_transfer (UrbProgram *self, UrbCollectiveKind kind, gint64 count,
                                         UrbView from, UrbView to);
UrbInstruction urb_program_new_await    (const UrbInstruction *transfer);
/* Appends an instruction. */
void    urb_program_emit       (UrbProgram *self, UrbInstruction instruction);

/* Adds the blocks of a network; @trained: including gradients and moments. */
void    urb_program_add_net (UrbProgram *self, UrbProgramNet *slot, const UrbNet *net,
                             gboolean trained, gboolean first_moment, gboolean ema);

/* An instruction that belongs to no network and has no arguments yet. */
UrbInstruction urb_instruction_new (UrbInstructionKind kind);

/* The number of elements of argument @arg, or an upper bound: only the backend knows the length of a
 * packing, and not every collective says how many ranks take part. */
gint64  urb_instruction_count_arg (const UrbInstruction *self, int arg);

/* Whether argument @arg, which is not NULL, is read, written or both. */
UkArgRole urb_instruction_get_role (const UrbInstruction *self, int arg);

/* "d.3 conv-wgrad" */
char   *urb_instruction_dup_label (const UrbInstruction *self);

/* Bytes that an instruction moves, as uk_op_bytes() counts them but of the arguments that it has; for a
 * collective, those of one rank's part.  Only after planning. */
double  urb_program_count_bytes (const UrbProgram *self, const UrbInstruction *instruction,
                                 const UkBackend *backend);
/* Those of argument @arg of an operation; 0 for NULL. */
double  urb_instruction_count_arg_bytes (const UrbInstruction *self, int arg, const UkBackend *backend);

/* Floating point operations of one step. */
double  urb_program_get_flops (const UrbProgram *self);

/* The operations that run on a slow fallback of the device, as a sentence; NULL if there are none.  Only after
 * planning; some are known only after the first step. (transfer full) (nullable) */
char   *urb_program_dup_slow  (const UrbProgram *self, const UkBackend *backend);

#define URB_STEP_ERROR (urb_step_error_quark ())
GQuark urb_step_error_quark (void);

typedef enum
{
  URB_STEP_ERROR_KERNEL,
  URB_STEP_ERROR_MEMORY,
  URB_STEP_ERROR_LAYOUT /* the networks cannot be divided like that */
} UrbStepError;

/* "@format: reason", with the device's explanation; @format may be the start of a sentence. */
void urb_step_set_error (GError **error, const UkBackend *backend, UkStatus status,
                         const char *format, ...) G_GNUC_PRINTF (4, 5);

/* Discards outputs of batch norm while another network works, and recomputes them.  Part of planning; a
 * strategy that gathers parameters for each use does it before, to see that use. */
void    urb_program_recompute_norms (UrbProgram *self);

/**
 * urb_program_plan:
 * @backend: borrowed; prepares the operations; must outlive the program
 *
 * Prepares every operation, inserts packings, decides which operations work in place,
 * and places the buffers.  Afterwards, store_bytes and scratch_bytes are the exact
 * memory a run takes.
 */
gboolean urb_program_plan (UrbProgram *self, UkBackend *backend, GError **error);

/* Makes the arena at least so large, for others to use between runs; after planning. */
void   urb_program_reserve (UrbProgram *self, gint64 n_bytes);
/* Sum of all stores in the device's memory and the scratch in bytes; only after planning. */
gint64 urb_program_get_bytes (const UrbProgram *self);
/* The part of it that needs no contents between runs, except for packed weights: see
 * urb_interpreter_new_in (). */
gint64 urb_program_get_workspace_bytes (const UrbProgram *self);

G_END_DECLS
