/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recommend.h - which strategy trains a model fastest on this machine.
 *
 * Forecasts every configuration with the same result as one process, within reason, and names the
 * fastest that fits.
 */
#pragma once

#include "train/forecast.h"

G_BEGIN_DECLS

typedef struct
{
  UrbTrainOptions options;      /* owned; resolved */
  char           *text;         /* owned; "1f1b:2 --accumulate 4", "--mesh data=2,pipe=2" */
  UrbPreflight    preflight;    /* owned */
  gboolean        has_forecast; /* FALSE if it does not fit */
  UrbForecast     forecast;     /* owned */
} UrbCandidate;

typedef struct
{
  GPtrArray *candidates; /* (element-type UrbCandidate) owned; one process comes first */
  int        best;       /* index; -1: nothing fits */
  char      *sentence;   /* owned; what to do and why */
} UrbRecommendation;

void urb_recommendation_clear (UrbRecommendation *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbRecommendation, urb_recommendation_clear)

typedef enum
{
  URB_CALIBRATE_NEVER,  /* estimates what the cache does not have */
  URB_CALIBRATE_MISSING /* measures it */
} UrbCalibrate;

/* What is done now, for people: "Measuring ddp:2". */
typedef void (*UrbRecommendFunc) (gpointer data, const char *what);

/* A forecast of @options after @preflight, which fits; measures what is missing, if asked, and saves it.
 * @out: (out caller-allocates) */
gboolean urb_forecast_run (const UrbTrainOptions *options, const UrbPreflight *preflight,
                           UrbCalibrate calibrate, GCancellable *cancellable, UrbForecast *out,
                           GError **error);

/**
 * urb_recommend:
 * @options: strategy and ranks are replaced by those that are tried
 * @progress: (nullable)
 * @out: (out caller-allocates)
 *
 * Tries one process; every strategy with 2, 4, 8 … ranks, up to the cores of @limits or the GPUs of this
 * machine, and every mesh of these with more than one axis; pipelines also with 2 and 4 microbatches for each
 * stage, where they divide the batch and the networks have no batch norm.  Asynchronous strategies are listed
 * but never recommended, since their result differs.
 *
 * Returns: %FALSE if @options describe no run, or cancelled
 */
gboolean urb_recommend (const UrbTrainOptions *options, const UrbKeeping *keeping,
                        const UrbLimits *limits, UrbCalibrate calibrate, UrbRecommendFunc progress,
                        gpointer data, GCancellable *cancellable, UrbRecommendation *out,
                        GError **error);

G_END_DECLS
