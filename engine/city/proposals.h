/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proposals.h - plans for a site: cities that contain what stays there.
 */
#pragma once

#include "city/site.h"
#include "city/vectorize.h"
#include "train/sampler.h"

G_BEGIN_DECLS

/* How well a proposal meets the site. */
typedef struct
{
  double loss;      /* mean cross entropy of the given pixels, in nats */
  double met;       /* share of the given pixels that the generator drew as given */
  double met_class[URB_N_CLASSES]; /* the same of those of each class */
  /* Set by urb_proposal_measure_plan(): */
  double kept;      /* share of the given pixels that have the given class in the plan */
  double connected; /* of the ground of new streets: see urb_site_get_connected() */
} UrbProposal;

enum { URB_PROPOSALS_MAX = 64 };

/**
 * urb_propose:
 * @site: in the sampler's size_px
 * @count: at most %URB_PROPOSALS_MAX
 * @levels: (out): (@count, size_px, size_px, n_channels): with what is given put in exactly
 * @proposals: (out): (@count)
 *
 * Searches from several times as many starts as proposals (see urb_sampler_fit()), the latent vectors
 * of the cities of @seed, and returns those that meet the site well and differ from each other,
 * the best first.  The same arguments give the same proposals.
 */
gboolean urb_propose (UrbSampler *sampler, const UrbSite *site, guint64 seed, int count,
                      guint8 *levels, UrbProposal *proposals, UrbProgressFunc progress,
                      gpointer user_data, GCancellable *cancellable, GError **error);

void     urb_proposal_measure_plan (UrbProposal *self, const UrbSite *site,
                                    const UrbCityVectors *plan);

G_END_DECLS
