/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curate-settings.c - the table of all settings of curate.
 */
#include <glib/gi18n.h>

#include "dataset/candidates.h"
#include "dataset/curator-private.h"
#include "dataset/dataset-private.h"
#include "dataset/tile-codec.h"

static const char *const encodings[] = { "rgb", "grey", NULL };
static const char *const fills[] = { "auto", "no", "yes", NULL };

#define FIELD(member) G_STRUCT_OFFSET (UrbCurateOptions, member)

enum { CURATE = URB_SETTING_CURATE };

static const UrbSetting rows[] = {
  { .key = "area-size-m", .type = URB_SETTING_DOUBLE, .offset = FIELD (area_size_m),
    .section = URB_SECTION_AREAS, .flags = CURATE, .min = 0.01, .max = URB_DATASET_MAX_AREA_SIZE_M,
    .number = 250, .unit = N_ ("m"), .arg = "METERS", .title = N_ ("Area size"),
    .help = N_ ("Edge of an area") },
  { .key = "stride-m", .type = URB_SETTING_DOUBLE, .offset = FIELD (stride_m),
    .section = URB_SECTION_AREAS, .flags = CURATE, .number = 125, .usual = N_ ("half an area"),
    .unit = N_ ("m"), .arg = "METERS", .title = N_ ("Stride"),
    .help = N_ ("Distance between candidates") },
  { .key = "rotations", .type = URB_SETTING_INT, .offset = FIELD (n_rotations),
    .section = URB_SECTION_AREAS, .flags = CURATE, .min = 1, .max = URB_MAX_ROTATIONS, .number = 1,
    .arg = "N", .title = N_ ("Rotations"), .help = N_ ("Number of angles, 90/N degrees apart") },
  { .key = "min-variance", .type = URB_SETTING_DOUBLE, .offset = FIELD (min_variance),
    .section = URB_SECTION_AREAS, .flags = CURATE, .max = 1, .number = -1,
    .source = URB_SOURCE_RUN, .usual = N_ ("0.3, grey 0.12"), .arg = "V",
    .title = N_ ("Least variance"), .help = N_ ("Reject areas of lower variance, 0 to 1") },
  { .key = "min-coverage", .type = URB_SETTING_DOUBLE, .offset = FIELD (min_coverage),
    .section = URB_SECTION_AREAS, .flags = CURATE, .max = 1, .number = 0.99, .arg = "SHARE",
    .title = N_ ("Least coverage"), .help = N_ ("Reject areas of which the map covers less") },
  /* Half of the areas 125 m apart overlap by one half, which is allowed; rotations of one place
   * overlap by 83 % and more, which is not. */
  { .key = "max-overlap", .type = URB_SETTING_DOUBLE, .offset = FIELD (max_overlap),
    .section = URB_SECTION_AREAS, .flags = CURATE, .max = 1, .number = 0.5, .arg = "SHARE",
    .title = N_ ("Largest overlap"),
    .help = N_ ("Share of its area that two chosen areas may have in common") },
  { .key = "top", .type = URB_SETTING_INT64, .offset = FIELD (top), .section = URB_SECTION_AREAS,
    .flags = CURATE, .max = G_MAXDOUBLE, .usual = N_ ("all areas"), .arg = "N",
    .title = N_ ("Number of areas"), .help = N_ ("Take only the N areas of highest variance") },
  { .key = "encoding", .type = URB_SETTING_ENUM, .offset = FIELD (encoding),
    .section = URB_SECTION_TILES, .flags = CURATE, .choices = encodings,
    .number = URB_ENCODING_RGB, .arg = "NAME", .title = N_ ("Encoding"), .help = N_ ("rgb or grey"),
    .details = N_ ("`rgb`: three channels, building, road and other.  `grey`: one channel.") },
  { .key = "soft", .type = URB_SETTING_BOOLEAN, .offset = FIELD (soft),
    .section = URB_SECTION_TILES, .flags = CURATE, .title = N_ ("Soft edges"),
    .help = N_ ("Store how much of each pixel a class covers, in 16 levels"),
    .details = N_ ("Stores 16 levels of coverage rather than one class per pixel.") },
  { .key = "resolution", .type = URB_SETTING_INT, .offset = FIELD (resolution_px),
    .section = URB_SECTION_TILES, .flags = CURATE, .min = URB_TILE_MIN_PX, .max = URB_TILE_MAX_PX,
    .number = 256, .unit = N_ ("pixels"), .arg = "PIXELS", .title = N_ ("Resolution"),
    .help = N_ ("Pixels along the edge of a tile") },
  { .key = "test-share", .type = URB_SETTING_DOUBLE, .offset = FIELD (test_share),
    .section = URB_SECTION_AREAS, .flags = CURATE, .max = 0.9, .number = 0.15, .arg = "SHARE",
    .title = N_ ("Share for testing"), .help = N_ ("Share of the areas held out for testing") },
  { .key = "validation-share", .type = URB_SETTING_DOUBLE, .offset = FIELD (validation_share),
    .section = URB_SECTION_AREAS, .flags = CURATE, .max = 0.9, .number = 0.1, .arg = "SHARE",
    .title = N_ ("Share for validation"),
    .help = N_ ("Share of the areas that score a run while it trains"),
    .details = N_ ("Share of the areas that the training does not see and by which it is scored; a "
                   "small map has none.  The places for testing do not depend on it.") },
  { .key = "seed", .type = URB_SETTING_UINT64, .offset = FIELD (seed),
    .section = URB_SECTION_AREAS, .flags = CURATE, .max = G_MAXDOUBLE, .number = 1, .arg = "N",
    .title = N_ ("Seed of the split"), .help = N_ ("Seed that chooses the places for testing") },
  /* On the command line two switches. */
  { .key = "fill-uncovered", .type = URB_SETTING_ENUM, .offset = FIELD (fill),
    .section = URB_SECTION_AREAS, .choices = fills, .number = URB_FILL_AUTO,
    .title = N_ ("Uncovered ground"), .help = N_ ("Count ground between objects as 'other'") },
  { .key = "threads", .type = URB_SETTING_INT, .offset = FIELD (n_threads),
    .section = URB_SECTION_HARDWARE, .flags = CURATE, .max = 4096, .source = URB_SOURCE_MACHINE,
    .usual = N_ ("one per processor"), .arg = "N", .title = N_ ("Processor threads"),
    .help = N_ ("Processor threads") },
};

const UrbSettingTable urb_curate_settings = {
  .rows = rows,
  .n_rows = G_N_ELEMENTS (rows),
  .error_domain = urb_dataset_error_quark,
  .error_code = URB_DATASET_ERROR_OPTIONS,
};

void
urb_curate_options_init (UrbCurateOptions *options)
{
  *options = (UrbCurateOptions) { 0 };
  urb_settings_reset (&urb_curate_settings, options);
}

UrbRankOptions
urb_curate_get_rank_options (const UrbCurateOptions *options)
{
  return (UrbRankOptions) { .max_overlap = options->max_overlap, .test_share = options->test_share,
                            .validation_share = options->validation_share, .seed = options->seed,
                            .top = options->top };
}

gboolean
urb_curate_check_rank_options (const UrbRankOptions *options, GError **error)
{
  static const char *const keys[] = { "max-overlap", "test-share", "validation-share", "top" };
  const UrbCurateOptions all = { .max_overlap = options->max_overlap,
                                 .test_share = options->test_share,
                                 .validation_share = options->validation_share, .top = options->top };

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    if (!urb_setting_check (&urb_curate_settings, urb_settings_find (&urb_curate_settings, keys[i]),
                            &all, error))
      return FALSE;
  return TRUE;
}
