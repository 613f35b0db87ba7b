/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event-file.h - writes a file of events as TensorBoard reads them.
 *
 * An event has a time, a step and values with names ("tags").  It is built between begin and end, kept in
 * memory, and written by urb_event_file_flush().
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _UrbEventFile UrbEventFile;

/* The bytes of a record of the file: length and bytes, each with its checksum.  Appended to @out. */
void          urb_event_file_frame (const guint8 *bytes, gsize n, GByteArray *out);

/* @path: made anew.  @time: seconds since 1970 */
UrbEventFile *urb_event_file_new   (const char *path, double time, GError **error);
/* What was not flushed is lost. */
void          urb_event_file_free  (UrbEventFile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbEventFile, urb_event_file_free)

/* Begins anew at @step: readers forget what they have read of it and of later steps. */
void          urb_event_file_restart    (UrbEventFile *self, double time, gint64 step);

void          urb_event_file_begin      (UrbEventFile *self, double time, gint64 step);
/* With the digits of a float. */
void          urb_event_file_add_scalar (UrbEventFile *self, const char *tag, double value);
/* @png: a file of @n bytes */
void          urb_event_file_add_image  (UrbEventFile *self, const char *tag, int width, int height, const guint8 *png,
                                         gsize n);
/* @text: Markdown */
void          urb_event_file_add_text   (UrbEventFile *self, const char *tag, const char *text);
/* @n_bins equal bins from @min to @max, with the number of values in each */
void          urb_event_file_add_histogram (UrbEventFile *self, const char *tag, double min, double max,
                                            const gint64 *counts, int n_bins);
void          urb_event_file_end        (UrbEventFile *self);

/* Settings of a run, for the tab HParams: begins and ends an event of its own. */
void          urb_event_file_begin_settings (UrbEventFile *self, double time);
void          urb_event_file_add_number     (UrbEventFile *self, const char *name, double value);
void          urb_event_file_add_switch     (UrbEventFile *self, const char *name, gboolean value);
void          urb_event_file_add_word       (UrbEventFile *self, const char *name, const char *value);
void          urb_event_file_end_settings   (UrbEventFile *self);
/* How the run whose settings these are has ended. */
void          urb_event_file_add_outcome    (UrbEventFile *self, double time, gboolean success);

gboolean      urb_event_file_flush (UrbEventFile *self, GError **error);

G_END_DECLS
