/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-file.c - a file that a run wrote at a step: a sample grid, or a checkpoint to resume from.
 */
#include "app/runs/run-items.h"

struct _UrbariumRunFile
{
  GObject parent_instance;

  gint64 step;
  char *path; /* owned */
  gint64 n_bytes;
  double time;
};

G_DEFINE_FINAL_TYPE (UrbariumRunFile, urbarium_run_file, G_TYPE_OBJECT)

enum { PROP_0, PROP_STEP, PROP_PATH, PROP_N_BYTES, PROP_TIME, N_PROPS };

#define FLAGS (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static GParamSpec *props[N_PROPS];

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  UrbariumRunFile *self = URBARIUM_RUN_FILE (object);
  switch (id)
    {
    case PROP_STEP:
      g_value_set_int64 (value, self->step);
      break;
    case PROP_PATH:
      g_value_set_string (value, self->path);
      break;
    case PROP_N_BYTES:
      g_value_set_int64 (value, self->n_bytes);
      break;
    case PROP_TIME:
      g_value_set_double (value, self->time);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
finalize (GObject *object)
{
  g_free (URBARIUM_RUN_FILE (object)->path);
  G_OBJECT_CLASS (urbarium_run_file_parent_class)->finalize (object);
}

static void
urbarium_run_file_class_init (UrbariumRunFileClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  props[PROP_STEP] = g_param_spec_int64 ("step", NULL, NULL, G_MININT64, G_MAXINT64, 0, FLAGS);
  props[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, FLAGS);
  props[PROP_N_BYTES]
    = g_param_spec_int64 ("n-bytes", NULL, NULL, G_MININT64, G_MAXINT64, 0, FLAGS);
  props[PROP_TIME]
    = g_param_spec_double ("time", NULL, NULL, -G_MAXDOUBLE, G_MAXDOUBLE, 0, FLAGS);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
urbarium_run_file_init (UrbariumRunFile *self)
{
}

UrbariumRunFile *
urbarium_run_file_new (const char *folder, const UrbariumRecord *record)
{
  UrbariumRunFile *self = g_object_new (URBARIUM_TYPE_RUN_FILE, NULL);
  self->step = record->step;
  self->path = g_build_filename (folder, record->texts[0], NULL);
  if (record->type == URBARIUM_RECORD_CHECKPOINT)
    self->n_bytes = record->checkpoint.n_bytes;
  self->time = record->time;
  return self;
}

gint64
urbarium_run_file_get_step (UrbariumRunFile *self)
{
  return self->step;
}

const char *
urbarium_run_file_get_path (UrbariumRunFile *self)
{
  return self->path;
}
