/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.h - writes an HTML page that needs nothing beside itself.
 *
 * Markup comes from format strings of this program alone; whatever is inserted is escaped.  So there is
 * no way to add text of a user or a file as markup.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* @title: of the window; any bytes
 * @style: a style sheet of this program
 * Returns: (transfer full): with its body open */
GString *urb_page_new (const char *title, const char *style);
/* Appends @format; text that it inserts is escaped, and must be UTF-8. */
void     urb_page_add (GString *page, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Begins a chapter with a heading; any text. */
void     urb_page_begin_section (GString *page, const char *heading);
/* Appends a paragraph; whatever @format says is text. */
void     urb_page_add_paragraph (GString *page, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Appends "data:image/png;base64,…", for the attribute of an image. */
void     urb_page_add_png (GString *page, const guint8 *png, gsize n_bytes);
void     urb_page_end (GString *page);

/* For people, in their language.  (transfer full) */
char    *urb_page_dup_count    (gint64 count);        /* "1,234,567" */
char    *urb_page_dup_value    (double value);        /* three digits: "0.00123", "12,300", "–" */
char    *urb_page_dup_point    (const char *number);  /* @number, which printf() wrote, with the decimal point of the language */
char    *urb_page_dup_duration (double seconds);      /* "45 s", "3 min", "2 h 5 min", "3 d 4 h" */
char    *urb_page_dup_time     (double seconds);      /* since 1970: "27 November 2026, 09:41" */

G_END_DECLS
