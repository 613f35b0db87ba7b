/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fitter.h - finds inputs of a generator whose images have given pixels.
 */
#pragma once

#include <gio/gio.h>

#include "base/progress.h"
#include "model/net.h"

G_BEGIN_DECLS

/* What is given of an image, in the generator's resolution before a refiner. */
typedef struct
{
  const guint8 *weights; /* (s, s): of the pixels' errors in the loss; 0: free */
  const guint8 *levels;  /* (s, s, c): the wanted values; those of a pixel sum to about 255 if c is 3 */
} UrbFitTarget;

typedef struct _UrbFitter UrbFitter;

/* @net: without batch norm; @n_base: its layers before the refiner; @params: device memory,
 * (n_params).  All borrowed. */
UrbFitter *urb_fitter_new  (UkBackend *backend, const UrbNet *net, int n_base, void *params,
                            GError **error);
void       urb_fitter_free (UrbFitter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbFitter, urb_fitter_free)

/**
 * urb_fitter_run:
 * @z: (@n, latent): where the searches begin
 * @levels: (out): (@n, s, s, c) bytes: images of the whole network
 * @losses: (out): (@n): mean cross entropy of the given pixels, in nats
 *
 * Each search is by Adam (1412.6980): first over the latent vector, which finds a city like the
 * wanted one, then over the features after the first layer, which can follow the pixels much
 * closer; both are pulled back to where the generator expects them.  The searches do not depend on
 * each other.
 *
 * Returns: %FALSE with an error, %G_IO_ERROR_CANCELLED among them
 */
gboolean urb_fitter_run (UrbFitter *self, const UrbFitTarget *target, const float *z, gint64 n,
                         guint8 *levels, double *losses, UrbProgressFunc progress,
                         gpointer user_data, GCancellable *cancellable, GError **error);

G_END_DECLS
