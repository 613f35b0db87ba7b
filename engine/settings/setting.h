/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setting.h - a setting as a row of a table, and what follows from the row:
 * defaults, copies, parsing, ranges, key files, command-line options.
 *
 * A table describes the fields of one struct.  A new setting is a field, a row
 * and the code that uses it; nothing else lists settings one by one.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* The type of the field that a setting is stored in. */
typedef enum
{
  URB_SETTING_TEXT,    /* char *, owned, nullable; one of @choices if there are any */
  URB_SETTING_FILE,    /* char *, owned, nullable: a path */
  URB_SETTING_ENUM,    /* int-sized enum: an index into @choices; −1 may stand for "not set" */
  URB_SETTING_BOOLEAN, /* gboolean */
  URB_SETTING_INT,     /* int */
  URB_SETTING_INT64,   /* gint64 */
  URB_SETTING_UINT64,  /* guint64 */
  URB_SETTING_DOUBLE   /* double */
} UrbSettingType;

/* Where the value comes from if it was not set. */
typedef enum
{
  URB_SOURCE_CONSTANT, /* the default in the table */
  URB_SOURCE_PRESET,
  URB_SOURCE_RECIPE,
  URB_SOURCE_DATASET,
  URB_SOURCE_RUN,      /* another setting of the same run */
  URB_SOURCE_MACHINE
} UrbSettingSource;

/* How the window groups settings. */
typedef enum
{
  URB_SECTION_TRAINING,
  URB_SECTION_SCHEDULES,
  URB_SECTION_STRATEGY,
  URB_SECTION_HARDWARE,
  URB_SECTION_CHECKPOINTS,
  URB_SECTION_REPORTS,
  URB_SECTION_AREAS,
  URB_SECTION_TILES,
  URB_N_SECTIONS
} UrbSettingSection;

/* The commands that take it as an option, and what else may be done with it. */
typedef enum
{
  URB_SETTING_TRAIN  = 1 << 0,
  URB_SETTING_RESUME = 1 << 1, /* it may change when a run is resumed */
  URB_SETTING_BENCH  = 1 << 2,
  URB_SETTING_PLAN   = 1 << 3,
  URB_SETTING_CURATE = 1 << 4,
  URB_SETTING_SWEEP  = 1 << 5, /* train --several may vary it */
  URB_SETTING_SECRET = 1 << 6  /* its value may hold a password: only run.ini and run.db have it */
} UrbSettingFlags;

typedef struct
{
  const char       *key;     /* name of the option and of the key in files: "lr-final" */
  const char       *stored;  /* (nullable) name in key files, where that differs */
  const char       *group;   /* (nullable) group in key files; NULL: not stored there */
  UrbSettingType    type;
  gsize             offset;  /* of the field, bytes */
  UrbSettingSection section;
  guint             flags;   /* UrbSettingFlags */
  guint             strategies; /* bits 1 << UrbStrategy: those that know it; 0: all */

  double            min, max; /* inclusive; numbers only.  @max == @min: no bound */
  gboolean          above_min; /* @min is excluded, as it stands for "not set" */
  const char *const *choices; /* (nullable) NULL-terminated; of texts, enums and integers */
  double            number;   /* default of numbers, booleans and enums; it stands for "not
                               * set" where @source is not URB_SOURCE_CONSTANT */
  const char       *text;     /* (nullable) default of texts */
  UrbSettingSource  source;
  const char       *usual;    /* (nullable) the default in words, where @source does not say it */

  const char       *option;   /* (nullable) option, where it is not the key: "no-sync-batch-norm" */
  const char       *alias;    /* (nullable) former name of the option, hidden from help */
  char              letter;   /* short option; 0: none */
  const char       *unit;     /* (nullable) "steps", "MiB" */
  const char       *arg;      /* (nullable) placeholder of the value in help: "N" */
  const char       *title;    /* for the window, translatable */
  const char       *help;     /* one line, translatable; see urb_setting_fill_in() for %s */
  const char       *details;  /* (nullable) sentences for manual pages and tooltips, translatable.
                               * Words in backquotes are literal */
  const char       *effect;  /* (nullable) for the window, translatable, in place of @details: what a
                              * switch does while it is on, where @help says what its option, which
                              * turns it off, does; no word of options or of runs that are resumed */
} UrbSetting;

/* The fields of one struct. */
typedef struct
{
  const UrbSetting *rows;
  guint             n_rows;
  GQuark          (*error_domain) (void); /* of values out of range or unknown */
  int               error_code;
} UrbSettingTable;

/* Lower case, for programs: "preset", "training". */
const char *urb_setting_source_get_name (UrbSettingSource source);
const char *urb_setting_section_get_name (UrbSettingSection section);
/* For people, translatable: "Training". */
const char *urb_setting_section_get_title (UrbSettingSection section);

/* (nullable): NULL if there is no such key */
const UrbSetting *urb_settings_find (const UrbSettingTable *table, const char *key);

/* Whether the field holds text rather than a number. */
gboolean urb_setting_is_text (const UrbSetting *self);
/* Numbers, booleans and enums as a double, texts only through get_text().
 * @fields: the struct that the table describes */
double   urb_setting_get_number (const UrbSetting *self, gconstpointer fields);
void     urb_setting_set_number (const UrbSetting *self, gpointer fields, double value);
/* As files and options write it.  Returns: (transfer full) (nullable): NULL for no text, and for an enum that
 * is not set */
char    *urb_setting_dup_text   (const UrbSetting *self, gconstpointer fields);
/* Whether the field differs from its default. */
gboolean urb_setting_is_set     (const UrbSetting *self, gconstpointer fields);
/* The default in words: "16", "the preset's", "none". (transfer full) */
char    *urb_setting_dup_default (const UrbSetting *self);
/* What the range allows: "from 1 to 4096", "above 0 and at most 1", "at least 0"; "" for any value.
 * (transfer full) */
char    *urb_setting_dup_range (const UrbSetting *self);
/* "fp32, tf32 or bf16". (transfer full) */
char    *urb_setting_join_choices (const UrbSetting *self);
/* The name of its command-line option, without dashes. */
const char *urb_setting_get_option (const UrbSetting *self);
/* (nullable): its key in files; NULL if it is not stored */
const char *urb_setting_get_stored_key (const UrbSetting *self);
/* Its name in messages about a file: "[train] batch"; "--count" if it is only an option. (transfer full) */
char    *urb_setting_dup_stored_name (const UrbSetting *self);

/* Sets the field to its default.  It must hold a valid value, or zeros. */
void urb_setting_reset  (const UrbSetting *self, gpointer fields);
void urb_settings_reset (const UrbSettingTable *table, gpointer fields);
/* Frees texts and sets them to NULL. */
void urb_settings_clear (const UrbSettingTable *table, gpointer fields);
/* Replaces the setting, or all settings, of @to, which holds valid ones, or zeros. */
void urb_setting_copy   (const UrbSetting *self, gpointer to, gconstpointer from);
void urb_settings_copy  (const UrbSettingTable *table, gpointer to, gconstpointer from);

/**
 * urb_setting_set_text:
 * @text: as urb_setting_dup_text() writes it
 *
 * Parses @text into the field.  Ranges are not checked here: see
 * urb_setting_check_given().
 *
 * Returns: %FALSE with the table's error if @text is no value of this type; the
 *   field is unchanged then.  The caller puts the setting's name, as its user knows it, before the
 *   message: "needs a number, not “x”."
 */
gboolean urb_setting_set_text (const UrbSettingTable *table, const UrbSetting *self,
                               gpointer fields, const char *text, GError **error);

/* Whether the value is finite, in its range and one of the choices; "not set" is fine.
 * Fails with the table's error: "[train] lr-final must be above 0 and at most 1, and is 3." */
gboolean urb_setting_check  (const UrbSettingTable *table, const UrbSetting *self,
                             gconstpointer fields, GError **error);
/* The same for a value that somebody typed, who may not type what stands for "not set" unless it is
 * in the range.  The caller puts the setting's name before the message: "must be above 0 and at most
 * 1, and is 3." */
gboolean urb_setting_check_given (const UrbSettingTable *table, const UrbSetting *self,
                                  gconstpointer fields, GError **error);
/* Sets and checks a value that somebody typed; messages begin with the option: "--batch must be …". */
gboolean urb_setting_set_option (const UrbSettingTable *table, const UrbSetting *self,
                                 gpointer fields, const char *text, GError **error);
gboolean urb_settings_check (const UrbSettingTable *table, gconstpointer fields, GError **error);

/* Every row whose group is @group, or every row with a group if that is NULL. */
void     urb_settings_to_key_file   (const UrbSettingTable *table, gconstpointer fields,
                                     const char *group, GKeyFile *file);
/* Keys that are not in @file leave their field as it is. */
gboolean urb_settings_from_key_file (const UrbSettingTable *table, gpointer fields,
                                     const char *group, GKeyFile *file, GError **error);

G_END_DECLS
