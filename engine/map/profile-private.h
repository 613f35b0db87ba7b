/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile-private.h - what a class profile says, once parsed.
 *
 * docs/profiles.md explains the file; here are its tables.  Names and values
 * are compared in their plain form (see urb_plain_text()), so that "Gebäude",
 * "Gebaeude" and "GEBAEUDE" are one.
 */
#pragma once

#include "map/map.h"
#include "map/profile.h"

G_BEGIN_DECLS

/* What a rule may say instead of a class: let the next rule decide. */
#define URB_CLASS_NEXT ((UrbClass) (URB_CLASS_IGNORE + 1))

/* Lower case, umlauts spelt out, other accents dropped, and whatever is not a
 * letter or a digit an underscore; with @is_pattern, '*' and '?' stay.  Text
 * that is not UTF-8 is read as Latin-1.  (transfer full) */
char    *urb_plain_text (const char *text, gboolean is_pattern);
/* Both in plain form; '*' is any text, '?' any character.  Time is at most the
 * product of the two lengths, whatever the pattern. */
gboolean urb_glob_match (const char *pattern, const char *text);

/* A value table: class or number by exact value or by pattern. */
typedef struct
{
  GHashTable *exact;    /* owned; of char * to double * */
  GPtrArray  *patterns; /* owned; of char *, in the order of the file */
  GArray     *pattern_numbers; /* owned; of double */
} UrbTable;

/* FALSE if @plain_value is not in the table. */
gboolean urb_table_lookup (const UrbTable *self, const char *plain_value, double *number);

typedef enum
{
  URB_CONDITION_SET,
  URB_CONDITION_NOT_SET,
  URB_CONDITION_EQUAL,
  URB_CONDITION_LESS,
  URB_CONDITION_GREATER
} UrbConditionKind;

typedef struct
{
  UrbConditionKind kind;
  char            *field;  /* owned */
  char           **values; /* owned; patterns, for EQUAL */
  double           number; /* for LESS and GREATER */
} UrbCondition;

typedef enum
{
  URB_GEOMETRY_AREA = 1 << 0,
  URB_GEOMETRY_LINE = 1 << 1,
  URB_GEOMETRY_ANY = 3
} UrbGeometryKind;

typedef struct
{
  char           *name;       /* owned; of its group, for messages */
  char          **layers;     /* owned; patterns for the layer's name or the file's */
  char          **drivers;    /* (nullable) owned; GDAL's short names */
  char          **needs;      /* (nullable) owned; fields that must be there */
  char          **attributes; /* (nullable) owned; the first that is there is read */
  UrbTable       *values;     /* (nullable) borrowed */
  UrbClass        class_;     /* of all, if there is no attribute */
  UrbClass        null;       /* of objects without a value; may be NEXT */
  UrbClass        unknown;    /* of values that are not in the table; may be NEXT */
  UrbGeometryKind geometry;
  gboolean        closed_lines_are_areas;
  double          width_m;    /* of lines whose width nothing else tells */
  char          **width_attributes; /* (nullable) owned; metres */
  char           *widths_attribute; /* (nullable) owned; looked up in widths */
  UrbTable       *widths;     /* (nullable) borrowed */
  GPtrArray      *drop;       /* owned; of UrbCondition: any of them drops the object */
  char          **label;      /* (nullable) owned; the two fields of the label point of an area
                                 whose outline is in another table (INTERLIS 1) */
  char           *outlines;   /* (nullable) owned; what that table's name has at its end */
} UrbRule;

/* Coordinates in this box are taken for this CRS where none is stated. */
typedef struct
{
  char  *crs; /* owned */
  UrbBox box;
} UrbCrsGuess;

struct _UrbProfile
{
  char       *name, *title;  /* owned */
  UrbClass    unmatched;     /* of layers that no rule is for */
  GPtrArray  *rules;         /* owned; of UrbRule, in the order of the file */
  GPtrArray  *guesses;       /* owned; of UrbCrsGuess */
  GHashTable *tables;        /* owned; of group name to UrbTable */
};

G_END_DECLS
