/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-items.h - constructors and setters of the items in a run's lists.
 */
#pragma once

#include "app/runs/run-record.h"
#include "app/runs/run.h"

G_BEGIN_DECLS

/* A read-only property that exposes a field of an item. */
typedef struct
{
  const char *name;
  GType       type; /* int, int64, double, boolean or string */
  gsize       offset;
} UrbariumField;

/* Installs the properties 1 to @n, and the getter. @fields: static */
void urbarium_run_items_install_fields (GObjectClass *klass, const UrbariumField *fields, guint n);
/* The getter, for classes with other properties, too. */
void urbarium_run_items_get_field (GObject *object, guint id, GValue *value, GParamSpec *pspec);

/* @record: a sample or a checkpoint */
UrbariumRunFile *urbarium_run_file_new (const char *folder, const UrbRunRecord *record);

UrbariumRunEvent *urbarium_run_event_new (const char *level, const char *code, const char *text,
                                          gint64 step, double time);
/* @subject: (nullable): of an event "queued" the folder of the run to wait for, if there is one; of an event "device" its
 * name */
void urbarium_run_event_set_subject (UrbariumRunEvent *self, const char *subject);
/* Of an event "score".  @score: NaN: not known, as of events of older engines; @step: of the cities, while the event's is that
 * which the run had reached */
void urbarium_run_event_set_score (UrbariumRunEvent *self, double score, gint64 step, gboolean is_best);

/* @pci: its address: "0000:17:00.0" */
UrbariumRunGpu *urbarium_run_gpu_new (int index, const char *name, const char *pci, const UrbGpuLoad *load);

UrbariumRunWorker *urbarium_run_worker_new (int rank);
int  urbarium_run_worker_get_rank   (UrbariumRunWorker *self);
void urbarium_run_worker_set_device (UrbariumRunWorker *self, const char *device);
void urbarium_run_worker_started    (UrbariumRunWorker *self, gint64 pid, double time);
/* @step: its last step; -1: keep the last reported one */
void urbarium_run_worker_ended      (UrbariumRunWorker *self, gint64 step, const char *how);
/* @line: a heartbeat, or a worker of a status */
void urbarium_run_worker_beat       (UrbariumRunWorker *self, JsonObject *line, gint64 step,
                                     double time);

G_END_DECLS
