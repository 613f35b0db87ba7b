/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-event.c - a log entry of a run.
 */
#include "app/runs/run-items.h"

struct _UrbariumRunEvent
{
  GObject parent_instance;

  char *level; /* owned */
  char *code; /* owned */
  char *text; /* owned */
  gint64 step;
  double time;
};

G_DEFINE_FINAL_TYPE (UrbariumRunEvent, urbarium_run_event, G_TYPE_OBJECT)

enum { PROP_0, PROP_LEVEL, PROP_CODE, PROP_TEXT, PROP_STEP, PROP_TIME, N_PROPS };

#define FLAGS (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static GParamSpec *props[N_PROPS];

static void
urbarium_run_event_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  UrbariumRunEvent *self = URBARIUM_RUN_EVENT (object);
  switch (id)
    {
    case PROP_LEVEL:
      g_value_set_string (value, self->level);
      break;
    case PROP_CODE:
      g_value_set_string (value, self->code);
      break;
    case PROP_TEXT:
      g_value_set_string (value, self->text);
      break;
    case PROP_STEP:
      g_value_set_int64 (value, self->step);
      break;
    case PROP_TIME:
      g_value_set_double (value, self->time);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
urbarium_run_event_finalize (GObject *object)
{
  UrbariumRunEvent *self = URBARIUM_RUN_EVENT (object);
  g_free (self->level);
  g_free (self->code);
  g_free (self->text);
  G_OBJECT_CLASS (urbarium_run_event_parent_class)->finalize (object);
}

static void
urbarium_run_event_class_init (UrbariumRunEventClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->get_property = urbarium_run_event_get_property;
  object_class->finalize = urbarium_run_event_finalize;
  props[PROP_LEVEL] = g_param_spec_string ("level", NULL, NULL, NULL, FLAGS);
  props[PROP_CODE] = g_param_spec_string ("code", NULL, NULL, NULL, FLAGS);
  props[PROP_TEXT] = g_param_spec_string ("text", NULL, NULL, NULL, FLAGS);
  props[PROP_STEP] = g_param_spec_int64 ("step", NULL, NULL, G_MININT64, G_MAXINT64, 0, FLAGS);
  props[PROP_TIME]
    = g_param_spec_double ("time", NULL, NULL, -G_MAXDOUBLE, G_MAXDOUBLE, 0, FLAGS);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
urbarium_run_event_init (UrbariumRunEvent *self)
{
}

UrbariumRunEvent *
urbarium_run_event_new (const char *level, const char *code, const char *text, gint64 step,
                        double time)
{
  UrbariumRunEvent *self = g_object_new (URBARIUM_TYPE_RUN_EVENT, NULL);
  self->level = g_strdup (level);
  self->code = g_strdup (code);
  self->text = g_strdup (text);
  self->step = step;
  self->time = time;
  return self;
}
