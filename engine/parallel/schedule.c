/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule.c - see schedule.h.
 */
#include "parallel/schedule.h"

/* Microbatches under way that are worth trying, per rank: the discriminator's three sweeps under r3
 * need more than the two of other pipelines. */
#define MOST_IN_FLIGHT 3
#define TOLERANCE 1.01

/* Work that a rank does without interruption: consecutive instructions of one part and microbatch. */
typedef struct
{
  int      rank;       /* URB_EVERY_PART: an update */
  int      part, microbatch;
  int      phase;      /* updates before it */
  int      position;   /* among the tasks of its microbatch and phase */
  gboolean is_delayed; /* weight gradients, for time in which the rank would wait */
  double   cost;
  GArray  *next;       /* of int, owned: tasks that depend on it */
  int      n_before;   /* tasks that it depends on */
} Task;

typedef struct
{
  const UrbProgram *program; /* borrowed */
  const UrbLayout  *layout;
  GArray           *tasks;   /* of Task, owned */
  int              *task_of; /* (n_instructions), owned */
  int               n_phases, n_microbatches;
} Tasks;

static Task *
get_task (const Tasks *self, int index)
{
  return &g_array_index (self->tasks, Task, index);
}

static void
clear_task (gpointer data)
{
  g_array_unref (((Task *) data)->next);
}

static void
tasks_clear (Tasks *self)
{
  g_array_unref (self->tasks);
  g_free (self->task_of);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Tasks, tasks_clear)

/* ------------------------------------------------------------------------ */
/* Tasks                                                                     */

static int
add_task (Tasks *self, const UrbInstruction *instruction, int part, int position, gboolean is_delayed)
{
  Task task = { .rank = part < 0 ? part : part % self->layout->n_stages, .part = part,
                .microbatch = instruction->microbatch, .phase = self->n_phases,
                .position = position, .is_delayed = is_delayed,
                .next = g_array_new (FALSE, FALSE, sizeof (int)) };

  g_array_append_val (self->tasks, task);
  return (int) self->tasks->len - 1;
}

static gboolean
is_weight_gradient (const UrbInstruction *instruction)
{
  return instruction->kind == URB_DO_OP && (instruction->desc.kind == UK_OP_CONV_WGRAD
                                            || instruction->desc.kind == UK_OP_DEPTHWISE_WGRAD);
}

static void
find_tasks (Tasks *self, const int *parts, const double *costs)
{
  int current = -1, delayed = -1, position = 0;

  for (guint i = 0; i < self->program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self->program, i);
      gboolean is_delayed = self->layout->delay_weights && is_weight_gradient (instruction);
      const Task *last = current < 0 ? NULL : get_task (self, current);
      int *task = is_delayed ? &delayed : &current;

      if (last == NULL || last->part != parts[i] || last->microbatch != instruction->microbatch)
        {
          if (last != NULL && last->part == URB_EVERY_PART)
            self->n_phases++;
          if (last == NULL || last->microbatch != instruction->microbatch || last->part == URB_EVERY_PART)
            position = 0;
          current = add_task (self, instruction, parts[i], position++, FALSE);
          delayed = -1;
        }
      if (*task < 0)
        *task = add_task (self, instruction, parts[i], position++, TRUE);
      self->task_of[i] = *task;
      get_task (self, *task)->cost += costs[i];
      self->n_microbatches = MAX (self->n_microbatches, instruction->microbatch + 1);
    }
  self->n_phases++;
}

/* ------------------------------------------------------------------------ */
/* Dependences                                                               */

/* A task has read or written a range of a buffer. */
typedef struct
{
  gint64 begin, end; /* elements */
  int    task;
} Access;

typedef struct
{
  GArray *writes, *reads; /* of Access (nullable), owned; writes: what is there now; reads: since then */
} History;

static void
add_dependence (Tasks *self, int from, int to)
{
  GArray *next = get_task (self, from)->next;

  if (from == to || (next->len > 0 && g_array_index (next, int, next->len - 1) == to))
    return;
  g_array_append_val (next, to);
  get_task (self, to)->n_before++;
}

/* @access comes after what overlaps it in @before. */
static void
depend (Tasks *self, const GArray *before, const Access *access)
{
  for (guint i = 0; before != NULL && i < before->len; i++)
    {
      const Access *other = &g_array_index (before, Access, i);

      if (other->begin < access->end && access->begin < other->end)
        add_dependence (self, other->task, access->task);
    }
}

/* Removes what lies within @access. */
static void
forget (GArray *accesses, const Access *access)
{
  for (guint i = accesses->len; i-- > 0;)
    {
      const Access *other = &g_array_index (accesses, Access, i);

      if (access->begin <= other->begin && other->end <= access->end)
        g_array_remove_index_fast (accesses, i);
    }
}

static void
record (Tasks *self, History *history, const Access *access, UkArgRole role)
{
  if (history->writes == NULL)
    {
      history->writes = g_array_new (FALSE, FALSE, sizeof (Access));
      history->reads = g_array_new (FALSE, FALSE, sizeof (Access));
    }
  depend (self, history->writes, access);
  if (role == UK_IN)
    {
      g_array_append_vals (history->reads, access, 1);
      return;
    }
  depend (self, history->reads, access);
  forget (history->writes, access);
  forget (history->reads, access);
  g_array_append_vals (history->writes, access, 1);
}

static void
find_dependences (Tasks *self)
{
  guint n_buffers = self->program->buffers->len;
  g_autofree History *histories = g_new0 (History, n_buffers);

  for (guint i = 0; i < self->program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self->program, i);

      for (int a = 0; a < UK_MAX_ARGS; a++)
        if (instruction->args[a].buffer >= 0)
          {
            gint64 begin = instruction->args[a].offset;
            Access access = { begin, begin + urb_instruction_count_arg (instruction, a),
                              self->task_of[i] };

            record (self, &histories[instruction->args[a].buffer], &access,
                    urb_instruction_get_role (instruction, a));
          }
    }
  for (guint b = 0; b < n_buffers; b++)
    if (histories[b].writes != NULL)
      {
        g_array_unref (histories[b].writes);
        g_array_unref (histories[b].reads);
      }
}

/* ------------------------------------------------------------------------ */
/* Simulation                                                                */

typedef struct
{
  const Tasks *tasks;       /* borrowed */
  int          limit;       /* microbatches under way; 0: any number */
  double       now;
  int         *n_before;    /* (n_tasks): unfinished tasks that each waits for */
  int         *n_left;      /* (n_phases, n_microbatches): unfinished tasks */
  gboolean    *is_started;  /* (n_phases, n_microbatches) */
  int         *n_in_flight; /* (n_phases) */
  GArray     **ready;       /* (n_ranks), of int, owned */
  int         *running;     /* (n_ranks): the task; -1: none */
  double      *end;         /* (n_ranks): of that task */
  GArray      *order;       /* of int: tasks as they end */
} Simulation;

static int
get_microbatch (const Simulation *self, const Task *task)
{
  return task->phase * self->tasks->n_microbatches + task->microbatch;
}

static void
simulation_init (Simulation *self, const Tasks *tasks, int limit)
{
  int n_ranks = tasks->layout->n_stages, n = tasks->n_phases * tasks->n_microbatches;

  *self = (Simulation) { .tasks = tasks, .limit = limit };
  self->n_before = g_new (int, tasks->tasks->len);
  self->n_left = g_new0 (int, n);
  self->is_started = g_new0 (gboolean, n);
  self->n_in_flight = g_new0 (int, tasks->n_phases);
  self->ready = g_new (GArray *, n_ranks);
  self->running = g_new (int, n_ranks);
  self->end = g_new0 (double, n_ranks);
  self->order = g_array_new (FALSE, FALSE, sizeof (int));
  for (int r = 0; r < n_ranks; r++)
    {
      self->ready[r] = g_array_new (FALSE, FALSE, sizeof (int));
      self->running[r] = -1;
    }
  for (int t = 0; t < (int) tasks->tasks->len; t++)
    {
      const Task *task = get_task (tasks, t);

      self->n_before[t] = task->n_before;
      self->n_left[get_microbatch (self, task)] += task->rank >= 0;
    }
}

static void
simulation_clear (Simulation *self)
{
  for (int r = 0; r < self->tasks->layout->n_stages; r++)
    g_array_unref (self->ready[r]);
  g_free (self->n_before);
  g_free (self->n_left);
  g_free (self->is_started);
  g_free (self->n_in_flight);
  g_free (self->ready);
  g_free (self->running);
  g_free (self->end);
  g_clear_pointer (&self->order, g_array_unref);
}

static void simulation_finish (Simulation *self, int index);

/* All inputs of the task are there.  Updates take no time. */
static void
simulation_release (Simulation *self, int index)
{
  const Task *task = get_task (self->tasks, index);

  if (task->rank < 0)
    simulation_finish (self, index);
  else
    g_array_append_val (self->ready[task->rank], index);
}

static void
simulation_finish (Simulation *self, int index)
{
  const Task *task = get_task (self->tasks, index);

  g_array_append_val (self->order, index);
  if (task->rank >= 0 && --self->n_left[get_microbatch (self, task)] == 0)
    self->n_in_flight[task->phase]--;
  for (guint i = 0; i < task->next->len; i++)
    {
      int next = g_array_index (task->next, int, i);

      if (--self->n_before[next] == 0)
        simulation_release (self, next);
    }
}

/* Whether the rank prefers @a to @b. */
static gboolean
is_preferred (const Simulation *self, const Task *a, const Task *b)
{
  UrbOrder order = self->tasks->layout->order;

  if (a->is_delayed != b->is_delayed)
    return b->is_delayed;
  if (a->phase != b->phase)
    return a->phase < b->phase;
  if (a->position != b->position && order == URB_ORDER_GPIPE)
    return a->position < b->position;
  if (a->position != b->position && order == URB_ORDER_1F1B)
    return a->position > b->position;
  if (a->microbatch != b->microbatch)
    return a->microbatch < b->microbatch;
  return a->position < b->position;
}

static gboolean
may_start (const Simulation *self, const Task *task)
{
  return self->limit == 0 || self->is_started[get_microbatch (self, task)]
         || self->n_in_flight[task->phase] < self->limit;
}

static void
simulation_start (Simulation *self, int rank)
{
  GArray *ready = self->ready[rank];
  int best = -1;

  for (guint i = 0; i < ready->len; i++)
    {
      const Task *task = get_task (self->tasks, g_array_index (ready, int, i));

      if (may_start (self, task)
          && (best < 0
              || is_preferred (self, task,
                               get_task (self->tasks, g_array_index (ready, int, (guint) best)))))
        best = (int) i;
    }
  if (best >= 0)
    {
      int index = g_array_index (ready, int, (guint) best), m;
      const Task *task = get_task (self->tasks, index);

      g_array_remove_index_fast (ready, (guint) best);
      m = get_microbatch (self, task);
      self->n_in_flight[task->phase] += !self->is_started[m];
      self->is_started[m] = TRUE;
      self->running[rank] = index;
      self->end[rank] = self->now + task->cost;
    }
}

/* Runs all tasks.  Returns when the last one ends. */
static double
simulation_run (Simulation *self)
{
  int n_ranks = self->tasks->layout->n_stages;

  for (int t = 0; t < (int) self->tasks->tasks->len; t++)
    if (get_task (self->tasks, t)->n_before == 0)
      simulation_release (self, t);
  for (;;)
    {
      int next = -1;

      for (int r = 0; r < n_ranks; r++)
        if (self->running[r] < 0)
          simulation_start (self, r);
      for (int r = 0; r < n_ranks; r++)
        if (self->running[r] >= 0 && (next < 0 || self->end[r] < self->end[next]))
          next = r;
      if (next < 0)
        break;
      self->now = self->end[next];
      simulation_finish (self, self->running[next]);
      self->running[next] = -1;
    }
  g_assert (self->order->len == self->tasks->tasks->len);
  return self->now;
}

/* ------------------------------------------------------------------------ */
/* The program in that order                                                 */

static void
permute (UrbProgram *program, const Tasks *tasks, const GArray *order, int *parts)
{
  guint n = program->instructions->len, n_tasks = order->len;
  g_autofree UrbInstruction *before = g_memdup2 (program->instructions->data,
                                                 n * sizeof (UrbInstruction));
  g_autofree int *parts_before = g_memdup2 (parts, n * sizeof *parts);
  g_autofree guint *at = g_new0 (guint, n_tasks + 1); /* where each task's next instruction goes */
  g_autofree guint *n_of = g_new0 (guint, n_tasks);
  guint begin = 0;

  for (guint i = 0; i < n; i++)
    n_of[tasks->task_of[i]]++;
  for (guint k = 0; k < n_tasks; k++)
    {
      int task = g_array_index (order, int, k);

      at[task] = begin;
      begin += n_of[task];
    }
  for (guint i = 0; i < n; i++)
    {
      guint to = at[tasks->task_of[i]]++;

      *urb_program_get_instruction (program, to) = before[i];
      parts[to] = parts_before[i];
    }
}

static double
simulate (const Tasks *tasks, int limit)
{
  Simulation simulation;
  double makespan;

  simulation_init (&simulation, tasks, limit);
  makespan = simulation_run (&simulation);
  simulation_clear (&simulation);
  return makespan;
}

static int
choose_limit (const Tasks *tasks)
{
  int most = MIN (tasks->n_microbatches, MOST_IN_FLIGHT * tasks->layout->n_stages
                                           * tasks->layout->n_chunks);
  double fastest;

  if (tasks->layout->order != URB_ORDER_1F1B)
    return tasks->layout->order == URB_ORDER_BUILT ? 1 : 0;
  fastest = simulate (tasks, most);
  for (int limit = 1; limit < most; limit++)
    if (simulate (tasks, limit) <= TOLERANCE * fastest)
      return limit;
  return most;
}

void
urb_program_schedule (UrbProgram *program, const UrbLayout *layout, int *parts, const double *costs,
                      UrbPipelineSchedule *out)
{
  g_auto(Tasks) tasks = { .program = program, .layout = layout };
  UrbPipelineSchedule result = { 0 };
  Simulation simulation;

  tasks.tasks = g_array_new (FALSE, FALSE, sizeof (Task));
  g_array_set_clear_func (tasks.tasks, clear_task);
  tasks.task_of = g_new (int, MAX (program->instructions->len, 1));
  find_tasks (&tasks, parts, costs);
  find_dependences (&tasks);
  result.n_in_flight = choose_limit (&tasks);
  simulation_init (&simulation, &tasks, result.n_in_flight);
  result.makespan = simulation_run (&simulation);
  for (guint i = 0; i < program->instructions->len; i++)
    result.busy += parts[i] < 0 ? 0 : costs[i];
  if (layout->order != URB_ORDER_BUILT)
    permute (program, &tasks, simulation.order, parts);
  simulation_clear (&simulation);
  if (out != NULL)
    *out = result;
}

double
urb_pipeline_schedule_get_bubble (const UrbPipelineSchedule *self, int n_ranks)
{
  return self->makespan > 0 ? 1 - self->busy / (n_ranks * self->makespan) : 0;
}
