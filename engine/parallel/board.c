/* SPDX-License-Identifier: Apache-2.0 */
/*
 * board.c - see board.h.
 *
 * A reader must get consistent data although a rank may be writing, or was killed while writing. A
 * slot of the ring is identified by a ticket that only grows; its writer sets the ticket to 0,
 * writes, and sets it again, and a reader that does not find the same ticket before and after skips
 * the slot.  The file is sealed and cannot shrink, so that a reader never gets a SIGBUS.
 */
#include "parallel/board.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC G_GUINT64_CONSTANT (0x3364726f62627275) /* "urbbord3" */

typedef _Atomic guint64 Word;

typedef struct
{
  Word ticket; /* 0: being written */
  Word number, step;
  Word kind;   /* packed: kind, element, group, finished, peer */
  Word count;
} Slot;

typedef struct
{
  Word pid;
  Word state, step, instruction, changed_us, memory_bytes;
  Word n_tickets;
  Word host[URB_BOARD_HOST_BYTES / sizeof (guint64)];
  struct
  {
    Word least;
    Word name[URB_BOARD_GROUP_BYTES / sizeof (guint64)];
  } groups[URB_BOARD_MAX_GROUPS];
  Slot ring[URB_BOARD_RING];
  /* Pages that are never written take no memory: the cost is that of the program's length. */
  Word labels[URB_BOARD_MAX_LABELS][URB_BOARD_LABEL_BYTES / sizeof (guint64)];
} Entry;

typedef struct
{
  Word magic, n_ranks, fault;
} Head;

struct _UrbBoard
{
  int    fd;
  int    n_ranks; /* as it was when mapped, whatever the memory says later */
  gsize  n_bytes;
  Head  *head;    /* mapped */
  Entry *entries; /* after the head */
};

static guint64
get (Word *word)
{
  return atomic_load_explicit (word, memory_order_acquire);
}

static void
set (Word *word, guint64 value)
{
  atomic_store_explicit (word, value, memory_order_release);
}

/* ------------------------------------------------------------------------ */
/* Texts: words of eight bytes                                               */

static void
write_text (Word *words, gsize n_words, const char *text)
{
  gsize n = strnlen (text, n_words * sizeof (guint64) - 1);

  for (gsize i = 0; i < n_words; i++)
    {
      guint64 word = 0;
      gsize at = i * sizeof word;

      if (at < n)
        memcpy (&word, text + at, MIN (n - at, sizeof word));
      set (&words[i], word);
    }
}

/* @text: (out): room for all words; null-terminated */
static void
read_text (Word *words, gsize n_words, char *text)
{
  for (gsize i = 0; i < n_words; i++)
    {
      guint64 word = get (&words[i]);

      memcpy (text + i * sizeof word, &word, sizeof word);
    }
  text[n_words * sizeof (guint64) - 1] = '\0';
  for (char *c = text; *c != '\0'; c++)
    if (!g_ascii_isprint (*c))
      *c = '?';
}

/* ------------------------------------------------------------------------ */
/* The board                                                                 */

static gsize
count_bytes (int n_ranks)
{
  return sizeof (Head) + (gsize) n_ranks * sizeof (Entry);
}

static UrbBoard *
map (int fd, int n_ranks, GError **error)
{
  gsize n_bytes = count_bytes (n_ranks);
  void *memory = mmap (NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  UrbBoard *self;

  if (memory == MAP_FAILED)
    {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
                   "Cannot map the status board: %s", g_strerror (errno));
      return NULL;
    }
  self = g_new0 (UrbBoard, 1);
  self->fd = fd;
  self->n_ranks = n_ranks;
  self->n_bytes = n_bytes;
  self->head = memory;
  self->entries = (Entry *) (self->head + 1);
  return self;
}

UrbBoard *
urb_board_new (int n_ranks, GError **error)
{
  UrbBoard *self = NULL;
  int fd;

  g_return_val_if_fail (n_ranks >= 1 && n_ranks <= URB_BOARD_MAX_RANKS, NULL);
  fd = memfd_create ("urbarium-board", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0 || ftruncate (fd, (off_t) count_bytes (n_ranks)) != 0
      || fcntl (fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
                 "Cannot create the status board of %d ranks: %s", n_ranks, g_strerror (errno));
  else
    self = map (fd, n_ranks, error);
  if (self == NULL)
    {
      if (fd >= 0)
        close (fd);
      return NULL;
    }
  set (&self->head->n_ranks, (guint64) n_ranks);
  set (&self->head->magic, MAGIC);
  for (int i = 0; i < n_ranks; i++)
    urb_board_clear_rank (self, i);
  return self;
}

/* @n_ranks: (out) */
static gboolean
check (int fd, int *n_ranks, GError **error)
{
  struct stat info;
  guint64 head[2];
  int seals = fcntl (fd, F_GET_SEALS);

  if (fstat (fd, &info) != 0 || seals < 0 || (seals & F_SEAL_SHRINK) == 0
      || pread (fd, head, sizeof head, 0) != sizeof head || head[0] != MAGIC || head[1] < 1
      || head[1] > URB_BOARD_MAX_RANKS || (guint64) info.st_size != count_bytes ((int) head[1]))
    {
      g_set_error_literal (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                           "The passed file is not a status board");
      return FALSE;
    }
  *n_ranks = (int) head[1];
  return TRUE;
}

UrbBoard *
urb_board_open (int fd, GError **error)
{
  int n_ranks, own;
  UrbBoard *self;

  if (!check (fd, &n_ranks, error))
    return NULL;
  own = fcntl (fd, F_DUPFD_CLOEXEC, 0);
  if (own < 0)
    {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
                   "Cannot open the status board: %s", g_strerror (errno));
      return NULL;
    }
  self = map (own, n_ranks, error);
  if (self == NULL)
    close (own);
  return self;
}

void
urb_board_free (UrbBoard *self)
{
  if (self == NULL)
    return;
  munmap (self->head, self->n_bytes);
  close (self->fd);
  g_free (self);
}

int
urb_board_get_fd (UrbBoard *self)
{
  return self->fd;
}

int
urb_board_get_n_ranks (UrbBoard *self)
{
  return self->n_ranks;
}

gboolean
urb_board_claim_fault (UrbBoard *self)
{
  return atomic_exchange (&self->head->fault, 1) == 0;
}

gboolean
urb_board_has_fault (UrbBoard *self)
{
  return get (&self->head->fault) != 0;
}

/* ------------------------------------------------------------------------ */
/* Writing                                                                   */

static Entry *
get_entry (UrbBoard *self, int rank)
{
  g_assert (rank >= 0 && rank < self->n_ranks);
  return &self->entries[rank];
}

static void
touch (Entry *entry)
{
  set (&entry->changed_us, (guint64) g_get_monotonic_time ());
}

void
urb_board_clear_rank (UrbBoard *self, int rank)
{
  Entry *entry = get_entry (self, rank);

  set (&entry->pid, 0);
  set (&entry->state, URB_RANK_ABSENT);
  set (&entry->step, 0);
  set (&entry->instruction, (guint64) -1);
  set (&entry->memory_bytes, 0);
  write_text (entry->host, G_N_ELEMENTS (entry->host), "");
  for (int i = 0; i < URB_BOARD_MAX_GROUPS; i++)
    {
      set (&entry->groups[i].least, 0);
      for (gsize k = 0; k < G_N_ELEMENTS (entry->groups[i].name); k++)
        set (&entry->groups[i].name[k], 0);
    }
  for (int i = 0; i < URB_BOARD_RING; i++)
    set (&entry->ring[i].ticket, 0);
  touch (entry);
}

void
urb_board_enter (UrbBoard *self, int rank)
{
  Entry *entry = get_entry (self, rank);

  urb_board_clear_rank (self, rank);
  write_text (entry->host, G_N_ELEMENTS (entry->host), g_get_host_name ());
  set (&entry->state, URB_RANK_STARTING);
  set (&entry->pid, (guint64) getpid ());
}

void
urb_board_set_state (UrbBoard *self, int rank, UrbRankState state, gint64 step)
{
  Entry *entry = get_entry (self, rank);

  set (&entry->state, (guint64) state);
  set (&entry->step, (guint64) step);
  if (state != URB_RANK_STEPPING)
    set (&entry->instruction, (guint64) -1);
  touch (entry);
}

void
urb_board_set_instruction (UrbBoard *self, int rank, int instruction)
{
  Entry *entry = get_entry (self, rank);

  set (&entry->instruction, (guint64) instruction);
  touch (entry);
}

void
urb_board_set_label (UrbBoard *self, int rank, int instruction, const char *label)
{
  Entry *entry = get_entry (self, rank);

  if (instruction >= 0 && instruction < URB_BOARD_MAX_LABELS)
    write_text (entry->labels[instruction], G_N_ELEMENTS (entry->labels[0]), label);
}

void
urb_board_set_memory (UrbBoard *self, int rank, gint64 n_bytes)
{
  set (&get_entry (self, rank)->memory_bytes, (guint64) n_bytes);
}

void
urb_board_set_group (UrbBoard *self, int rank, int group, const char *name, int least)
{
  Entry *entry = get_entry (self, rank);

  if (group < 0 || group >= URB_BOARD_MAX_GROUPS)
    return;
  set (&entry->groups[group].least, (guint64) least);
  write_text (entry->groups[group].name, G_N_ELEMENTS (entry->groups[group].name), name);
}

gint64
urb_board_get_step (UrbBoard *self, int rank)
{
  return (gint64) get (&get_entry (self, rank)->step);
}

guint64
urb_board_begin_collective (UrbBoard *self, int rank, int group, gint64 number,
                            const UrbCollective *what)
{
  Entry *entry = get_entry (self, rank);
  guint64 ticket = atomic_fetch_add (&entry->n_tickets, 1) + 1;
  Slot *slot = &entry->ring[ticket % URB_BOARD_RING];
  /* A byte each for kind, element, group and whether it is finished; above, the peer. */
  guint64 kind = (guint64) (what->kind & 0xff) | (guint64) (what->element & 0xff) << 8
                 | (guint64) (group & 0xff) << 16 | (guint64) (guint32) what->peer << 32;

  set (&slot->ticket, 0);
  atomic_thread_fence (memory_order_seq_cst); /* readers must not see the following writes with the
                                               * old ticket */
  set (&slot->number, (guint64) number);
  set (&slot->step, get (&entry->state) == URB_RANK_STEPPING ? get (&entry->step) : 0);
  set (&slot->kind, kind);
  set (&slot->count, (guint64) what->count);
  set (&slot->ticket, ticket);
  touch (entry);
  return ticket;
}

void
urb_board_end_collective (UrbBoard *self, int rank, guint64 ticket)
{
  Entry *entry = get_entry (self, rank);
  Slot *slot = &entry->ring[ticket % URB_BOARD_RING];

  /* The slot may have been reused, if very many are under way. */
  if (get (&slot->ticket) == ticket)
    atomic_fetch_or (&slot->kind, (guint64) 1 << 24);
  touch (entry);
}

/* ------------------------------------------------------------------------ */
/* Reading                                                                   */

/* Returns: FALSE if the slot is being written, or is invalid */
static gboolean
read_slot (Slot *slot, guint64 *ticket, UrbBoardCollective *out)
{
  guint64 kind, number, step, count;

  *ticket = get (&slot->ticket);
  number = get (&slot->number);
  step = get (&slot->step);
  kind = get (&slot->kind);
  count = get (&slot->count);
  atomic_thread_fence (memory_order_seq_cst);
  if (*ticket == 0 || get (&slot->ticket) != *ticket)
    return FALSE;
  if ((kind & 0xff) >= URB_N_COLLECTIVES || (kind >> 8 & 0xff) >= URB_N_ELEMENTS
      || (kind >> 16 & 0xff) >= URB_BOARD_MAX_GROUPS || number > G_MAXINT64 || step > G_MAXINT64 || count > G_MAXINT64
      || kind >> 32 >= URB_BOARD_MAX_RANKS)
    return FALSE;
  *out = (UrbBoardCollective) {
    .number = (gint64) number,
    .step = (gint64) step,
    .group = (int) (kind >> 16 & 0xff),
    .finished = (kind >> 24 & 1) != 0,
    .what = { .kind = (UrbCollectiveKind) (kind & 0xff), .element = (UrbElement) (kind >> 8 & 0xff),
              .count = (gint64) count, .peer = (int) (kind >> 32) },
  };
  return TRUE;
}

static void
read_ring (Entry *entry, UrbBoardRank *out)
{
  guint64 tickets[URB_BOARD_RING], ticket;
  UrbBoardCollective read;

  out->n_collectives = 0;
  for (int i = 0; i < URB_BOARD_RING; i++)
    {
      int at;

      if (!read_slot (&entry->ring[i], &ticket, &read))
        continue;
      for (at = out->n_collectives++; at > 0 && tickets[at - 1] > ticket; at--)
        {
          tickets[at] = tickets[at - 1];
          out->collectives[at] = out->collectives[at - 1];
        }
      tickets[at] = ticket;
      out->collectives[at] = read;
    }
}

char *
urb_board_dup_label (UrbBoard *self, int rank, int instruction)
{
  Entry *entry = get_entry (self, rank);
  char text[URB_BOARD_LABEL_BYTES];

  if (instruction < 0 || instruction >= URB_BOARD_MAX_LABELS)
    return NULL;
  read_text (entry->labels[instruction], G_N_ELEMENTS (entry->labels[0]), text);
  return text[0] != '\0' ? g_strdup (text) : NULL;
}

static gint64
limit (guint64 value, gint64 max)
{
  return value <= (guint64) max ? (gint64) value : 0;
}

void
urb_board_read (UrbBoard *self, int rank, UrbBoardRank *out)
{
  Entry *entry = get_entry (self, rank);
  gint64 instruction = (gint64) get (&entry->instruction);
  /* The word first, then the clock, so that a concurrent write is not in the future. */
  guint64 changed_us = get (&entry->changed_us), now_us = (guint64) g_get_monotonic_time ();

  out->pid = limit (get (&entry->pid), G_MAXINT32);
  out->state = (UrbRankState) limit (get (&entry->state), URB_N_RANK_STATES - 1);
  out->step = limit (get (&entry->step), G_MAXINT64);
  out->instruction = instruction >= 0 && instruction < G_MAXINT32 ? (int) instruction : -1;
  out->changed_us = (gint64) MIN (changed_us, now_us);
  out->memory_bytes = limit (get (&entry->memory_bytes), G_MAXINT64);
  read_text (entry->host, G_N_ELEMENTS (entry->host), out->host);
  for (int i = 0; i < URB_BOARD_MAX_GROUPS; i++)
    {
      out->groups[i].least = (int) limit (get (&entry->groups[i].least), URB_BOARD_MAX_RANKS - 1);
      read_text (entry->groups[i].name, G_N_ELEMENTS (entry->groups[i].name), out->groups[i].name);
    }
  read_ring (entry, out);
}
