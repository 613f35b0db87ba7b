/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm-table.c - see comm-table.h.
 *
 * Inputs are small integers, so that their sums are exact in 16 bits too.
 */
#include "comm-table.h"

#include "kernels/uk-half.h"

#include <string.h>

enum { LARGE = 1 << 20, GUARD = 16, PERIOD = 11 };

static const gint64 sizes[URB_N_ELEMENTS] = { 4, 8, 2, 2, 1 };

/* ------------------------------------------------------------------------ */
/* Numbers                                                                   */

static void
put (void *x, UrbElement element, gint64 i, double value)
{
  switch (element)
    {
    case URB_ELEMENT_F32:
      ((float *) x)[i] = (float) value;
      break;
    case URB_ELEMENT_F64:
      ((double *) x)[i] = value;
      break;
    case URB_ELEMENT_BF16:
      ((guint16 *) x)[i] = uk_to_bf16 ((float) value);
      break;
    case URB_ELEMENT_F16:
      ((guint16 *) x)[i] = uk_to_fp16 ((float) value);
      break;
    default:
      ((guint8 *) x)[i] = (guint8) value;
    }
}

static double
get (const void *x, UrbElement element, gint64 i)
{
  switch (element)
    {
    case URB_ELEMENT_F32:
      return ((const float *) x)[i];
    case URB_ELEMENT_F64:
      return ((const double *) x)[i];
    case URB_ELEMENT_BF16:
      return uk_from_bf16 (((const guint16 *) x)[i]);
    case URB_ELEMENT_F16:
      return uk_from_fp16 (((const guint16 *) x)[i]);
    default:
      return ((const guint8 *) x)[i];
    }
}

/* Element @i of the input of @rank. */
static int
value (int rank, gint64 i)
{
  return (int) ((i * 7 + i / 1024 + rank * 3) % PERIOD);
}

/* Element @i of the sum of the inputs of @n_ranks. */
static int
sum_of_values (int n_ranks, gint64 i)
{
  int first = value (0, i), sum = 0;

  for (int r = 0; r < n_ranks; r++)
    sum += (first + r * 3) % PERIOD;
  return sum;
}

/* A buffer of @count elements, guarded by sanitizers and by a marker behind it. */
static void *
buffer_new (UrbElement element, gint64 count)
{
  gsize n_bytes = (gsize) (count * sizes[element]);
  char *x = g_malloc (n_bytes + GUARD);

  memset (x, 0x55, n_bytes + GUARD);
  return x;
}

static void
buffer_assert_guard (const void *x, UrbElement element, gint64 count)
{
  const char *guard = (const char *) x + count * sizes[element];

  for (int i = 0; i < GUARD; i++)
    g_assert_cmpint (guard[i], ==, 0x55);
}

static void
fill (void *x, UrbElement element, gint64 count, int rank)
{
  for (gint64 i = 0; i < count; i++)
    put (x, element, i, value (rank, i));
}

/* ------------------------------------------------------------------------ */
/* One case                                                                  */

typedef struct
{
  UrbCollective what;
  int      rank, n_ranks;
  gboolean in_place;
  gint64   n_in, n_out; /* elements that this rank reads and writes */
  char    *in, *out;    /* owned; in place, both are the same */
  UrbRequest *request;
} Case;

static gboolean
is_sum (UrbCollectiveKind kind)
{
  return kind == URB_COLLECTIVE_REDUCE || kind == URB_COLLECTIVE_ALL_REDUCE
         || kind == URB_COLLECTIVE_REDUCE_SCATTER;
}

static double
expected (Case *self, gint64 i)
{
  gint64 count = self->what.count;

  switch (self->what.kind)
    {
    case URB_COLLECTIVE_BROADCAST:
      return value (self->what.peer, i);
    case URB_COLLECTIVE_SCATTER:
      return value (self->what.peer, self->rank * count + i);
    case URB_COLLECTIVE_GATHER:
    case URB_COLLECTIVE_ALL_GATHER:
      return value ((int) (i / count), i % count);
    default:
      if (self->what.kind == URB_COLLECTIVE_REDUCE_SCATTER)
        i += self->rank * count;
      return sum_of_values (self->n_ranks, i);
    }
}

static void
count_ends (Case *self)
{
  gboolean at_root = self->rank == self->what.peer;
  gint64 all = self->n_ranks * self->what.count, one = self->what.count;

  switch (self->what.kind)
    {
    case URB_COLLECTIVE_BROADCAST:
    case URB_COLLECTIVE_SCATTER:
      self->n_in = !at_root ? 0 : self->what.kind == URB_COLLECTIVE_SCATTER ? all : one;
      self->n_out = one;
      break;
    case URB_COLLECTIVE_GATHER:
    case URB_COLLECTIVE_REDUCE:
      self->n_in = one;
      self->n_out = !at_root ? 0 : self->what.kind == URB_COLLECTIVE_GATHER ? all : one;
      break;
    case URB_COLLECTIVE_ALL_GATHER:
      self->n_in = one;
      self->n_out = all;
      break;
    case URB_COLLECTIVE_REDUCE_SCATTER:
      self->n_in = all;
      self->n_out = one;
      break;
    case URB_COLLECTIVE_ALL_REDUCE:
      self->n_in = self->n_out = one;
      break;
    default:
      break; /* a barrier */
    }
}

static void
case_start (Case *self, UrbComm *comm)
{
  g_autoptr(GError) error = NULL;
  UrbElement element = self->what.element;
  gint64 mine;
  char *in, *out;

  self->rank = urb_comm_get_rank (comm);
  self->n_ranks = urb_comm_get_n_ranks (comm);
  count_ends (self);
  if (self->n_in == 0 || self->n_out == 0)
    self->in_place = FALSE;
  mine = self->rank * self->what.count * sizes[element];
  self->in = in = buffer_new (element, self->in_place ? MAX (self->n_in, self->n_out) : self->n_in);
  out = in;
  if (self->in_place && self->n_out > self->n_in)
    in += mine;
  else if (self->in_place && self->what.kind == URB_COLLECTIVE_SCATTER)
    out += mine;
  else if (!self->in_place)
    self->out = out = buffer_new (element, self->n_out);
  fill (in, element, self->n_in, self->rank);
  self->request = urb_comm_start (comm, &self->what, self->n_in > 0 ? in : NULL,
                                  self->n_out > 0 ? out : NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (self->request);
}

static void
case_finish (Case *self, UrbComm *comm)
{
  g_autoptr(GError) error = NULL;
  UrbElement element = self->what.element;
  const char *out = self->out != NULL ? self->out : self->in;
  gint64 n_wrong = 0;

  g_assert_true (urb_comm_wait (comm, self->request, &error));
  g_assert_no_error (error);
  if (self->in_place && self->what.kind == URB_COLLECTIVE_SCATTER)
    out += self->rank * self->what.count * sizes[element];
  for (gint64 i = 0; i < self->n_out; i++)
    n_wrong += get (out, element, i) != expected (self, i);
  if (!self->in_place)
    for (gint64 i = 0; i < self->n_in; i++)
      n_wrong += get (self->in, element, i) != value (self->rank, i);
  if (n_wrong > 0)
    g_error ("%s: rank %d of %d, %s of %" G_GINT64_FORMAT " elements of kind %d, root %d%s: %"
             G_GINT64_FORMAT " wrong numbers", urb_comm_get_name (comm), self->rank,
             self->n_ranks, urb_collective_get_name (self->what.kind), self->what.count, element,
             self->what.peer, self->in_place ? ", in place" : "", n_wrong);
  buffer_assert_guard (self->in, element,
                       self->in_place ? MAX (self->n_in, self->n_out) : self->n_in);
  if (self->out != NULL)
    buffer_assert_guard (self->out, element, self->n_out);
  g_free (self->in);
  g_free (self->out);
}

static void
run_case (UrbComm *comm, UrbCollective what, gboolean in_place)
{
  Case self = { .what = what, .in_place = in_place };

  case_start (&self, comm);
  case_finish (&self, comm);
}

/* Every operation on every element type, with counts of 0, 1, odd and large ones, in place and not,
 * with every root (large counts: the last root only). */
static void
run_all (UrbComm *comm)
{
  static const gint64 counts[] = { 0, 1, 3, 1001, LARGE };
  int n_ranks = urb_comm_get_n_ranks (comm);

  for (UrbCollectiveKind kind = 0; kind < URB_COLLECTIVE_SEND; kind++)
    for (UrbElement element = 0; element < URB_N_ELEMENTS; element++)
      for (guint c = 0; c < G_N_ELEMENTS (counts); c++)
        for (int root = counts[c] >= LARGE ? n_ranks - 1 : 0; root < n_ranks; root++)
          if (!(is_sum (kind) && element == URB_ELEMENT_U8))
            {
              UrbCollective what = { kind, element, counts[c], root };
              run_case (comm, what, FALSE);
              run_case (comm, what, TRUE);
            }
}

/* ------------------------------------------------------------------------ */
/* Many at once                                                              */

/* 64 operations in flight; every rank waits for them in another order. */
static void
run_unordered (UrbComm *comm)
{
  static const gint64 counts[] = { 5, 100003, 0, 777 };
  Case cases[64] = { 0 };
  UrbCollective barrier = { URB_COLLECTIVE_BARRIER, URB_ELEMENT_F32, 0, 0 };
  g_autoptr(GError) error = NULL;
  int rank = urb_comm_get_rank (comm), n_ranks = urb_comm_get_n_ranks (comm);

  for (int i = 0; i < 64; i++)
    {
      UrbCollectiveKind kind = (UrbCollectiveKind) (i % URB_COLLECTIVE_SEND);
      cases[i].what = (UrbCollective) { kind, (UrbElement) (i / 3 % 3), counts[i % 4],
                                        i % n_ranks };
      cases[i].in_place = i % 2;
      case_start (&cases[i], comm);
    }
  g_assert_null (urb_comm_start (comm, &barrier, NULL, NULL, &error));
  g_assert_error (error, URB_COMM_ERROR, URB_COMM_ERROR_INVALID);
  /* An odd stride and 64 have no common factor, so each order contains every case once. */
  for (int i = 0; i < 64; i++)
    case_finish (&cases[(i * (2 * rank + 3) + 17 * rank) % 64], comm);
}

/* Sums are added in the order of ranks, and 16-bit numbers are rounded once. */
static void
run_order (UrbComm *comm)
{
  static const float f32[] = { 1e8f, 1, -1e8f, 3 };
  /* In bf16, 257 lies between 256 and 258 and rounds to the even one, 259 rounds to 260.  Rounding after each
   * addition would give 256 throughout.  In fp16 the same happens at 2048. */
  static const struct { UrbElement element; double first, sums[4]; } halves[] = {
    { URB_ELEMENT_BF16, 256, { 256, 256, 258, 260 } },
    { URB_ELEMENT_F16, 2048, { 2048, 2048, 2050, 2052 } },
  };
  UrbCollective what = { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, 70001, 0 };
  g_autofree float *x = g_new (float, 70001);
  g_autofree guint16 *y = g_new (guint16, 70001);
  g_autoptr(GError) error = NULL;
  int rank = urb_comm_get_rank (comm), n_ranks = urb_comm_get_n_ranks (comm);
  volatile float sum = f32[0]; /* rounded after each */

  g_assert_cmpint (n_ranks, <=, 4);
  for (int r = 1; r < n_ranks; r++)
    sum += f32[r];
  for (gint64 i = 0; i < what.count; i++)
    x[i] = f32[rank];
  g_assert_true (urb_comm_run (comm, &what, x, x, &error));
  for (gint64 i = 0; i < what.count; i++)
    g_assert_cmpfloat (x[i], ==, sum);
  for (gsize h = 0; h < G_N_ELEMENTS (halves); h++)
    {
      what.element = halves[h].element;
      for (gint64 i = 0; i < what.count; i++)
        put (y, what.element, i, rank == 0 ? halves[h].first : 1);
      g_assert_true (urb_comm_run (comm, &what, y, y, &error));
      for (gint64 i = 0; i < what.count; i++)
        g_assert_cmpfloat (get (y, what.element, i), ==, halves[h].sums[n_ranks - 1]);
    }
}

static void
run_ring (UrbComm *comm)
{
  static const gint64 counts[] = { 0, 1, 1001, LARGE + 1 };
  int rank = urb_comm_get_rank (comm), n_ranks = urb_comm_get_n_ranks (comm);
  int next = (rank + 1) % n_ranks, previous = (rank + n_ranks - 1) % n_ranks;

  if (n_ranks == 1)
    return;
  for (UrbElement element = 0; element < URB_N_ELEMENTS; element++)
    for (guint c = 0; c < G_N_ELEMENTS (counts); c++)
      {
        UrbCollective send = { URB_COLLECTIVE_SEND, element, counts[c], next };
        UrbCollective receive = { URB_COLLECTIVE_RECV, element, counts[c], previous };
        g_autofree void *in = buffer_new (element, counts[c]);
        g_autofree void *in2 = buffer_new (element, counts[c]);
        g_autofree void *out = buffer_new (element, counts[c]);
        g_autofree void *out2 = buffer_new (element, counts[c]);
        g_autoptr(GError) error = NULL;
        UrbRequest *r[4];

        fill (in, element, counts[c], rank);
        fill (in2, element, counts[c], rank + 5);
        /* Two messages between a pair arrive in order, although this rank waits in another
         * order. */
        r[0] = urb_comm_start (comm, &send, in, NULL, &error);
        r[1] = urb_comm_start (comm, &send, in2, NULL, &error);
        r[2] = urb_comm_start (comm, &receive, NULL, out, &error);
        r[3] = urb_comm_start (comm, &receive, NULL, out2, &error);
        g_assert_no_error (error);
        for (int i = 3; i >= 0; i--)
          g_assert_true (urb_comm_wait (comm, r[i], &error));
        for (gint64 i = 0; i < counts[c]; i++)
          if (get (out, element, i) != value (previous, i)
              || get (out2, element, i) != value (previous + 5, i))
            g_error ("Rank %d: a message has a wrong number", rank);
        buffer_assert_guard (out, element, counts[c]);
      }
}

/* Operations of a second communicator in between those of the first. */
static void
run_dup (UrbComm *comm)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbComm) other = urb_comm_dup (comm, &error);
  UrbCollective what = { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, 1001, 0 };
  UrbCollective last = { URB_COLLECTIVE_BARRIER, URB_ELEMENT_F32, 0, 0 };
  Case a = { .what = what }, b = { .what = what };

  g_assert_no_error (error);
  g_assert_cmpint (urb_comm_get_rank (other), ==, urb_comm_get_rank (comm));
  g_assert_cmpint (urb_comm_get_n_ranks (other), ==, urb_comm_get_n_ranks (comm));
  /* Ranks start with different communicators. */
  b.what.kind = URB_COLLECTIVE_REDUCE_SCATTER;
  if (urb_comm_get_rank (comm) % 2 == 0)
    {
      case_start (&a, comm);
      case_start (&b, other);
    }
  else
    {
      case_start (&b, other);
      case_start (&a, comm);
    }
  case_finish (&a, comm);
  case_finish (&b, other);
  g_assert_true (urb_comm_run (other, &last, NULL, NULL, &error));
}

/* Every operation within the groups of a split: of ranks with equal remainders, in reverse order; then of two
 * neighbors, whose operations run between those of the others. */
static void
run_split (UrbComm *comm)
{
  int rank = urb_comm_get_rank (comm), n_ranks = urb_comm_get_n_ranks (comm);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbComm) every_other = urb_comm_split (comm, "odd or even", rank % 2, -rank, &error);
  g_autoptr(UrbComm) pair = urb_comm_split (comm, "pair", rank / 2, 0, &error);
  g_autoptr(UrbComm) alone = NULL;
  UrbCollective sum = { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, 1001, 0 };
  Case a = { .what = sum }, b = { .what = sum };
  int n_other = (n_ranks + 1 - rank % 2) / 2, n_pair = MIN (2, n_ranks - rank / 2 * 2);

  g_assert_no_error (error);
  g_assert_cmpint (urb_comm_get_n_ranks (every_other), ==, n_other);
  g_assert_cmpint (urb_comm_get_rank (every_other), ==, n_other - 1 - rank / 2);
  g_assert_cmpint (urb_comm_get_n_ranks (pair), ==, n_pair);
  g_assert_cmpint (urb_comm_get_rank (pair), ==, rank % 2);
  case_start (&a, every_other);
  case_start (&b, pair);
  case_finish (&b, pair);
  case_finish (&a, every_other);
  run_all (every_other);
  run_ring (pair);
  /* A group of a group. */
  alone = urb_comm_split (every_other, "alone", rank, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpint (urb_comm_get_n_ranks (alone), ==, 1);
  run_case (alone, sum, TRUE);
  run_case (comm, sum, FALSE);
}

/* ------------------------------------------------------------------------ */
/* What must fail                                                            */

/* Invalid operations are refused, and the communicator stays usable. */
static void
run_invalid (UrbComm *comm)
{
  int rank = urb_comm_get_rank (comm), n_ranks = urb_comm_get_n_ranks (comm);
  const UrbCollective bad[] = {
    { (UrbCollectiveKind) URB_N_COLLECTIVES, URB_ELEMENT_F32, 1, 0 },
    { URB_COLLECTIVE_ALL_REDUCE, (UrbElement) URB_N_ELEMENTS, 1, 0 },
    { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, -1, 0 },
    { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, G_MAXINT64, 0 },
    { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_U8, 1, 0 },
    { URB_COLLECTIVE_BROADCAST, URB_ELEMENT_F32, 1, n_ranks },
    { URB_COLLECTIVE_BROADCAST, URB_ELEMENT_F32, 1, -1 },
    { URB_COLLECTIVE_SEND, URB_ELEMENT_F32, 1, rank },
  };
  const UrbCollective good = { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, 1, 0 };
  float x = 1;

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr(GError) error = NULL;
      g_assert_false (urb_comm_run (comm, &bad[i], &x, &x, &error));
      g_assert_error (error, URB_COMM_ERROR, URB_COMM_ERROR_INVALID);
    }
  g_assert_false (urb_comm_run (comm, &good, NULL, &x, NULL));
  g_assert_false (urb_comm_run (comm, &good, &x, NULL, NULL));
  g_assert_true (urb_comm_run (comm, &good, &x, &x, NULL));
  g_assert_cmpfloat (x, ==, n_ranks);
}

/* The last rank calls @odd, all others @even: all fail, and so do their next calls. */
static void
fail_with (UrbComm *comm, UrbCollective even, UrbCollective odd, const char *text_even,
           const char *text_odd)
{
  gboolean last = urb_comm_get_rank (comm) == urb_comm_get_n_ranks (comm) - 1;
  UrbCollective barrier = { URB_COLLECTIVE_BARRIER, URB_ELEMENT_F32, 0, 0 };
  gsize n = (gsize) MAX (even.count, odd.count);
  g_autofree float *x = g_new0 (float, n);
  g_autofree float *y = g_new0 (float, n * (gsize) urb_comm_get_n_ranks (comm));
  g_autoptr(GError) error = NULL;
  g_autoptr(GError) again = NULL;
  g_autofree char *who = g_strdup_printf ("rank %d is in %s", urb_comm_get_n_ranks (comm) - 1,
                                          text_odd);

  g_assert_false (urb_comm_run (comm, last ? &odd : &even, x, y, &error));
  g_assert_error (error, URB_COMM_ERROR, URB_COMM_ERROR_MISMATCH);
  if (strstr (error->message, who) == NULL || strstr (error->message, text_even) == NULL)
    g_error ("The message does not tell who does what: %s", error->message);
  g_assert_false (urb_comm_run (comm, &barrier, NULL, NULL, &again));
  g_assert_error (again, URB_COMM_ERROR, URB_COMM_ERROR_MISMATCH);
}

static void
fail_count (UrbComm *comm)
{
  fail_with (comm, (UrbCollective) { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, 100, 0 },
             (UrbCollective) { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, 101, 0 },
             "is in all-reduce of 100 floats", "all-reduce of 101 floats");
}

/* Too long to be buffered before it is received. */
static void
fail_large (UrbComm *comm)
{
  fail_with (comm, (UrbCollective) { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, LARGE, 0 },
             (UrbCollective) { URB_COLLECTIVE_ALL_GATHER, URB_ELEMENT_F32, LARGE + 1000, 0 },
             "is in all-reduce of 1048576 floats", "all-gather of 1049576 floats");
}

static void
fail_kind (UrbComm *comm)
{
  fail_with (comm, (UrbCollective) { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, 100, 0 },
             (UrbCollective) { URB_COLLECTIVE_BROADCAST, URB_ELEMENT_F32, 1, 0 },
             "is in all-reduce of 100 floats", "broadcast of 1 float from rank 0");
}

static void
fail_root (UrbComm *comm)
{
  fail_with (comm, (UrbCollective) { URB_COLLECTIVE_GATHER, URB_ELEMENT_F32, 64, 0 },
             (UrbCollective) { URB_COLLECTIVE_GATHER, URB_ELEMENT_F32, 64, 1 },
             "is in gather of 64 floats to rank 0", "gather of 64 floats to rank 1");
}

/* The last rank gives up while the others wait for it. */
static void
fail_abort (UrbComm *comm)
{
  UrbCollective what = { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, 100, 0 };
  float x[100] = { 0 };
  g_autoptr(GError) error = NULL;

  if (urb_comm_get_rank (comm) == urb_comm_get_n_ranks (comm) - 1)
    {
      g_usleep (20000); /* so that the others wait by then; the test does not depend on it */
      urb_comm_abort (comm, "the disk is full");
      urb_comm_abort (comm, "a second reason");
    }
  g_assert_false (urb_comm_run (comm, &what, x, x, &error));
  g_assert_error (error, URB_COMM_ERROR, URB_COMM_ERROR_ABORTED);
  g_assert_nonnull (strstr (error->message, "gave up: the disk is full"));
}

/* In the group of the last rank, which has another count; all ranks fail, with the numbers of the first
 * communicator. */
static void
fail_group (UrbComm *comm)
{
  int rank = urb_comm_get_rank (comm), n_ranks = urb_comm_get_n_ranks (comm);
  gboolean last = rank == n_ranks - 1, with_last = rank >= n_ranks - 2;
  UrbCollective what = { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32, last ? 101 : 100, 0 };
  UrbCollective barrier = { .kind = URB_COLLECTIVE_BARRIER };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbComm) group = urb_comm_split (comm, "data", with_last, 0, &error);
  g_autofree char *who = g_strdup_printf ("rank %d is in all-reduce of 101 floats among its data group",
                                          n_ranks - 1);
  float x[101] = { 0 };

  /* A rank of the other group may learn of the failure while it still splits. */
  if (with_last)
    g_assert_no_error (error);
  if (group != NULL)
    g_assert_false (with_last ? urb_comm_run (group, &what, x, x, &error)
                              : urb_comm_run (comm, &barrier, NULL, NULL, &error));
  g_assert_true (error->domain == URB_COMM_ERROR);
  g_assert_true (error->code == URB_COMM_ERROR_MISMATCH || !with_last); /* the others learn that a rank gave up */
  if (strstr (error->message, who) == NULL)
    g_error ("The message does not tell who does what: %s", error->message);
}

const CommTableRow comm_table[] = {
  { "all", run_all },
  { "unordered", run_unordered },
  { "order", run_order },
  { "ring", run_ring },
  { "dup", run_dup },
  { "split", run_split },
  { "invalid", run_invalid },
  { "fail-count", fail_count, TRUE },
  { "fail-large", fail_large, TRUE },
  { "fail-kind", fail_kind, TRUE },
  { "fail-root", fail_root, TRUE },
  { "fail-abort", fail_abort, TRUE },
  { "fail-group", fail_group, TRUE },
};
const guint comm_table_length = G_N_ELEMENTS (comm_table);
