/* SPDX-License-Identifier: Apache-2.0 */
/*
 * streams.h - the Philox stream of each purpose.
 *
 * One list, so that no two purposes ever use the same random numbers (kernels/
 * uk-random.h explains how a stream is indexed).
 */
#pragma once

enum
{
  URB_STREAM_INIT_G = 1, /* initial weights */
  URB_STREAM_INIT_D,
  URB_STREAM_LATENT,     /* z of a training step */
  URB_STREAM_DIHEDRAL,   /* rotation and mirroring of real tiles */
  URB_STREAM_AUGMENT_REAL,
  URB_STREAM_AUGMENT_FAKE,
  URB_STREAM_ORDER,      /* order of the tiles */
  URB_STREAM_SAMPLE,     /* z of generated cities */
  URB_STREAM_STANDING,   /* z for a generator's batch norm statistics */
  URB_STREAM_RANK,       /* seeds of ranks with data of their own */
  URB_STREAM_CROP,       /* places of the refiner's crops */
  URB_STREAM_SPOIL,      /* what is spoilt in them */
  URB_STREAM_SHARES      /* the conditions of generated cities */
};
