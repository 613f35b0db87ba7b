/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile-private.h - a parsed class profile.
 *
 * docs/profiles.md explains the file.  Names and values are compared in their
 * plain form (see urb_plain_text()), so that "Gebäude", "Gebaeude" and "GEBAEUDE"
 * are equal.
 */
#pragma once

#include "map/map.h"
#include "map/profile.h"

G_BEGIN_DECLS

/* A rule may say this instead of a class: the next rule decides. */
#define URB_CLASS_NEXT ((UrbClass) (URB_CLASS_IGNORE + 1))

/* Lower case, umlauts spelled out, other accents dropped, and anything but letters
 * and digits replaced by underscores; with @is_pattern, '*' and '?' stay.  Text
 * that is not UTF-8 is read as Latin-1.  (transfer full) */
char *urb_plain_text (const char *text, gboolean is_pattern);

/* A value table: a class or number by exact value or by pattern. */
typedef struct
{
  GHashTable *exact;    /* owned; of char * to double * */
  GPtrArray  *patterns; /* owned; of char *, in file order */
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
  char           *name;       /* owned; its group, for messages */
  char          **layers;     /* owned; patterns for the layer's or file's name */
  char          **drivers;    /* (nullable) owned; GDAL's short names */
  char          **needs;      /* (nullable) owned; required fields */
  char          **attributes; /* (nullable) owned; the first that exists is read */
  UrbTable       *values;     /* (nullable) borrowed */
  UrbClass        class_;     /* of all objects, if there are no attributes */
  UrbClass        null;       /* of objects without a value; may be NEXT */
  UrbClass        unknown;    /* of values not in the table; may be NEXT */
  UrbGeometryKind geometry;
  gboolean        closed_lines_are_areas;
  gboolean        is_common;  /* its names and values occur in other maps, too: they prove nothing */
  double          width_m;    /* default width of lines */
  char          **width_attributes; /* (nullable) owned; meters */
  char           *widths_attribute; /* (nullable) owned; looked up in widths */
  UrbTable       *widths;     /* (nullable) borrowed */
  GPtrArray      *drop;       /* owned; of UrbCondition: any of them drops the object */
  char          **label;      /* (nullable) owned; the two coordinate fields of an area's label
                                 point if its outline is in another table (INTERLIS 1) */
  char           *outlines;   /* (nullable) owned; suffix of that table's name */
} UrbRule;

/* Coordinates in this box are assumed to have this CRS where none is stated. */
typedef struct
{
  char  *crs; /* owned */
  UrbBox box;
} UrbCrsGuess;

struct _UrbProfile
{
  char       *name, *title;  /* owned */
  char       *licence;       /* (nullable) owned; of all maps that it fits */
  UrbClass    unmatched;     /* of layers without a rule */
  GPtrArray  *rules;         /* owned; of UrbRule, in file order */
  GPtrArray  *guesses;       /* owned; of UrbCrsGuess */
  gboolean    has_country;
  UrbBox      country;       /* degrees; its data lies in this box only */
  GHashTable *tables;        /* owned; of group name to UrbTable */
};

G_END_DECLS
