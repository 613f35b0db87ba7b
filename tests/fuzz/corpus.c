/* SPDX-License-Identifier: Apache-2.0 */
/*
 * corpus.c - reads and writes stored inputs: see corpus.h.
 */
#include "corpus.h"

#include <string.h>

#include <gio/gio.h>

#include "fuzz.h"

static GBytes *
convert (GConverter *converter, gconstpointer data, gsize size)
{
  g_autoptr(GInputStream) plain = g_memory_input_stream_new_from_data (data, (gssize) size, NULL);
  g_autoptr(GInputStream) stream = g_converter_input_stream_new (plain, converter);
  g_autoptr(GOutputStream) result = g_memory_output_stream_new_resizable ();
  g_autoptr(GError) error = NULL;
  g_output_stream_splice (result, stream, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, NULL, &error);
  g_assert_no_error (error);
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (result));
}

static void
add_packed (GPtrArray *inputs, const char *base64)
{
  g_autoptr(GZlibDecompressor) unpack = g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB);
  gsize size;
  g_autofree guchar *packed = g_base64_decode (base64, &size);
  g_ptr_array_add (inputs, convert (G_CONVERTER (unpack), packed, size));
}

static char *
format_packed (const guint8 *data, gsize size)
{
  g_autoptr(GZlibCompressor) pack = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, 9);
  g_autoptr(GBytes) packed = convert (G_CONVERTER (pack), data, size);
  g_autofree char *base64
    = g_base64_encode (g_bytes_get_data (packed, NULL), g_bytes_get_size (packed));
  return g_strconcat ("=", base64, NULL);
}

/* @text: starts after the opening quote */
static void
add_text (GPtrArray *inputs, const char *text)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new ();
  for (; *text != '"'; text++)
    {
      guint8 byte = (guint8) *text;
      g_assert (*text != '\0');
      if (*text == '\\' && *++text == 'x')
        {
          byte = (guint8) (g_ascii_xdigit_value (text[1]) << 4 | g_ascii_xdigit_value (text[2]));
          text += 2;
        }
      else if (text[-1] == '\\')
        byte = *text == 'n' ? '\n' : (guint8) *text;
      g_byte_array_append (bytes, &byte, 1);
    }
  fuzz_add_input (inputs, bytes->data, bytes->len);
}

static char *
format_text (const guint8 *data, gsize size)
{
  GString *line = g_string_new ("\"");
  for (gsize i = 0; i < size; i++)
    if (data[i] == '\n')
      g_string_append (line, "\\n");
    else if (data[i] == '"' || data[i] == '\\')
      g_string_append_printf (line, "\\%c", data[i]);
    else if (g_ascii_isprint ((char) data[i]))
      g_string_append_c (line, (char) data[i]);
    else
      g_string_append_printf (line, "\\x%02x", data[i]);
  g_string_append_c (line, '"');
  return g_string_free (line, FALSE);
}

/* The shorter encoding; text may be up to half as long again, because it is readable. */
char *
fuzz_corpus_format (const guint8 *data, gsize size)
{
  g_autofree char *text = format_text (data, size);
  g_autofree char *packed = format_packed (data, size);
  return strlen (text) <= strlen (packed) * 3 / 2 || size < 32 ? g_steal_pointer (&text)
                                                               : g_steal_pointer (&packed);
}

void
fuzz_corpus_load (GPtrArray *inputs, const char *path)
{
  g_autofree char *text = NULL;
  g_auto(GStrv) lines = NULL;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return;
  lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    if (**line == '=')
      add_packed (inputs, *line + 1);
    else if (**line == '"')
      add_text (inputs, *line + 1);
    else
      g_assert (**line == '\0' || **line == '#');
}
