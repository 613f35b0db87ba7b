/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-writer-private.h - the interface of a file format.
 */
#pragma once

#include "city/output-file.h"
#include "city/city-writer.h"

G_BEGIN_DECLS

typedef struct _UrbCityFormat UrbCityFormat;

struct _UrbCityWriter
{
  const UrbCityFormat *format;
  UrbCityLayout        layout;
  char                *path; /* owned */
  UrbOutputFile       *file; /* owned */
  gint64               n_written;
  gpointer             data; /* owned by the format */
};

/* The attributes of a city. */
typedef struct
{
  gint64  number;
  guint64 seed;
} UrbCityLabel;

struct _UrbCityFormat
{
  const char *suffix;
  gboolean  (*begin)  (UrbCityWriter *self, GError **error);
  gboolean  (*add)    (UrbCityWriter *self, const UrbCityVectors *vectors,
                       const UrbCityLabel *label, GError **error); /* vectors: in the layout's coordinates */
  gboolean  (*finish) (UrbCityWriter *self, GError **error); /* before the file is committed */
  void      (*clear)  (UrbCityWriter *self);                 /* (optional) frees data */
};

extern const UrbCityFormat urb_city_format_cityjson;
extern const UrbCityFormat urb_city_format_dxf;
extern const UrbCityFormat urb_city_format_geojson;
extern const UrbCityFormat urb_city_format_gpkg; /* begin() fails without GDAL */
extern const UrbCityFormat urb_city_format_svg;

/* Holds all cities, in the layout's coordinates. */
UrbBox urb_city_layout_get_box (const UrbCityLayout *layout);

/* In quotes. */
void urb_city_writer_put_json_string (FILE *out, const char *text);

/* With a decimal point in every language.  @format: "%.2f" */
void urb_city_writer_put_decimal (FILE *out, const char *format, double value);

/* %FALSE, with the system's error message, if a write failed. */
gboolean urb_city_writer_check_stream (UrbCityWriter *self, GError **error);

G_END_DECLS
