/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hide.h - hides who somebody is, where their files are, and their secrets in what is given to others.
 */
#pragma once

#include "settings/run-config.h"

G_BEGIN_DECLS

typedef struct _UrbHider UrbHider;

/**
 * urb_hider_new:
 * @config: (nullable): of a run: the values of its secret settings, and the folders of its files, are hidden wherever
 *   they are
 * @run: (nullable): the run's folder
 */
UrbHider *urb_hider_new  (const UrbRunConfig *config, const char *run);
void      urb_hider_free (UrbHider *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbHider, urb_hider_free)

/**
 * urb_hider_hide:
 * @text: any bytes
 *
 * Replaces
 *  - secrets of the configuration, and what follows words like "password=", by "(hidden)";
 *  - addresses by their scheme, "https://(hidden)", and connections to PostGIS by "PG:(hidden)";
 *  - the home folder by "~", the user's name by "USER", and the folders of any other absolute path by "…/".
 *
 * Returns: (transfer full): UTF-8
 */
char     *urb_hider_hide (UrbHider *self, const char *text);

G_END_DECLS
