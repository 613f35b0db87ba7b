/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-sample.c - a wall of cities drawn at a step.
 */
#include "app/runs/run-items.h"

struct _UrbariumRunSample
{
  GObject parent_instance;

  gint64 step;
  char *path; /* owned */
  double time;
};

G_DEFINE_FINAL_TYPE (UrbariumRunSample, urbarium_run_sample, G_TYPE_OBJECT)

enum { PROP_0, PROP_STEP, PROP_PATH, PROP_TIME, N_PROPS };

#define FLAGS (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static GParamSpec *props[N_PROPS];

static void
urbarium_run_sample_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  UrbariumRunSample *self = URBARIUM_RUN_SAMPLE (object);
  switch (id)
    {
    case PROP_STEP:
      g_value_set_int64 (value, self->step);
      break;
    case PROP_PATH:
      g_value_set_string (value, self->path);
      break;
    case PROP_TIME:
      g_value_set_double (value, self->time);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
urbarium_run_sample_finalize (GObject *object)
{
  UrbariumRunSample *self = URBARIUM_RUN_SAMPLE (object);
  g_free (self->path);
  G_OBJECT_CLASS (urbarium_run_sample_parent_class)->finalize (object);
}

static void
urbarium_run_sample_class_init (UrbariumRunSampleClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->get_property = urbarium_run_sample_get_property;
  object_class->finalize = urbarium_run_sample_finalize;
  props[PROP_STEP]
    = g_param_spec_int64 ("step", NULL, NULL, G_MININT64, G_MAXINT64, 0, FLAGS);
  props[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, FLAGS);
  props[PROP_TIME]
    = g_param_spec_double ("time", NULL, NULL, -G_MAXDOUBLE, G_MAXDOUBLE, 0, FLAGS);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
urbarium_run_sample_init (UrbariumRunSample *self)
{
}

UrbariumRunSample *
urbarium_run_sample_new (const char *folder, const UrbariumRecord *record)
{
  UrbariumRunSample *self = g_object_new (URBARIUM_TYPE_RUN_SAMPLE, NULL);
  self->step = record->step;
  self->path = g_build_filename (folder, record->texts[0], NULL);
  self->time = record->time;
  return self;
}

gint64
urbarium_run_sample_get_step (UrbariumRunSample *self)
{
  return self->step;
}

const char *
urbarium_run_sample_get_path (UrbariumRunSample *self)
{
  return self->path;
}
