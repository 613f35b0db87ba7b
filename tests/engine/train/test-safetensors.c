/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-safetensors.c - the checkpoint's container: written and read back, with
 * flipped bits, truncated, forged, and with the writer killed.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "base/atomic-file.h"
#include "flat-folder.h"
#include "train/safetensors.h"

typedef struct
{
  char *folder; /* owned */
  char *path;   /* owned */
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  f->folder = g_dir_make_tmp ("urbarium-safetensors-XXXXXX", NULL);
  f->path = g_build_filename (f->folder, "a.safetensors", NULL);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_unlink (f->path);
  g_assert_cmpint (flat_folder_count (f->folder), ==, 0);
  g_assert_cmpint (g_rmdir (f->folder), ==, 0);
  g_free (f->path);
  g_free (f->folder);
}

static const float weights[] = { 1, -2, 3.5f, 0, 5, -0.25f };
static const float bias[] = { 7, 8, 9 };
static const double moment[] = { 1e-300, -2.5 };

static const UrbTensor sample_tensors[] = {
  { .name = "g.0.weight", .type = URB_TENSOR_F32, .n_dims = 2, .shape = { 2, 3 }, .data = weights },
  { .name = "g.0.bias \"ä\"\n", .type = URB_TENSOR_F32, .n_dims = 1, .shape = { 3 }, .data = bias },
  { .name = "sum", .type = URB_TENSOR_F64, .n_dims = 1, .shape = { 2 }, .data = moment },
  { .name = "nothing", .type = URB_TENSOR_F32, .n_dims = 2, .shape = { 0, 4 }, .data = weights },
  { .name = "scalar", .type = URB_TENSOR_F32, .n_dims = 0, .data = bias },
};

static void
write_sample (const char *path)
{
  g_autoptr(GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr(GError) error = NULL;
  g_hash_table_insert (metadata, (gpointer) "step", (gpointer) "120");
  g_hash_table_insert (metadata, (gpointer) "options", (gpointer) "[train]\nseed=1\t\"x\\y\"\n");
  urb_safetensors_write (path, sample_tensors, G_N_ELEMENTS (sample_tensors), metadata, &error);
  g_assert_no_error (error);
}

static void
test_round_trip (Fixture *f, gconstpointer data)
{
  g_autoptr(UrbSafetensors) file = NULL;
  g_autoptr(GError) error = NULL;
  const UrbTensor *tensor;
  write_sample (f->path);
  file = urb_safetensors_open (f->path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (urb_safetensors_get_n_tensors (file), ==, G_N_ELEMENTS (sample_tensors));
  for (gsize i = 0; i < G_N_ELEMENTS (sample_tensors); i++)
    {
      const UrbTensor *expected = &sample_tensors[i];
      gsize n = expected->type == URB_TENSOR_F64 ? 8 : 4;
      tensor = urb_safetensors_lookup (file, expected->name);
      g_assert_nonnull (tensor);
      g_assert_cmpint (tensor->type, ==, expected->type);
      g_assert_cmpint (tensor->n_dims, ==, expected->n_dims);
      for (int d = 0; d < expected->n_dims; d++)
        {
          g_assert_cmpint (tensor->shape[d], ==, expected->shape[d]);
          n *= (gsize) expected->shape[d];
        }
      g_assert_cmpmem (tensor->data, n, expected->data, n);
    }
  g_assert_null (urb_safetensors_lookup (file, "g.1.weight"));
  g_assert_cmpstr (urb_safetensors_get_metadata (file, "step"), ==, "120");
  g_assert_cmpstr (urb_safetensors_get_metadata (file, "options"), ==, "[train]\nseed=1\t\"x\\y\"\n");
  g_assert_null (urb_safetensors_get_metadata (file, "seed"));
}

/* The published format, read here without our own parser. */
static void
test_published_format (Fixture *f, gconstpointer data)
{
  g_autofree char *bytes = NULL;
  const char *start;
  guint64 length;
  gsize n;
  write_sample (f->path);
  g_assert_true (g_file_get_contents (f->path, &bytes, &n, NULL));
  memcpy (&length, bytes, 8);
  g_assert_cmpuint (length % 8, ==, 0);
  g_assert_cmpuint (8 + length + 6 * 4 + 3 * 4 + 2 * 8 + 4, ==, n);
  g_assert_true (g_str_has_prefix (bytes + 8, "{\"__metadata__\":{\"options\":"));
  start = strstr (bytes + 8, "\"g.0.weight\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[16,40]}");
  g_assert_nonnull (start);
  g_assert_cmpmem (bytes + 8 + length + 16, sizeof weights, weights, sizeof weights);
}

static void
test_replaces (Fixture *f, gconstpointer data)
{
  g_autoptr(UrbSafetensors) file = NULL;
  g_autoptr(UrbSafetensors) old = NULL;
  g_autoptr(GError) error = NULL;
  g_assert_true (g_file_set_contents (f->path, "something older", -1, NULL));
  write_sample (f->path);
  old = urb_safetensors_open (f->path, &error);
  g_assert_no_error (error);
  urb_safetensors_write (f->path, sample_tensors, 1, NULL, &error);
  g_assert_no_error (error);
  file = urb_safetensors_open (f->path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (urb_safetensors_get_n_tensors (file), ==, 1);
  /* A file mapped earlier keeps its contents. */
  g_assert_cmpmem (urb_safetensors_lookup (old, "sum")->data, 16, moment, 16);
  g_assert_cmpint (flat_folder_count (f->folder), ==, 1);
}

static void
assert_damaged (const char *path, const char *expected)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSafetensors) file = urb_safetensors_open (path, &error);
  g_assert_error (error, URB_SAFETENSORS_ERROR, URB_SAFETENSORS_ERROR_DAMAGED);
  g_assert_null (file);
  if (expected != NULL && strstr (error->message, expected) == NULL)
    g_error ("'%s' does not say '%s'", error->message, expected);
}

static void
write_raw (const char *path, guint64 length, const char *header, gsize n_data)
{
  g_autoptr(GString) bytes = g_string_new (NULL);
  g_string_append_len (bytes, (const char *) &length, 8);
  g_string_append (bytes, header);
  for (gsize i = 0; i < n_data; i++)
    g_string_append_c (bytes, (char) i);
  g_assert_true (g_file_set_contents (path, bytes->str, (gssize) bytes->len, NULL));
}

/* Every flipped bit is detected, also in the header. */
static void
test_flipped_bytes (Fixture *f, gconstpointer data)
{
  g_autofree char *bytes = NULL;
  gsize n;
  write_sample (f->path);
  g_assert_true (g_file_get_contents (f->path, &bytes, &n, NULL));
  for (gsize i = 0; i < n; i++)
    {
      bytes[i] = (char) (bytes[i] ^ (1 << (i % 8)));
      g_assert_true (g_file_set_contents (f->path, bytes, (gssize) n, NULL));
      assert_damaged (f->path, NULL);
      bytes[i] = (char) (bytes[i] ^ (1 << (i % 8)));
    }
}

static void
test_truncated (Fixture *f, gconstpointer data)
{
  g_autofree char *bytes = NULL;
  gsize n;
  write_sample (f->path);
  g_assert_true (g_file_get_contents (f->path, &bytes, &n, NULL));
  for (gsize kept = 0; kept < n; kept += 7)
    {
      g_assert_true (g_file_set_contents (f->path, bytes, (gssize) kept, NULL));
      assert_damaged (f->path, NULL);
    }
  /* One extra byte. */
  bytes = g_realloc (bytes, n + 1);
  g_assert_true (g_file_set_contents (f->path, bytes, (gssize) n + 1, NULL));
  assert_damaged (f->path, "longer");
}

static void
test_not_there (Fixture *f, gconstpointer data)
{
  const char *const paths[] = { f->path, f->folder, "/dev/zero" };
  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autoptr(GError) error = NULL;
      g_assert_null (urb_safetensors_open (paths[i], &error));
      g_assert_error (error, URB_SAFETENSORS_ERROR, URB_SAFETENSORS_ERROR_OPEN);
    }
}

typedef struct
{
  const char *header;
  gsize       n_data;
  const char *says; /* NULL: it is good */
} Forgery;

#define T(shape, offsets) "{\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static const Forgery forgeries[] = {
  { "{}", 0, NULL },
  { " {\"a\" : " T ("[2]", "[0, 8]") "}  ", 8, NULL },
  { "{\"b\":" T ("[1]", "[4,8]") ",\"a\":" T ("[1]", "[0,4]") "}", 8, NULL },
  { "{\"\\u00e4\\ud83d\\ude00\":" T ("[2]", "[0,8]") "}", 8, NULL },
  { "{\"a\":" T ("[3]", "[0,8]") "}", 8, "does not match its size" },
  { "{\"a\":" T ("[2]", "[8,0]") "}", 8, "impossible offsets" },
  { "{\"a\":" T ("[2]", "[0]") "}", 8, "impossible offsets" },
  { "{\"a\":" T ("[2]", "[0,8]") "}", 4, "ends before" },
  { "{\"a\":" T ("[2]", "[0,8]") "}", 12, "longer" },
  { "{\"a\":" T ("[2]", "[4,12]") "}", 12, "gap" },
  { "{\"a\":" T ("[2]", "[0,8]") ",\"b\":" T ("[2]", "[4,12]") "}", 12, "overlaps" },
  { "{\"a\":" T ("[2]", "[0,8]") ",\"b\":" T ("[2]", "[0,8]") "}", 8, "overlaps" },
  { "{\"a\":" T ("[2]", "[0,8]") ",\"a\":" T ("[2]", "[8,16]") "}", 16, "twice" },
  { "{\"a\":" T ("[2]", "[0,8]") ",\"\\u0061\":" T ("[2]", "[8,16]") "}", 16, "twice" },
  { "{\"a\":" T ("[4611686018427387904,4]", "[0,0]") "}", 0, "does not match its size" },
  { "{\"a\":" T ("[2147483648,2147483648,4]", "[0,0]") "}", 0, "does not match its size" },
  { "{\"a\":" T ("[18446744073709551616]", "[0,0]") "}", 0, "too large" },
  { "{\"a\":" T ("[2]", "[18446744073709551608,18446744073709551616]") "}", 8, "too large" },
  { "{\"a\":" T ("[2]", "[9223372036854775800,9223372036854775808]") "}", 8, "too large" },
  { "{\"a\":" T ("[1,1,1,1,2]", "[0,8]") "}", 8, "more than 4" },
  { "{\"a\":" T ("[-2]", "[0,8]") "}", 8, "count where one belongs" },
  { "{\"a\":" T ("[2.0]", "[0,8]") "}", 8, "JSON" },
  { "{\"a\":" T ("[02]", "[0,8]") "}", 8, "count where one belongs" },
  { "{\"a\":{\"dtype\":\"BF16\",\"shape\":[4],\"data_offsets\":[0,8]}}", 8, "BF16" },
  { "{\"a\":{\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "completely" },
  { "{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "unexpected" },
  { "{\"a\":{\"dtype\":\"F32\",\"x\":[[[[[]]]]],\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "unexpected" },
  { "{\"a\":[]}", 0, "JSON" },
  { "{\"a\":" T ("[2]", "[0,8]") "", 8, "JSON" },
  { "{\"a\":" T ("[2]", "[0,8]") ",}", 8, "JSON" },
  { "{\"a\":" T ("[2]", "[0,8]") "}{", 8, "after its end" },
  { "{\"a\\x\":" T ("[2]", "[0,8]") "}", 8, "string" },
  { "{\"a\\ud83d\":" T ("[2]", "[0,8]") "}", 8, "string" },
  { "{\"a\\u0000\":" T ("[2]", "[0,8]") "}", 8, "string" },
  { "{\"a\n\":" T ("[2]", "[0,8]") "}", 8, "string" },
  { "{\"\xff\":" T ("[2]", "[0,8]") "}", 8, "UTF-8" },
  { "{\"a", 0, "JSON" },
  { "{\"a\\", 0, "string" },
  { "{\"a\\u12", 0, "string" },
  { "", 0, "JSON" },
  { "null", 0, "JSON" },
  { "[[[[[[[[[[[[", 0, "JSON" },
  { "{\"__metadata__\":{\"k\":\"v\",\"k\":\"w\"}}", 0, "twice" },
  { "{\"__metadata__\":{\"k\":1}}", 0, "JSON" },
  { "{\"__metadata__\":{},\"__metadata__\":{}}", 0, "twice" },
  { "{\"__metadata__\":{\"k\":\"v\"}}", 0, NULL },
  { "{\"__metadata__\":{\"checksum\":\"crc32:00000000\"}}", 0, "unknown kind" },
  { "{\"__metadata__\":{\"checksum\":\"xxh3-128:00\"}}", 0, "unknown kind" },
  { "{\"__metadata__\":{\"checksum\":\"xxh3-128:00000000000000000000000000000000\"}}", 0, "does not match" },
};

static void
test_forgeries (Fixture *f, gconstpointer data)
{
  for (gsize i = 0; i < G_N_ELEMENTS (forgeries); i++)
    {
      const Forgery *forgery = &forgeries[i];
      g_autoptr(GError) error = NULL;
      g_autoptr(UrbSafetensors) file = NULL;
      g_test_message ("forgery %" G_GSIZE_FORMAT, i);
      write_raw (f->path, strlen (forgery->header), forgery->header, forgery->n_data);
      if (forgery->says != NULL)
        {
          assert_damaged (f->path, forgery->says);
          continue;
        }
      file = urb_safetensors_open (f->path, &error);
      g_assert_no_error (error);
    }
}

static void
test_header_length (Fixture *f, gconstpointer data)
{
  const guint64 lengths[] = { 3, 100, G_MAXUINT32, G_MAXINT64, G_MAXUINT64, G_MAXUINT64 - 7 };
  for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      write_raw (f->path, lengths[i], "{}", 0);
      assert_damaged (f->path, "header does not fit");
    }
}

/* Other writers may not align tensors: floats at odd addresses are copied. */
static void
test_unaligned (Fixture *f, gconstpointer data)
{
  static const char header[] = "{\"a\":" T ("[2]", "[0,8]") "} ";
  const guint8 expected[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
  for (int pad = 0; pad < 4; pad++)
    {
      g_autofree char *padded = g_strdup_printf ("%s%*s", header, pad, "");
      g_autoptr(UrbSafetensors) file = NULL;
      const UrbTensor *tensor;
      write_raw (f->path, strlen (padded), padded, 8);
      file = urb_safetensors_open (f->path, NULL);
      g_assert_nonnull (file);
      tensor = urb_safetensors_lookup (file, "a");
      g_assert_cmpuint (GPOINTER_TO_SIZE (tensor->data) % 4, ==, 0);
      g_assert_cmpmem (tensor->data, 8, expected, 8);
    }
}

static void
test_cannot_write (Fixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename (f->folder, "absent", "a.safetensors", NULL);
  g_assert_false (urb_safetensors_write (path, sample_tensors, 1, NULL, &error));
  g_assert_error (error, URB_SAFETENSORS_ERROR, URB_SAFETENSORS_ERROR_WRITE);
}

/* A killed writer leaves the old or the new file, and no other. */
static void
test_killed_writer (Fixture *f, gconstpointer data)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (7);
  write_sample (f->path);
  for (int i = 0; i < 20; i++)
    {
      g_autoptr(UrbSafetensors) file = NULL;
      g_autoptr(GError) error = NULL;
      pid_t pid = fork ();
      if (pid == 0)
        for (;;)
          write_sample (f->path);
      g_usleep ((gulong) g_rand_int_range (rand, 0, 20000));
      kill (pid, SIGKILL);
      waitpid (pid, NULL, 0);
      urb_atomic_file_sweep (f->folder);
      file = urb_safetensors_open (f->path, &error);
      g_assert_no_error (error);
      g_assert_cmpint (flat_folder_count (f->folder), ==, 1);
    }
}

static void
test_sweep (Fixture *f, gconstpointer data)
{
  g_autofree char *left = g_build_filename (f->folder, ".a.safetensors.4711.tmp", NULL);
  write_sample (f->path);
  g_assert_true (g_file_set_contents (left, "half", -1, NULL));
  g_assert_cmpint (urb_atomic_file_sweep (f->folder), ==, 1);
  g_assert_cmpint (flat_folder_count (f->folder), ==, 1);
}

/* Pieces are whole rows, in up to 16 MiB unless a row is larger. */
static void
test_piece (void)
{
  g_assert_cmpint (urb_tensor_get_piece (2, (gint64[]) { 10, 10 }, 4), ==, 100);
  g_assert_cmpint (urb_tensor_get_piece (2, (gint64[]) { 1 << 16, 1 << 10 }, 4), ==, 1 << 22);
  g_assert_cmpint (urb_tensor_get_piece (3, (gint64[]) { 3000, 1000, 3 }, 4), ==, (1 << 22) / 3000 * 3000);
  g_assert_cmpint (urb_tensor_get_piece (2, (gint64[]) { 8, 1 << 23 }, 8), ==, 1 << 23);
  g_assert_cmpint (urb_tensor_get_piece (2, (gint64[]) { 0, 1 }, 4), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/safetensors/piece", test_piece);
#define ADD(name, function) g_test_add ("/safetensors/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("round-trip", test_round_trip);
  ADD ("published-format", test_published_format);
  ADD ("replaces", test_replaces);
  ADD ("flipped-bytes", test_flipped_bytes);
  ADD ("truncated", test_truncated);
  ADD ("not-there", test_not_there);
  ADD ("forgeries", test_forgeries);
  ADD ("header-length", test_header_length);
  ADD ("unaligned", test_unaligned);
  ADD ("cannot-write", test_cannot_write);
  ADD ("killed-writer", test_killed_writer);
  ADD ("sweep", test_sweep);
  return g_test_run ();
}
