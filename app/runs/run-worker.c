/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-worker.c - a training process, and when it was last heard of.
 */
#include "app/runs/run-items.h"

struct _UrbariumRunWorker
{
  GObject parent_instance;

  int rank;
  gint64 pid;
  gint64 step;
  char *doing; /* owned */
  char *device; /* owned */
  gint64 memory_bytes;
  double last_sign;
  gboolean alive;
  char *text; /* owned */
};

G_DEFINE_FINAL_TYPE (UrbariumRunWorker, urbarium_run_worker, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_RANK,
  PROP_PID,
  PROP_STEP,
  PROP_DOING,
  PROP_DEVICE,
  PROP_MEMORY_BYTES,
  PROP_LAST_SIGN,
  PROP_ALIVE,
  PROP_TEXT,
  N_PROPS
};

#define FLAGS (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static GParamSpec *props[N_PROPS];

static void
urbarium_run_worker_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  UrbariumRunWorker *self = URBARIUM_RUN_WORKER (object);
  switch (id)
    {
    case PROP_RANK:
      g_value_set_int (value, self->rank);
      break;
    case PROP_PID:
      g_value_set_int64 (value, self->pid);
      break;
    case PROP_STEP:
      g_value_set_int64 (value, self->step);
      break;
    case PROP_DOING:
      g_value_set_string (value, self->doing);
      break;
    case PROP_DEVICE:
      g_value_set_string (value, self->device);
      break;
    case PROP_MEMORY_BYTES:
      g_value_set_int64 (value, self->memory_bytes);
      break;
    case PROP_LAST_SIGN:
      g_value_set_double (value, self->last_sign);
      break;
    case PROP_ALIVE:
      g_value_set_boolean (value, self->alive);
      break;
    case PROP_TEXT:
      g_value_set_string (value, self->text);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
urbarium_run_worker_finalize (GObject *object)
{
  UrbariumRunWorker *self = URBARIUM_RUN_WORKER (object);
  g_free (self->doing);
  g_free (self->device);
  g_free (self->text);
  G_OBJECT_CLASS (urbarium_run_worker_parent_class)->finalize (object);
}

static void
urbarium_run_worker_class_init (UrbariumRunWorkerClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->get_property = urbarium_run_worker_get_property;
  object_class->finalize = urbarium_run_worker_finalize;
  props[PROP_RANK] = g_param_spec_int ("rank", NULL, NULL, G_MININT, G_MAXINT, 0, FLAGS);
  props[PROP_PID] = g_param_spec_int64 ("pid", NULL, NULL, G_MININT64, G_MAXINT64, 0, FLAGS);
  props[PROP_STEP] = g_param_spec_int64 ("step", NULL, NULL, G_MININT64, G_MAXINT64, -1, FLAGS);
  props[PROP_DOING] = g_param_spec_string ("doing", NULL, NULL, NULL, FLAGS);
  props[PROP_DEVICE] = g_param_spec_string ("device", NULL, NULL, NULL, FLAGS);
  props[PROP_MEMORY_BYTES]
    = g_param_spec_int64 ("memory-bytes", NULL, NULL, G_MININT64, G_MAXINT64, 0, FLAGS);
  props[PROP_LAST_SIGN]
    = g_param_spec_double ("last-sign", NULL, NULL, -G_MAXDOUBLE, G_MAXDOUBLE, 0, FLAGS);
  props[PROP_ALIVE] = g_param_spec_boolean ("alive", NULL, NULL, FALSE, FLAGS);
  props[PROP_TEXT] = g_param_spec_string ("text", NULL, NULL, NULL, FLAGS);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
urbarium_run_worker_init (UrbariumRunWorker *self)
{
}

UrbariumRunWorker *
urbarium_run_worker_new (int rank)
{
  UrbariumRunWorker *self = g_object_new (URBARIUM_TYPE_RUN_WORKER, NULL);
  self->rank = rank;
  self->step = -1; /* unknown */
  self->doing = g_strdup ("");
  self->device = g_strdup ("");
  self->text = g_strdup ("");
  return self;
}

int
urbarium_run_worker_get_rank (UrbariumRunWorker *self)
{
  return self->rank;
}

static void
set_int64 (UrbariumRunWorker *self, gint64 *field, gint64 value, guint prop)
{
  if (*field == value)
    return;
  *field = value;
  g_object_notify_by_pspec (G_OBJECT (self), props[prop]);
}

static void
set_text (UrbariumRunWorker *self, char **field, const char *value, guint prop)
{
  if (g_strcmp0 (*field, value) == 0)
    return;
  g_free (*field);
  *field = g_strdup (value);
  g_object_notify_by_pspec (G_OBJECT (self), props[prop]);
}

static void
set_alive (UrbariumRunWorker *self, gboolean alive)
{
  if (self->alive == alive)
    return;
  self->alive = alive;
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_ALIVE]);
}

static void
set_last_sign (UrbariumRunWorker *self, double time)
{
  if (time <= self->last_sign)
    return;
  self->last_sign = time;
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_LAST_SIGN]);
}

void
urbarium_run_worker_set_device (UrbariumRunWorker *self, const char *device)
{
  set_text (self, &self->device, device, PROP_DEVICE);
}

void
urbarium_run_worker_started (UrbariumRunWorker *self, gint64 pid, double time)
{
  set_int64 (self, &self->pid, pid, PROP_PID);
  set_text (self, &self->text, "", PROP_TEXT);
  set_text (self, &self->doing, "", PROP_DOING);
  set_last_sign (self, time);
  set_alive (self, TRUE);
}

void
urbarium_run_worker_ended (UrbariumRunWorker *self, gint64 step, const char *how)
{
  if (step >= 0)
    set_int64 (self, &self->step, step, PROP_STEP);
  set_text (self, &self->text, how, PROP_TEXT);
  set_text (self, &self->doing, "", PROP_DOING);
  set_int64 (self, &self->memory_bytes, 0, PROP_MEMORY_BYTES);
  set_alive (self, FALSE);
}

void
urbarium_run_worker_beat (UrbariumRunWorker *self, JsonObject *line, gint64 step, double time)
{
  set_int64 (self, &self->pid, urb_json_get_int (line, "pid", self->pid), PROP_PID);
  set_int64 (self, &self->step, step, PROP_STEP);
  set_text (self, &self->doing, urb_json_get_string (line, "doing", ""), PROP_DOING);
  set_int64 (self, &self->memory_bytes, urb_json_get_int (line, "memory_bytes", 0),
             PROP_MEMORY_BYTES);
  set_last_sign (self, time);
  set_alive (self, TRUE);
}
