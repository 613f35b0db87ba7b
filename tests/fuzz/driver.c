/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver.c - runs a fuzz target for a short while as an ordinary test: good
 * inputs with bits flipped, numbers replaced, pieces cut, doubled and moved, by
 * a fixed seed.  It finds less than libFuzzer, but with any compiler, and each
 * time.
 *
 *   fuzz-NAME                as a test, for two seconds
 *   fuzz-NAME --seconds N    longer, from another seed each time
 *   fuzz-NAME FILE...        these inputs, to look at a crash
 *   fuzz-NAME --seeds DIR    writes the good inputs into that folder
 *
 * Before each input it is kept in "fuzz-NAME.last" if --keep is given.
 */
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

enum { MAX_MUTATIONS = 6, MAX_BYTES = 1 << 20 };

static const guint32 interesting[] = {
  0,      1,      7,      8,          0x7f,       0x80,       0xff,
  0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
};

static gsize
random_index (GRand *rand, gsize n)
{
  return n > 0 ? g_rand_int (rand) % n : 0;
}

static void
overwrite_number (GByteArray *input, GRand *rand)
{
  guint32 number = interesting[random_index (rand, G_N_ELEMENTS (interesting))];
  gsize size = (gsize) 1 << g_rand_int_range (rand, 0, 3);
  if (input->len < size)
    return;
  memcpy (input->data + random_index (rand, input->len - size + 1), &number, size);
}

static void
overwrite_digit (GByteArray *input, GRand *rand)
{
  static const char likely[] = "0123456789-+.eE{}[]\",:\\u\n= \t";
  if (input->len > 0)
    input->data[random_index (rand, input->len)] = (guint8)
      likely[random_index (rand, sizeof likely)];
}

static void
cut (GByteArray *input, GRand *rand)
{
  gsize at = random_index (rand, input->len);
  gsize n = 1 + random_index (rand, MIN (input->len - at, 64));
  if (at + n <= input->len)
    g_byte_array_remove_range (input, (guint) at, (guint) n);
}

static void
repeat (GByteArray *input, GRand *rand)
{
  gsize at = random_index (rand, input->len);
  gsize wanted = 1 + random_index (rand, 64);
  gsize n = MIN (wanted, input->len - at);
  g_autofree guint8 *piece = g_memdup2 (input->data + at, n);
  gsize to = random_index (rand, input->len + 1);
  g_autofree guint8 *tail = g_memdup2 (input->data + to, input->len - to);
  gsize n_tail = input->len - to;
  if (n == 0 || input->len + n > MAX_BYTES)
    return;
  g_byte_array_set_size (input, (guint) to);
  g_byte_array_append (input, piece, (guint) n);
  g_byte_array_append (input, tail, (guint) n_tail);
}

static void
mutate (GByteArray *input, GRand *rand)
{
  int n = g_rand_int_range (rand, 1, MAX_MUTATIONS + 1);
  for (int i = 0; i < n; i++)
    switch (g_rand_int_range (rand, 0, 6))
      {
      case 0:
        if (input->len > 0)
          input->data[random_index (rand, input->len)] ^= (guint8) (1 << g_rand_int_range (rand, 0,
                                                                                           8));
        break;
      case 1:
        overwrite_number (input, rand);
        break;
      case 2:
        overwrite_digit (input, rand);
        break;
      case 3:
        cut (input, rand);
        break;
      case 4:
        repeat (input, rand);
        break;
      default:
        if (g_rand_int_range (rand, 0, 8) == 0)
          g_byte_array_set_size (input, (guint) random_index (rand, input->len + 1));
      }
}

static void
run_one (const guint8 *data, gsize size, gboolean keep)
{
  g_autofree char *name = keep ? g_strconcat (g_get_prgname (), ".last", NULL) : NULL;
  if (keep)
    g_file_set_contents (name, (const char *) data, (gssize) size, NULL);
  LLVMFuzzerTestOneInput (data, size);
}

static gint64
fuzz (double seconds, guint32 seed, gboolean keep)
{
  g_autoptr(GPtrArray) seeds = fuzz_make_seeds ();
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  gint64 until = g_get_monotonic_time () + (gint64) (seconds * G_USEC_PER_SEC), n = 0;
  for (guint i = 0; i < seeds->len; i++)
    {
      GBytes *good = g_ptr_array_index (seeds, i);
      run_one (g_bytes_get_data (good, NULL), g_bytes_get_size (good), keep);
    }
  for (; g_get_monotonic_time () < until; n++)
    {
      GBytes *good = g_ptr_array_index (seeds, random_index (rand, seeds->len));
      g_autoptr(GByteArray) input = g_byte_array_new ();
      g_byte_array_append (input, g_bytes_get_data (good, NULL), (guint) g_bytes_get_size (good));
      mutate (input, rand);
      run_one (input->data, input->len, keep);
    }
  return n;
}

static int
run_files (char **files)
{
  for (int i = 0; files[i] != NULL; i++)
    {
      g_autofree char *data = NULL;
      gsize size;
      if (!g_file_get_contents (files[i], &data, &size, NULL))
        return 1;
      LLVMFuzzerTestOneInput ((const guint8 *) data, size);
    }
  return 0;
}

static int
write_seeds (const char *folder)
{
  g_autoptr(GPtrArray) seeds = fuzz_make_seeds ();
  for (guint i = 0; i < seeds->len; i++)
    {
      GBytes *good = g_ptr_array_index (seeds, i);
      g_autofree char *path = g_strdup_printf ("%s/seed-%u", folder, i);
      if (!g_file_set_contents (path, g_bytes_get_data (good, NULL),
                                (gssize) g_bytes_get_size (good), NULL))
        return 1;
    }
  return 0;
}

int
main (int argc, char **argv)
{
  const char *seeds = NULL;
  double seconds = 2;
  guint32 seed = 1;
  gboolean keep = FALSE;
  int i = 1, code = 0;
  g_set_prgname ("fuzz");
  for (; i < argc && g_str_has_prefix (argv[i], "--"); i++)
    if (strcmp (argv[i], "--keep") == 0)
      keep = TRUE;
    else if (strcmp (argv[i], "--seeds") == 0 && i + 1 < argc)
      seeds = argv[++i];
    else if (strcmp (argv[i], "--seconds") == 0 && i + 1 < argc)
      {
        seconds = g_ascii_strtod (argv[++i], NULL);
        seed = g_random_int ();
      }
  if (seeds != NULL)
    code = write_seeds (seeds);
  else if (i < argc)
    code = run_files (argv + i);
  else
    {
      gint64 n = fuzz (seconds, seed, keep);
      printf ("1..1\n# seed %u\nok 1 - %" G_GINT64_FORMAT " inputs\n", seed, n);
    }
  fuzz_delete_file ();
  return code;
}
