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
#include "report/report.h"
#include "settings/preset.h"

G_BEGIN_DECLS

typedef struct
{
  const char      *run;        /* borrowed; the folder */
  const UrbEnergyPrice *price; /* (nullable) borrowed */
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
/* "CHF 0.36" (transfer full) (nullable): NULL if no price is known */
char       *urb_report_dup_cost (const UrbReport *self, double joules);
/* The edge of a tile in the dataset that is as large as those of sample grids. */
int         urb_report_choose_tile_size (const UrbReport *self);
/* The levels of an area of the dataset, for the next function. (transfer full) (nullable): NULL if it cannot be read */
guint8     *urb_report_read_area (const UrbReport *self, gint64 area, int size_px);
/* @levels: (@size_px, @size_px, channels of the dataset) */
void        urb_report_add_levels (UrbReport *self, const guint8 *levels, int size_px);
/* @pixels: (@size_px, @size_px): 0x00RRGGBB, in rows of @stride */
void        urb_report_add_pixels (UrbReport *self, const guint32 *pixels, gsize stride, int size_px);

/* Chapters, in this order. */
void urb_report_add_head     (UrbReport *self);
void urb_report_add_realism  (UrbReport *self);
void urb_report_add_nearest  (UrbReport *self);
void urb_report_add_curves   (UrbReport *self);
void urb_report_add_samples  (UrbReport *self);
void urb_report_add_map      (UrbReport *self);
void urb_report_add_settings (UrbReport *self);
void urb_report_add_machine  (UrbReport *self);
void urb_report_add_events   (UrbReport *self);
void urb_report_add_repeat   (UrbReport *self);

G_END_DECLS
