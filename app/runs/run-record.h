/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-record.h - one record of a run, from run.db or from the control protocol.
 */
#pragma once

#include "run/store/json-line.h"
#include "run/store/run-db.h"

G_BEGIN_DECLS

typedef enum
{
  URBARIUM_RECORD_SESSION = URB_RUN_RECORD_SESSION,
  URBARIUM_RECORD_STEP = URB_RUN_RECORD_STEP,
  URBARIUM_RECORD_SAMPLE = URB_RUN_RECORD_SAMPLE,
  URBARIUM_RECORD_CHECKPOINT = URB_RUN_RECORD_CHECKPOINT,
  URBARIUM_RECORD_EVENT = URB_RUN_RECORD_EVENT,
  URBARIUM_RECORD_WORKER = URB_RUN_RECORD_WORKER,
  URBARIUM_RECORD_GPU = URB_RUN_RECORD_GPU,
  URBARIUM_RECORD_OTHER /* of a newer engine: ignored, but its sequence number counts */
} UrbariumRecordType;

typedef struct
{
  UrbariumRecordType type;
  gint64             seq;
  double             time;
  gint64             step;
  union
  {
    struct { gint64 images; double seconds, values[URB_N_METRICS]; } metrics; /* a step's */
    struct { gint64 n_bytes; gboolean kept; } checkpoint;
    struct { gint64 rank, pid; } worker;
    struct { gint64 device; UrbGpuLoad load; } gpu;
  };
  /* owned, nullable: the file of a sample or checkpoint; the state and text of a worker; the
   * level, code and text of an event; the name and PCI address of a GPU */
  char *texts[3];
} UrbariumRecord;

/* From a line of the control protocol.  Metrics that are null become NaN. */
void urbarium_record_read  (UrbariumRecord *self, JsonObject *line);
/* From run.db. */
void urbarium_record_copy  (UrbariumRecord *self, const UrbRunRecord *record);
void urbarium_record_clear (UrbariumRecord *self);

G_END_DECLS
