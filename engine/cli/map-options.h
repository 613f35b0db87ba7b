/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-options.h - how maps are read: the options shared by `inspect` and `curate`.
 */
#pragma once

#include "map/map.h"

G_BEGIN_DECLS

typedef struct
{
  char   *profile, *crs, *clip;      /* (nullable) owned */
  double  road_width_m;
  char  **layer_profiles, **layer_crs; /* (nullable) owned; "LAYER=…" each */
  int     patience_s;
  char  **shown;                     /* (nullable) owned; the address without its password */
  GArray *layers;                    /* (nullable) owned; of UrbMapLayerOptions, which own their texts */
  guint   n_given;                   /* of these, the first ones, which must be in the map */
} UrbCliMapOptions;

void     urb_cli_map_options_clear (UrbCliMapOptions *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbCliMapOptions, urb_cli_map_options_clear)

/* Adds the options that set @self. */
void     urb_cli_map_options_add (UrbCliMapOptions *self, GOptionContext *options);

/* @sources: (inout): files, or the address of a server, which becomes one without its password
 * @options: (out): borrows from @self and @sources.
 * Returns: FALSE after printing why; return URB_EXIT_USAGE then */
gboolean urb_cli_map_options_apply (UrbCliMapOptions *self, const char *const **sources, UrbMapOptions *options);

/* What the command line does not choose is as in @earlier, which @dataset tells; a width of roads that cannot be is left
 * out.  Fails if a profile is a file that is not there, or if coordinate systems were chosen for single ones of other than
 * so many @sources.
 * @options: (inout): borrows from @self and @earlier */
gboolean urb_cli_map_options_follow (UrbCliMapOptions *self, const UrbMapOptions *earlier, const char *dataset,
                                     const char *const *sources, UrbMapOptions *options, GError **error);

/* urb_map_open() with @options and the program's progress; an error, too, if an option is for a layer that was
 * not read, since its name would be wrong. */
UrbMap  *urb_cli_map_options_open (const UrbCliMapOptions *self, const UrbMapOptions *options, const char *const *paths,
                                   GError **error);

G_END_DECLS
