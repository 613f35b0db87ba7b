/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-event.c - a log entry of a run.
 */
#include "app/runs/run-items.h"

#include <math.h>

struct _UrbariumRunEvent
{
  GObject parent_instance;

  char *level; /* owned */
  char *code; /* owned */
  char *text; /* owned */
  gint64 step;
  double time;
  double score; /* of an event "score"; NaN: none */
  gint64 scored_step;
  gboolean is_best;
  char *subject; /* (nullable) owned */
};

G_DEFINE_FINAL_TYPE (UrbariumRunEvent, urbarium_run_event, G_TYPE_OBJECT)

static const UrbariumField fields[] = {
  { "level", G_TYPE_STRING, G_STRUCT_OFFSET (UrbariumRunEvent, level) },
  { "code", G_TYPE_STRING, G_STRUCT_OFFSET (UrbariumRunEvent, code) },
  { "text", G_TYPE_STRING, G_STRUCT_OFFSET (UrbariumRunEvent, text) },
  { "step", G_TYPE_INT64, G_STRUCT_OFFSET (UrbariumRunEvent, step) },
  { "time", G_TYPE_DOUBLE, G_STRUCT_OFFSET (UrbariumRunEvent, time) },
  { "score", G_TYPE_DOUBLE, G_STRUCT_OFFSET (UrbariumRunEvent, score) },
  { "scored-step", G_TYPE_INT64, G_STRUCT_OFFSET (UrbariumRunEvent, scored_step) },
  { "is-best", G_TYPE_BOOLEAN, G_STRUCT_OFFSET (UrbariumRunEvent, is_best) },
  { "subject", G_TYPE_STRING, G_STRUCT_OFFSET (UrbariumRunEvent, subject) },
};

static void
urbarium_run_event_finalize (GObject *object)
{
  UrbariumRunEvent *self = URBARIUM_RUN_EVENT (object);
  g_free (self->level);
  g_free (self->code);
  g_free (self->text);
  g_free (self->subject);
  G_OBJECT_CLASS (urbarium_run_event_parent_class)->finalize (object);
}

static void
urbarium_run_event_class_init (UrbariumRunEventClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = urbarium_run_event_finalize;
  urbarium_run_items_install_fields (G_OBJECT_CLASS (klass), fields, G_N_ELEMENTS (fields));
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
  self->score = NAN;
  return self;
}

void
urbarium_run_event_set_subject (UrbariumRunEvent *self, const char *subject)
{
  g_free (self->subject);
  self->subject = g_strdup (subject);
}

void
urbarium_run_event_set_score (UrbariumRunEvent *self, double score, gint64 step, gboolean is_best)
{
  self->score = score;
  self->scored_step = step;
  self->is_best = is_best;
}
