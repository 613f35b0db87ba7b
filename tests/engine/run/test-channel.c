/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-channel.c - lines arrive complete, in order, and all of them, whatever the peer does.
 */
#include "run/store/channel.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* More than one read, less than the buffer of a socket. */
enum { N_LINES = 40, LINE_BYTES = 1000, MAX_LINE_BYTES = 2000 };

typedef struct
{
  UrbChannel *channel; /* owned */
  int         peer;    /* -1: closed */
  int         n_lines, n_closed, n_drained;
  gboolean    too_long;
} Fixture;

static void
line_cb (UrbChannel *channel, const char *line, gsize length, gpointer user_data)
{
  Fixture *self = user_data;

  g_assert_cmpint (self->n_closed, ==, 0);
  g_assert_cmpuint (length, ==, strlen (line));
  g_assert_cmpint (atoi (line), ==, self->n_lines);
  self->n_lines++;
}

static void
closed_cb (UrbChannel *channel, gboolean too_long, gpointer user_data)
{
  Fixture *self = user_data;

  self->n_closed++;
  self->too_long = too_long;
}

static void
drained_cb (UrbChannel *channel, gpointer user_data)
{
  ((Fixture *) user_data)->n_drained++;
}

static const UrbChannelOps ops = { .line = line_cb, .closed = closed_cb, .drained = drained_cb };

static void
set_up (Fixture *self, gconstpointer data)
{
  int fds[2];

  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), ==, 0);
  self->channel = urb_channel_new (fds[0], MAX_LINE_BYTES, &ops, self);
  self->peer = fds[1];
}

static void
close_peer (Fixture *self)
{
  if (self->peer >= 0)
    close (self->peer);
  self->peer = -1;
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  urb_channel_free (self->channel);
  close_peer (self);
}

static void
say (Fixture *self, const char *text, gsize n_bytes)
{
  g_assert_cmpint (write (self->peer, text, n_bytes), ==, (gssize) n_bytes);
}

static void
say_lines (Fixture *self)
{
  for (int i = 0; i < N_LINES; i++)
    {
      g_autofree char *line = g_strdup_printf ("%-*d\n", LINE_BYTES, i);

      say (self, line, strlen (line));
    }
}

static void
iterate (void)
{
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

static void
assert_all_came (Fixture *self)
{
  g_assert_cmpint (self->n_lines, ==, N_LINES);
  g_assert_cmpint (self->n_closed, ==, 1);
  g_assert_false (self->too_long);
}

static void
test_pieces (Fixture *self, gconstpointer data)
{
  static const char text[] = "0 and\n\n1 more\n2";

  for (gsize i = 0; i < sizeof text - 1; i++)
    {
      say (self, &text[i], 1);
      iterate ();
    }
  g_assert_cmpint (self->n_lines, ==, 2);
  say (self, "\n", 1);
  iterate ();
  g_assert_cmpint (self->n_lines, ==, 3);
  g_assert_cmpint (self->n_closed, ==, 0);
}

static void
test_goes (Fixture *self, gconstpointer data)
{
  say_lines (self);
  close_peer (self);
  iterate ();
  assert_all_came (self);
}

/* Sending to a peer that has ended fails, but its lines are still read.  It may have read nothing,
 * shut down reading, or left lines unread. */
static void
test_goes_unheard (Fixture *self, gconstpointer data)
{
  const char *how = data;

  if (strcmp (how, "unread") == 0)
    {
      urb_channel_send (self->channel, "first");
      iterate ();
    }
  say_lines (self);
  if (strcmp (how, "deaf") == 0)
    g_assert_cmpint (shutdown (self->peer, SHUT_RD), ==, 0);
  else
    close_peer (self);
  urb_channel_send (self->channel, "stop");
  iterate ();
  g_assert_cmpint (self->n_lines, ==, N_LINES);
  urb_channel_send (self->channel, "to nobody");
  g_assert_false (urb_channel_can_send (self->channel));
  g_assert_cmpuint (urb_channel_get_pending (self->channel), ==, 0);
  close_peer (self);
  iterate ();
  assert_all_came (self);
}

/* Without the main loop, as after a process was reaped. */
static void
test_drain (Fixture *self, gconstpointer data)
{
  say_lines (self);
  urb_channel_drain (self->channel);
  g_assert_cmpint (self->n_lines, ==, N_LINES);
  g_assert_cmpint (self->n_closed, ==, 0);
  close_peer (self);
  urb_channel_drain (self->channel);
  assert_all_came (self);
}

static void
test_too_long (Fixture *self, gconstpointer data)
{
  g_autofree char *line = g_strnfill (MAX_LINE_BYTES + 1, '7');

  say (self, "0\n", 2);
  say (self, line, strlen (line));
  iterate ();
  g_assert_cmpint (self->n_lines, ==, 1);
  g_assert_cmpint (self->n_closed, ==, 1);
  g_assert_true (self->too_long);
}

static void
test_send (Fixture *self, gconstpointer data)
{
  char heard[16] = "";

  g_assert_true (urb_channel_can_send (self->channel));
  urb_channel_send (self->channel, "one");
  urb_channel_send (self->channel, "two");
  g_assert_cmpuint (urb_channel_get_pending (self->channel), ==, 8);
  iterate ();
  g_assert_cmpuint (urb_channel_get_pending (self->channel), ==, 0);
  g_assert_cmpint (self->n_drained, ==, 1);
  g_assert_cmpint (read (self->peer, heard, sizeof heard - 1), ==, 8);
  g_assert_cmpstr (heard, ==, "one\ntwo\n");
}

/* Waits for a peer that does not read, and for none. */
static void
test_flush (Fixture *self, gconstpointer data)
{
  g_autofree char *line = g_strnfill (1 << 20, '7');
  gint64 begin_us = g_get_monotonic_time ();

  urb_channel_send (self->channel, line);
  urb_channel_flush (self->channel, 20);
  g_assert_cmpint (g_get_monotonic_time () - begin_us, >=, 20 * 1000);
  g_assert_cmpuint (urb_channel_get_pending (self->channel), >, 0);
  close_peer (self);
  urb_channel_flush (self->channel, 60 * 1000);
  g_assert_cmpuint (urb_channel_get_pending (self->channel), ==, 0);
  g_assert_cmpint (g_get_monotonic_time () - begin_us, <, 30 * G_USEC_PER_SEC);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, data, function) g_test_add (path, Fixture, data, set_up, function, tear_down)
  ADD ("/channel/pieces", NULL, test_pieces);
  ADD ("/channel/goes", NULL, test_goes);
  ADD ("/channel/goes/unheard", "gone", test_goes_unheard);
  ADD ("/channel/goes/unread", "unread", test_goes_unheard);
  ADD ("/channel/goes/deaf", "deaf", test_goes_unheard);
  ADD ("/channel/drain", NULL, test_drain);
  ADD ("/channel/too-long", NULL, test_too_long);
  ADD ("/channel/send", NULL, test_send);
  ADD ("/channel/flush", NULL, test_flush);
#undef ADD
  return g_test_run ();
}
