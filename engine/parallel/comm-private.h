/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm-private.h - shared by the transports: their table of functions, and the arithmetic of
 * collectives on the host.
 */
#pragma once

#include "parallel/comm.h"

G_BEGIN_DECLS

enum { URB_COMM_MAX_UNDER_WAY = 64 };

/* The transports extend this. */
struct _UrbRequest
{
  UrbCollective what;
  const void   *in;  /* borrowed until wait() */
  void         *out; /* borrowed until wait() */
};

/* The ranks of a communicator.  Those of one that was split from another keep their numbers in messages. */
typedef struct
{
  int   n_ranks;
  int  *numbers; /* (n_ranks), owned: in the first communicator, ascending or not; NULL: 0, 1 and so on */
  char *name;    /* owned; "data"; NULL: all ranks */
} UrbRoster;

void  urb_roster_copy       (UrbRoster *self, const UrbRoster *from);
void  urb_roster_clear      (UrbRoster *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbRoster, urb_roster_clear)
/* The number of its rank @rank in the first communicator. */
int   urb_roster_get_number (const UrbRoster *self, int rank);
/* "all-reduce of 100 floats among its data group", "send of 3 bytes to rank 1". (transfer full) */
char *urb_roster_describe   (const UrbRoster *self, const UrbCollective *what);

/* How a rank takes part in a split. */
typedef struct
{
  const char *name; /* of the groups; NULL: all ranks stay together */
  int         color, key;
} UrbSplit;

/* A transport.  comm.c has checked descriptions and buffers. */
typedef struct
{
  const char *name;
  gsize       request_size;
  /* Starts *@request, zeroed except for its base.  Must not wait for other ranks. */
  gboolean (*start) (UrbComm *self, UrbRequest *request, GError **error);
  /* Blocks until done.  When it returns, also in failure, nothing accesses the buffers. */
  gboolean (*wait)  (UrbComm *self, UrbRequest *request, GError **error);
  UrbComm *(*split) (UrbComm *self, const UrbSplit *how, GError **error);
  /* From any thread. */
  void     (*abort) (UrbComm *self, const char *why);
  /* FALSE, with the reason, after a rank gave up.  Does not block; from the owner's thread. */
  gboolean (*check) (UrbComm *self, GError **error);
  /* Frees the transport's own data; comm.c frees the memory of @self. */
  void     (*free)  (UrbComm *self);
} UrbCommOps;

/* The transports extend this. */
struct _UrbComm
{
  const UrbCommOps *ops; /* (static) */
  int      rank, n_ranks;
  UrbRoster roster;  /* owned */
  guint64  under_way; /* one bit per request in use */
  char    *requests;  /* owned; URB_COMM_MAX_UNDER_WAY times ops->request_size bytes */
};

/* Initializes the base of a communicator allocated with g_malloc0().  Takes @roster. */
void     urb_comm_init  (UrbComm *self, const UrbCommOps *ops, int rank, UrbRoster *roster);
/* Below URB_COMM_MAX_UNDER_WAY; of this request alone until it is waited for. */
int      urb_comm_get_slot (UrbComm *self, const UrbRequest *request);
/* The group of this rank, for transports that have buffers on the host.
 * @rank: (out): this rank's place in it; @roster: (out) */
gboolean urb_comm_find_group (UrbComm *self, const UrbSplit *how, int *rank, UrbRoster *roster, GError **error);
/* See UrbCommOps.check. */
gboolean urb_comm_check (UrbComm *self, GError **error);

/* "all-reduce of 100 floats", "send of 3 bytes to rank 1". (transfer full) */
char    *urb_collective_describe (const UrbCollective *what);
gboolean urb_collective_has_root (UrbCollectiveKind kind);
/* How many parts of count elements @rank reads or writes: 0, 1 or @n_ranks. */
int      urb_collective_count_in  (const UrbCollective *what, int rank, int n_ranks);
int      urb_collective_count_out (const UrbCollective *what, int rank, int n_ranks);
/* Whether two ranks' descriptions match; not for send and receive. */
gboolean urb_collective_equal    (const UrbCollective *a, const UrbCollective *b);
/* The error for ranks of @roster in different operations. */
void     urb_roster_set_mismatch (const UrbRoster *roster, GError **error, int rank_a, const UrbCollective *a,
                                  int rank_b, const UrbCollective *b);

/* @out = the sum of @n_in arrays of @count, added in their order.  @out may be one of them. */
void     urb_element_sum (UrbElement element, const void *const *in, int n_in, void *out,
                          gint64 count);

/* One rank's buffers of a collective. */
typedef struct
{
  const void *in;
  void       *out;
} UrbEnds;

/**
 * urb_collective_move:
 * @what: any kind except send and receive
 * @ends: (array length=n_ranks): of all ranks, in this process's memory
 * @begin: the first element of every part
 * @end: one past the last
 *
 * Does a slice of a collective for all ranks.  Several threads may do disjoint slices concurrently,
 * also in place.
 */
void     urb_collective_move (const UrbCollective *what, int n_ranks, const UrbEnds *ends,
                              gint64 begin, gint64 end);

G_END_DECLS
