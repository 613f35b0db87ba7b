/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts-window.h - a dialog with the hosts on which ranks may run: their slots, and a test of the connection
 * that tells what each has.
 *
 * The list is saved when the dialog is closed, if it was changed: a file that was written by hand may say more.
 */
#pragma once

#include <adwaita.h>

#include "settings/run-config.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_HOSTS_WINDOW (urbarium_hosts_window_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumHostsWindow, urbarium_hosts_window, URBARIUM, HOSTS_WINDOW, AdwWindow)

/* Signal "done": the dialog was closed, and the list is saved if it was changed.  Not emitted if the user gives up
 * what cannot be saved. */

/**
 * urbarium_hosts_window_new:
 * @file: the hosts file that the dialog shows and changes
 * @config: the hosts are used if it names @file; its dataset, if any, is looked for on every host
 */
UrbariumHostsWindow *urbarium_hosts_window_new (const char *file, const UrbRunConfig *config);

/* Writes the hosts file, if it shall be used, and whether hosts get the dataset. */
void urbarium_hosts_window_apply (UrbariumHostsWindow *self, UrbRunConfig *config);

G_END_DECLS
