/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-record.h - one record of a run, wherever it comes from.
 */
#pragma once

#include "run/json-line.h"
#include "run/run-db.h"

G_BEGIN_DECLS

typedef enum
{
  URBARIUM_RECORD_OTHER, /* of a newer engine: ignored, but its number counts */
  URBARIUM_RECORD_SESSION,
  URBARIUM_RECORD_STEP,
  URBARIUM_RECORD_SAMPLE,
  URBARIUM_RECORD_CHECKPOINT,
  URBARIUM_RECORD_WORKER,
  URBARIUM_RECORD_EVENT,
  URBARIUM_RECORD_GPU
} UrbariumRecordType;

typedef struct
{
  UrbariumRecordType type;
  gint64             seq;
  double             time;
  gint64             step;
  union
  {
    struct { gint64 images; double seconds, values[URB_N_METRICS]; } metrics; /* of a step */
    struct { gint64 n_bytes; gboolean kept; } checkpoint;
    struct { gint64 rank, pid; } worker;
    struct { gint64 device; UrbGpuLoad load; } gpu;
  };
  /* owned, nullable: the file of a sample or checkpoint; the state and text of a worker; the
   * level, code and text of an event; the name and PCI address of a GPU */
  char *texts[3];
} UrbariumRecord;

/* Out of a line of the control protocol.  Metrics that are null become NaN. */
void urbarium_record_read  (UrbariumRecord *self, JsonObject *line);
/* Out of run.db. */
void urbarium_record_copy  (UrbariumRecord *self, const UrbRunRecord *record);
void urbarium_record_clear (UrbariumRecord *self);

G_END_DECLS
