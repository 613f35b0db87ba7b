/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcp-private.h - what rank 0 (tcp-hub.c, tcp-serve.c) and the other ranks (comm-tcp.c) say to each other, and how.
 *
 * Each rank has one connection for news, by which both ends tell every second that they are alive, and one for
 * each communicator.  On the latter it writes an order, with its data if it starts an operation, and reads an
 * answer, with the result, if it waits for one.  All machines have the same byte order, which the magic number
 * checks.
 */
#pragma once

#include "parallel/comm-private.h"
#include "parallel/comm-tcp.h"
#include "parallel/tcp-token.h"

G_BEGIN_DECLS

#define URB_TCP_MAGIC G_GUINT64_CONSTANT (0x3250435462725555)

enum
{
  URB_TCP_NEWS = -1, /* a ticket */
  URB_TCP_BEAT_MS = 1000,
  URB_TCP_SILENCE_S = 6, /* longer: the other end is stopped or cut off */
  URB_TCP_TELL_MS = 1000, /* longer: people are told what a rank waits for */
  URB_TCP_CONNECT_S = 5, /* longer: something in between drops packets */
  URB_TCP_NAME_BYTES = 16,
  URB_TCP_NONCE_BYTES = 32,
  URB_TCP_PROOF_BYTES = 32
};

/* What rank 0 says first. */
typedef struct
{
  guint64 magic;
  guint8  nonce[URB_TCP_NONCE_BYTES]; /* random */
} UrbTcpGreeting;

/* What a rank replies. */
typedef struct
{
  guint64 magic;
  char    version[32];
  gint32  rank, n_ranks;
  gint64  ticket; /* the communicator: 0: the first, else a random number from the answer to SPLIT; or
                   * URB_TCP_NEWS */
  guint8  nonce[URB_TCP_NONCE_BYTES]; /* random */
  guint8  proof[URB_TCP_PROOF_BYTES]; /* that it knows the token */
} UrbTcpHandshake;

typedef enum
{
  URB_TCP_WELL,
  URB_TCP_FAILED,
  URB_TCP_LEFT /* the rank ends; its news do, too */
} UrbTcpNewsKind;

typedef struct
{
  gint32 kind;
  gint32 code;      /* FAILED: UrbCommError */
  char   text[504]; /* FAILED */
} UrbTcpNews;

/* What rank 0 answers to that. */
typedef struct
{
  guint8     proof[URB_TCP_PROOF_BYTES]; /* that it knows the token, too; unless the news are that the rank does not */
  UrbTcpNews news;
} UrbTcpWelcome;

typedef enum
{
  URB_TCP_RANK,
  URB_TCP_HUB
} UrbTcpEnd;

typedef enum
{
  URB_TCP_START, /* followed by the input */
  URB_TCP_WAIT,  /* answered by news, and the output */
  URB_TCP_SPLIT, /* answered by news, a group and the numbers of its ranks */
  URB_TCP_LEAVE
} UrbTcpVerb;

typedef struct
{
  gint32 verb, slot;       /* START, WAIT: of the request */
  gint32 kind, element;    /* START: as UrbCollective */
  gint32 peer, is_dup;     /* START; SPLIT: without a name */
  gint64 count;            /* START */
  gint32 color, key;       /* SPLIT */
  char   name[URB_TCP_NAME_BYTES];
} UrbTcpOrder;

typedef struct
{
  gint64 ticket;
  gint32 rank, n_ranks, has_name;
  char   name[URB_TCP_NAME_BYTES];
} UrbTcpGroup;

/* What @end proves in the conversation that began so.  @proof: (out caller-allocates) */
void     urb_tcp_prove       (const char *token, UrbTcpEnd end, const UrbTcpGreeting *greeting,
                              const UrbTcpHandshake *said, guint8 *proof);
gboolean urb_tcp_is_proof    (const guint8 *proof, const guint8 *expected);
gboolean urb_tcp_draw_nonce  (guint8 *nonce);

/* Whether only this host reaches it. */
gboolean urb_tcp_is_loopback (const char *address);
/* -1 with a %URB_COMM_ERROR_UNAVAILABLE */
int      urb_tcp_listen      (const char *address, GError **error);
int      urb_tcp_connect     (const char *address, GError **error);
/* All of it.  FALSE: the connection is lost. */
gboolean urb_tcp_send        (int fd, gconstpointer data, gsize n_bytes);
gboolean urb_tcp_receive     (int fd, gpointer data, gsize n_bytes);
/* 0: for ever */
void     urb_tcp_set_timeout (int fd, int seconds);

typedef enum
{
  URB_TCP_LOST,
  URB_TCP_PART,
  URB_TCP_WHOLE
} UrbTcpArrival;

/* What has come by now.  Does not wait.
 * @n_done: (inout): of @n_bytes; 0 again once they are whole */
UrbTcpArrival urb_tcp_receive_part (int fd, gpointer data, gsize n_bytes, gsize *n_done);
/* @error: (nullable): %NULL: all is well */
void     urb_tcp_news_init   (UrbTcpNews *self, const GError *error);
gboolean urb_tcp_send_news   (int fd, const GError *error);
/* FALSE: FAILED, with *@error. */
gboolean urb_tcp_news_check  (UrbTcpNews *self, GError **error);
/* Bytes of @n_parts parts of an operation. */
gsize    urb_tcp_count_bytes (const UrbCollective *what, int n_parts);

/* Does in @comm what its rank orders by @fd, until it leaves or is lost.  Takes @comm; @fd stays open. */
void     urb_tcp_serve          (UrbTcpHub *hub, UrbComm *comm, int fd);
/* For it: keeps @made, which was split, until its rank connects with the ticket that this returns.  Takes @made.
 * Returns: 0: the rank has more communicators than any strategy needs */
gint64   urb_tcp_hub_add_ticket (UrbTcpHub *self, UrbComm *made);
/* The rank has left @comm, or is lost, which ends the run. */
void     urb_tcp_hub_leave      (UrbTcpHub *self, UrbComm *comm, gboolean is_lost);

G_END_DECLS
