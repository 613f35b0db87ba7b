/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - see check.h.
 */
#include "parallel/check.h"

#include "parallel/comm-private.h"

static gboolean
fail (GError **error, int rank, const UrbInstruction *instruction, const char *format, ...)
  G_GNUC_PRINTF (4, 5);

static gboolean
fail (GError **error, int rank, const UrbInstruction *instruction, const char *format, ...)
{
  g_autofree char *label = urb_instruction_dup_label (instruction);
  g_autofree char *why = NULL;
  va_list args;

  va_start (args, format);
  why = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, URB_STEP_ERROR, URB_STEP_ERROR_LAYOUT,
               "The program of rank %d is wrong at “%s” (%s): %s.  This is a mistake in Urbarium; please "
               "report it, and choose another strategy meanwhile.", rank, label,
               urb_pass_get_name (instruction->pass), why);
  return FALSE;
}

/* ------------------------------------------------------------------------ */
/* One rank                                                                  */

/* Elements that exist. */
typedef struct
{
  gint64 begin, end;
} Made;

typedef struct
{
  const UrbProgram *program;
  int      rank;
  GArray **made;    /* (n_buffers), of Made (nullable), owned: disjoint, in order */
  GArray  *pending; /* of const UrbInstruction *, owned: collectives without a wait yet */
} Walk;

static gboolean
is_temporary (const Walk *self, UrbView view)
{
  return view.buffer >= 0 && urb_program_get_buffer (self->program, view.buffer)->store == URB_STORE_ARENA;
}

/* A packing reads the weights of its operation. */
static gint64
find_end (const Walk *self, const UrbInstruction *instruction, int arg)
{
  UrbView view = instruction->args[arg];
  gint64 count = urb_program_get_buffer (self->program, view.buffer)->count - view.offset;
  gint64 own = instruction->kind == URB_DO_PACK && arg == 0 ? uk_op_arg_count (&instruction->desc, 1)
                                                            : urb_instruction_count_arg (instruction, arg);

  return view.offset + MIN (count, own);
}

static void
make (Walk *self, int buffer, gint64 begin, gint64 end)
{
  GArray **made = &self->made[buffer];
  guint first = 0, last;
  Made all = { begin, end };

  if (*made == NULL)
    *made = g_array_new (FALSE, FALSE, sizeof (Made));
  while (first < (*made)->len && g_array_index (*made, Made, first).end < begin)
    first++;
  for (last = first; last < (*made)->len && g_array_index (*made, Made, last).begin <= end; last++)
    {
      all.begin = MIN (all.begin, g_array_index (*made, Made, last).begin);
      all.end = MAX (all.end, g_array_index (*made, Made, last).end);
    }
  if (last > first)
    g_array_remove_range (*made, first, last - first);
  g_array_insert_val (*made, first, all);
}

static gboolean
is_made (const Walk *self, int buffer, gint64 begin, gint64 end)
{
  const GArray *made = self->made[buffer];

  for (guint i = 0; made != NULL && i < made->len; i++)
    if (g_array_index (made, Made, i).begin <= begin && end <= g_array_index (made, Made, i).end)
      return TRUE;
  return begin >= end;
}

/* The collective that uses what @instruction writes, or writes what it uses; NULL: none. */
static const UrbInstruction *
find_conflict (const Walk *self, const UrbInstruction *instruction)
{
  for (guint p = 0; p < self->pending->len; p++)
    {
      const UrbInstruction *other = g_array_index (self->pending, const UrbInstruction *, p);

      for (int i = 0; i < UK_MAX_ARGS; i++)
        for (int j = 0; j < 2; j++)
          if (instruction->args[i].buffer >= 0 && instruction->args[i].buffer == other->args[j].buffer
              && (urb_instruction_get_role (instruction, i) != UK_IN || j == 1)
              && instruction->args[i].offset < find_end (self, other, j)
              && other->args[j].offset < find_end (self, instruction, i))
            return other;
    }
  return NULL;
}

static void
end_request (Walk *self, int request)
{
  for (guint p = 0; p < self->pending->len; p++)
    if (g_array_index (self->pending, const UrbInstruction *, p)->request == request)
      {
        g_array_remove_index (self->pending, p);
        return;
      }
}

/* What desc.accumulate adds to does not count: not every output of such an operation is added to. */
static gboolean
is_read (const UrbInstruction *instruction, int arg)
{
  return instruction->kind == URB_DO_OP ? uk_op_info (instruction->desc.kind)->args[arg].role != UK_OUT
                                        : urb_instruction_get_role (instruction, arg) == UK_IN;
}

/* Padding that is reduced with a gradient need not exist. */
static gboolean
check_reads (const Walk *self, const UrbInstruction *instruction, GError **error)
{
  gboolean is_padded = instruction->kind == URB_DO_COLLECTIVE
                       && instruction->collective.kind == URB_COLLECTIVE_REDUCE_SCATTER;

  for (int a = 0; a < UK_MAX_ARGS; a++)
    {
      UrbView view = instruction->args[a];

      if (is_temporary (self, view) && is_read (instruction, a) && !is_padded
          && !is_made (self, view.buffer, view.offset, find_end (self, instruction, a)))
        return fail (error, self->rank, instruction, "it reads “%s”, which nothing has made",
                     urb_program_get_buffer (self->program, view.buffer)->name);
    }
  return TRUE;
}

static gboolean
walk (Walk *self, GError **error)
{
  for (guint i = 0; i < self->program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self->program, i);
      const UrbInstruction *other;

      if (instruction->kind == URB_DO_WAIT)
        end_request (self, instruction->request);
      other = find_conflict (self, instruction);
      if (other != NULL)
        return fail (error, self->rank, instruction, "it does not wait for the %s before it",
                     urb_collective_get_name (other->collective.kind));
      if (!check_reads (self, instruction, error))
        return FALSE;
      for (int a = 0; a < UK_MAX_ARGS; a++)
        if (is_temporary (self, instruction->args[a])
            && urb_instruction_get_role (instruction, a) != UK_IN)
          make (self, instruction->args[a].buffer, instruction->args[a].offset,
                find_end (self, instruction, a));
      if (instruction->kind == URB_DO_COLLECTIVE)
        g_array_append_val (self->pending, instruction);
    }
  return TRUE;
}

static gboolean
check_values (const UrbProgram *program, int rank, GError **error)
{
  guint n_buffers = program->buffers->len;
  Walk self = { program, rank, g_new0 (GArray *, n_buffers),
                g_array_new (FALSE, FALSE, sizeof (UrbInstruction *)) };
  gboolean good = walk (&self, error);

  for (guint b = 0; b < n_buffers; b++)
    g_clear_pointer (&self.made[b], g_array_unref);
  g_free (self.made);
  g_array_unref (self.pending);
  return good;
}

/* ------------------------------------------------------------------------ */
/* All ranks                                                                 */

typedef struct
{
  UrbProgram *const *programs;
  const UrbMesh *mesh;
  int    n_ranks;
  guint *at;        /* (n_ranks), owned: the next instruction of each, a collective or the end */
  int   *n_meeting; /* (URB_ALL_AXES + 1, n_ranks), owned: by axes and a group's first rank: its ranks whose next
                     * one is a collective of the group */
  GArray *ready;    /* of int, owned: ranks that have arrived at another instruction */
} Meeting;

static const UrbInstruction *
get_next (const Meeting *self, int rank)
{
  const GArray *instructions = self->programs[rank]->instructions;

  return self->at[rank] < instructions->len ? &g_array_index (instructions, UrbInstruction, self->at[rank])
                                            : NULL;
}

static int *
count_meeting (const Meeting *self, int rank, guint axes)
{
  return &self->n_meeting[(int) axes * self->n_ranks + urb_mesh_get_rank (self->mesh, rank, axes, 0)];
}

/* Moves @rank to its next collective from @from on. */
static void
advance (Meeting *self, int rank, guint from)
{
  const UrbInstruction *next;

  for (self->at[rank] = from; (next = get_next (self, rank)) != NULL; self->at[rank]++)
    if (next->kind == URB_DO_COLLECTIVE)
      break;
  if (next != NULL && !urb_collective_is_message (next->collective.kind))
    ++*count_meeting (self, rank, urb_axes_of_group (next->axes));
  g_array_append_val (self->ready, rank);
}

/* Whether the next ones of two ranks are the ends of one message.  FALSE with @error set: nearly. */
static gboolean
is_message (const Meeting *self, int rank, int peer, GError **error)
{
  const UrbInstruction *own = get_next (self, rank), *other = get_next (self, peer);

  if (other == NULL || !urb_collective_is_message (other->collective.kind)
      || other->axes != own->axes || other->collective.kind == own->collective.kind
      || urb_mesh_get_rank (self->mesh, peer, urb_axes_of_group (other->axes), other->collective.peer) != rank)
    return FALSE;
  if (other->collective.count == own->collective.count)
    return TRUE;
  return fail (error, rank, own, "rank %d has %" G_GINT64_FORMAT " elements for a message of %"
               G_GINT64_FORMAT, peer, other->collective.count, own->collective.count);
}

/* All ranks of @rank's group are at a collective of it. */
static gboolean
meet (Meeting *self, int rank, guint axes, GError **error)
{
  int n = urb_mesh_count (self->mesh, axes), first = urb_mesh_get_rank (self->mesh, rank, axes, 0);
  const UrbInstruction *expected = get_next (self, first);

  for (int i = 1; i < n; i++)
    {
      int other = urb_mesh_get_rank (self->mesh, rank, axes, i);

      if (!urb_collective_equal (&expected->collective, &get_next (self, other)->collective))
        {
          g_autofree char *text = urb_collective_describe (&expected->collective);

          return fail (error, other, get_next (self, other), "rank %d is in %s then", first, text);
        }
    }
  *count_meeting (self, rank, axes) = 0;
  for (int i = 0; i < n; i++)
    {
      int member = urb_mesh_get_rank (self->mesh, rank, axes, i);

      advance (self, member, self->at[member] + 1);
    }
  return TRUE;
}

/* Lets @rank and whoever it exchanges with go on, if they can. */
static gboolean
go_on (Meeting *self, int rank, GError **error)
{
  const UrbInstruction *next = get_next (self, rank);
  g_autoptr(GError) cause = NULL;
  guint axes;
  int peer;

  if (next == NULL)
    return TRUE;
  axes = urb_axes_of_group (next->axes);
  if (!urb_collective_is_message (next->collective.kind))
    return *count_meeting (self, rank, axes) < urb_mesh_count (self->mesh, axes)
           || meet (self, rank, axes, error);
  if (next->collective.peer < 0 || next->collective.peer >= urb_mesh_count (self->mesh, axes)
      || next->collective.peer == urb_mesh_get_index (self->mesh, rank, axes))
    return fail (error, rank, next, "there is no rank %d to exchange with", next->collective.peer);
  peer = urb_mesh_get_rank (self->mesh, rank, axes, next->collective.peer);
  if (is_message (self, rank, peer, &cause))
    {
      advance (self, rank, self->at[rank] + 1);
      advance (self, peer, self->at[peer] + 1);
    }
  if (cause == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

static gboolean
check_exchanges (UrbProgram *const *programs, int n_ranks, const UrbMesh *mesh, GError **error)
{
  g_autofree guint *at = g_new0 (guint, n_ranks);
  g_autofree int *n_meeting = g_new0 (int, (URB_ALL_AXES + 1) * n_ranks);
  g_autoptr(GArray) ready = g_array_new (FALSE, FALSE, sizeof (int));
  Meeting self = { programs, mesh, n_ranks, at, n_meeting, ready };

  for (int rank = 0; rank < n_ranks; rank++)
    advance (&self, rank, 0);
  while (ready->len > 0)
    {
      int rank = g_array_index (ready, int, ready->len - 1);

      g_array_set_size (ready, ready->len - 1);
      if (!go_on (&self, rank, error))
        return FALSE;
    }
  for (int rank = 0; rank < n_ranks; rank++)
    if (get_next (&self, rank) != NULL)
      {
        g_autofree char *text = urb_collective_describe (&get_next (&self, rank)->collective);

        return fail (error, rank, get_next (&self, rank), "it waits forever in %s", text);
      }
  return TRUE;
}

gboolean
urb_programs_check (UrbProgram *const *programs, int n_ranks, const UrbMesh *mesh, GError **error)
{
  g_return_val_if_fail (n_ranks > 0 && urb_mesh_count (mesh, URB_ALL_AXES) == n_ranks, FALSE);

  for (int rank = 0; rank < n_ranks; rank++)
    if ((rank == 0 || programs[rank] != programs[rank - 1]) && !check_values (programs[rank], rank, error))
      return FALSE;
  return check_exchanges (programs, n_ranks, mesh, error);
}
