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
  double cores_busy;
  double last_sign;
  gboolean alive;
  char *text; /* owned */
};

G_DEFINE_FINAL_TYPE (UrbariumRunWorker, urbarium_run_worker, G_TYPE_OBJECT)

static const UrbariumField fields[] = {
  { "rank", G_TYPE_INT, G_STRUCT_OFFSET (UrbariumRunWorker, rank) },
  { "pid", G_TYPE_INT64, G_STRUCT_OFFSET (UrbariumRunWorker, pid) },
  { "step", G_TYPE_INT64, G_STRUCT_OFFSET (UrbariumRunWorker, step) },
  { "doing", G_TYPE_STRING, G_STRUCT_OFFSET (UrbariumRunWorker, doing) },
  { "device", G_TYPE_STRING, G_STRUCT_OFFSET (UrbariumRunWorker, device) },
  { "memory-bytes", G_TYPE_INT64, G_STRUCT_OFFSET (UrbariumRunWorker, memory_bytes) },
  { "cores-busy", G_TYPE_DOUBLE, G_STRUCT_OFFSET (UrbariumRunWorker, cores_busy) },
  { "last-sign", G_TYPE_DOUBLE, G_STRUCT_OFFSET (UrbariumRunWorker, last_sign) },
  { "alive", G_TYPE_BOOLEAN, G_STRUCT_OFFSET (UrbariumRunWorker, alive) },
  { "text", G_TYPE_STRING, G_STRUCT_OFFSET (UrbariumRunWorker, text) },
};

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
  G_OBJECT_CLASS (klass)->finalize = urbarium_run_worker_finalize;
  urbarium_run_items_install_fields (G_OBJECT_CLASS (klass), fields, G_N_ELEMENTS (fields));
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
set_int64 (UrbariumRunWorker *self, gint64 *field, gint64 value, const char *property)
{
  if (*field == value)
    return;
  *field = value;
  g_object_notify (G_OBJECT (self), property);
}

static void
set_double (UrbariumRunWorker *self, double *field, double value, const char *property)
{
  if (*field >= value && *field <= value)
    return;
  *field = value;
  g_object_notify (G_OBJECT (self), property);
}

static void
set_text (UrbariumRunWorker *self, char **field, const char *value, const char *property)
{
  if (g_strcmp0 (*field, value) == 0)
    return;
  g_free (*field);
  *field = g_strdup (value);
  g_object_notify (G_OBJECT (self), property);
}

static void
set_alive (UrbariumRunWorker *self, gboolean alive)
{
  if (self->alive == alive)
    return;
  self->alive = alive;
  g_object_notify (G_OBJECT (self), "alive");
}

static void
set_last_sign (UrbariumRunWorker *self, double time)
{
  if (time > self->last_sign)
    set_double (self, &self->last_sign, time, "last-sign");
}

void
urbarium_run_worker_set_device (UrbariumRunWorker *self, const char *device)
{
  set_text (self, &self->device, device, "device");
}

void
urbarium_run_worker_started (UrbariumRunWorker *self, gint64 pid, double time)
{
  set_int64 (self, &self->pid, pid, "pid");
  set_text (self, &self->text, "", "text");
  set_text (self, &self->doing, "", "doing");
  set_last_sign (self, time);
  set_alive (self, TRUE);
}

void
urbarium_run_worker_ended (UrbariumRunWorker *self, gint64 step, const char *how)
{
  if (step >= 0)
    set_int64 (self, &self->step, step, "step");
  set_text (self, &self->text, how, "text");
  set_text (self, &self->doing, "", "doing");
  set_int64 (self, &self->memory_bytes, 0, "memory-bytes");
  set_double (self, &self->cores_busy, 0, "cores-busy");
  set_alive (self, FALSE);
}

void
urbarium_run_worker_beat (UrbariumRunWorker *self, JsonObject *line, gint64 step, double time)
{
  set_int64 (self, &self->pid, urb_json_get_int (line, "pid", self->pid), "pid");
  set_int64 (self, &self->step, step, "step");
  set_text (self, &self->doing, urb_json_get_string (line, "doing", ""), "doing");
  set_int64 (self, &self->memory_bytes, urb_json_get_int (line, "memory_bytes", 0),
             "memory-bytes");
  set_double (self, &self->cores_busy, urb_json_get_double (line, "cores_busy", 0), "cores-busy");
  set_last_sign (self, time);
  set_alive (self, TRUE);
}
