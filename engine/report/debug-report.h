/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug-report.h - one archive for who looks into a problem.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * urb_debug_report_new:
 * @run: (nullable): the folder of a run, which may be damaged
 * @devices: what `urbarium-engine devices --json` printed, or why it did not
 *
 * Versions and devices; of a run its settings, state, events, and the end of its log.  No map, tile, image or network is
 * in it, and all texts have passed urb_hider_hide().  What cannot be read is told in its place.
 *
 * Returns: (transfer full): a file .tar.gz; %NULL with an error if @run is no folder
 */
GBytes *urb_debug_report_new (const char *run, const char *devices, GError **error);

G_END_DECLS
