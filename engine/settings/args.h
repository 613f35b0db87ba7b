/* SPDX-License-Identifier: Apache-2.0 */
/*
 * args.h - settings as options of a command line.
 */
#pragma once

#include "settings/setting.h"
#include "settings/strategy.h"

G_BEGIN_DECLS

typedef struct _UrbSettingArgs UrbSettingArgs;

/* The settings of @table with the flag @command. */
UrbSettingArgs *urb_setting_args_new  (const UrbSettingTable *table, UrbSettingFlags command);
void            urb_setting_args_free (UrbSettingArgs *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbSettingArgs, urb_setting_args_free)

/* Adds the options that fill @self, which must outlive @options. */
void            urb_setting_args_add (UrbSettingArgs *self, GOptionContext *options);

/* Whether @row can be given, and whether it was. */
gboolean        urb_setting_args_has   (const UrbSettingArgs *self, const UrbSetting *row);
gboolean        urb_setting_args_given (const UrbSettingArgs *self, const char *key);
/* (nullable): the value as text; "true" or "false" for switches */
const char     *urb_setting_args_get   (const UrbSettingArgs *self, const char *key);

/* Sets the field of @key, if it was given, and checks its range.  Fails with the table's error. */
gboolean        urb_setting_args_apply_one (const UrbSettingArgs *self, const char *key,
                                            gpointer fields, GError **error);
/* All of them. */
gboolean        urb_setting_args_apply     (const UrbSettingArgs *self, gpointer fields,
                                            GError **error);

/* @text: help or details of @row: "%s" in it becomes the names to choose from under @command.
 * (transfer full) */
char           *urb_setting_fill_in (const UrbSetting *row, UrbSettingFlags command, const char *text);

G_END_DECLS
