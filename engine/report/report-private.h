/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report-private.h - what the chapters of a report share.
 */
#pragma once

#include "city/provenance.h"
#include "dataset/dataset.h"
#include "report/hide.h"
#include "report/history.h"
#include "report/page.h"
#include "settings/preset.h"

G_BEGIN_DECLS

typedef struct
{
  const char      *run;        /* borrowed; the folder */
  UrbRunConfig     config;     /* owned */
  UrbRunConfig     chosen;     /* owned; what differs from the defaults */
  UrbPreset       *preset;     /* (nullable) owned */
  UrbRunDbSummary  summary;
  UrbHistory      *history;    /* owned */
  UrbProvenance   *provenance; /* owned; of the newest checkpoint */
  UrbDataset      *dataset;    /* (nullable) owned: it is where it was, with the same areas */
  UrbHider        *hider;      /* owned */
  char            *name;       /* owned; for display */
  GString         *page;       /* owned */
} UrbReport;

/* "step 1,200" (transfer full) */
char       *urb_report_dup_step (gint64 step);

/* Chapters, in this order. */
void urb_report_add_head     (UrbReport *self);
void urb_report_add_realism  (UrbReport *self);
void urb_report_add_curves   (UrbReport *self);
void urb_report_add_samples  (UrbReport *self);
void urb_report_add_map      (UrbReport *self);
void urb_report_add_settings (UrbReport *self);
void urb_report_add_machine  (UrbReport *self);
void urb_report_add_events   (UrbReport *self);
void urb_report_add_repeat   (UrbReport *self);

G_END_DECLS
