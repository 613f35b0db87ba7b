/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver.c - runs a fuzz target for a short time as an ordinary test, on valid
 * inputs with bits flipped, numbers replaced, and pieces cut, duplicated and
 * moved, from a fixed seed.  It finds less than libFuzzer, but works with any
 * compiler and is reproducible.
 *
 *   fuzz-NAME NAME              as a test, for two seconds of processor time
 *   fuzz-NAME --seconds N NAME  for N seconds (as $URBARIUM_FUZZ_SECONDS), with a new seed each time
 *   fuzz-NAME --seed N NAME     with the seed that such a run has printed
 *   fuzz-NAME --try FILE...     runs these inputs, to investigate a crash
 *   fuzz-NAME --unpack DIR NAME writes the initial inputs into that folder, one file each
 *   fuzz-NAME --pack FILE...    prints these inputs as lines of corpus/NAME
 *
 * The initial inputs are the valid inputs that the target generates, those that increased the
 * coverage of libFuzzer (corpus/NAME), and those that once caused a failure (found/NAME).  With
 * --keep each input is first written to "fuzz.last".
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "corpus.h"
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

/* Adds the initial inputs. */
static GPtrArray *
load_inputs (const char *name)
{
  static const char *const folders[] = { "corpus", "found" };
  GPtrArray *inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  const char *tests = g_getenv ("G_TEST_SRCDIR");
  fuzz_add_seeds (inputs);
  for (gsize i = 0; i < G_N_ELEMENTS (folders) && tests != NULL; i++)
    {
      g_autofree char *path = g_build_filename (tests, "fuzz", folders[i], name, NULL);
      fuzz_corpus_load (inputs, path);
    }
  return inputs;
}

/* Processor time, because other programs may use the processors. */
static double
get_seconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double) now.tv_sec + (double) now.tv_nsec * 1e-9;
}

static void
fuzz (const GPtrArray *inputs, double seconds, guint32 seed, gboolean keep)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  double until = get_seconds () + seconds;
  gint64 n = 0;
  /* Printed now, because it is needed after a crash. */
  printf ("1..2\n# seed %u\n", seed);
  fflush (stdout);
  for (guint i = 0; i < inputs->len; i++)
    {
      GBytes *input = g_ptr_array_index (inputs, i);
      run_one (g_bytes_get_data (input, NULL), g_bytes_get_size (input), keep);
    }
  printf ("ok 1 - %u unmodified inputs\n", inputs->len);
  for (; get_seconds () < until; n++)
    {
      GBytes *good = g_ptr_array_index (inputs, random_index (rand, inputs->len));
      g_autoptr(GByteArray) input = g_byte_array_new ();
      g_byte_array_append (input, g_bytes_get_data (good, NULL), (guint) g_bytes_get_size (good));
      mutate (input, rand);
      run_one (input->data, input->len, keep);
    }
  printf ("ok 2 - %" G_GINT64_FORMAT " mutated inputs\n", n);
}

/* Calls @use with the contents of each file. */
static int
for_files (char **files, void (*use) (const guint8 *data, gsize size))
{
  for (int i = 0; files[i] != NULL; i++)
    {
      g_autofree char *data = NULL;
      gsize size;
      if (!g_file_get_contents (files[i], &data, &size, NULL))
        return 1;
      use ((const guint8 *) data, size);
    }
  return 0;
}

static void
try (const guint8 *data, gsize size)
{
  LLVMFuzzerTestOneInput (data, size);
}

static void
pack (const guint8 *data, gsize size)
{
  g_autofree char *line = fuzz_corpus_format (data, size);
  puts (line);
}

static int
unpack (const GPtrArray *inputs, const char *folder)
{
  for (guint i = 0; i < inputs->len; i++)
    {
      GBytes *input = g_ptr_array_index (inputs, i);
      g_autofree char *path = g_strdup_printf ("%s/seed-%u", folder, i);
      if (!g_file_set_contents (path, g_bytes_get_data (input, NULL),
                                (gssize) g_bytes_get_size (input), NULL))
        return 1;
    }
  return 0;
}

int
main (int argc, char **argv)
{
  const char *folder = NULL, *more = g_getenv ("URBARIUM_FUZZ_SECONDS");
  double seconds = more != NULL ? g_ascii_strtod (more, NULL) : 2;
  guint32 seed = more != NULL ? g_random_int () : 1;
  gboolean keep = FALSE;
  g_autoptr(GPtrArray) inputs = NULL;
  int i = 1;
  g_set_prgname ("fuzz");
  for (; i < argc && g_str_has_prefix (argv[i], "--"); i++)
    if (strcmp (argv[i], "--keep") == 0)
      keep = TRUE;
    else if (strcmp (argv[i], "--try") == 0)
      return for_files (argv + i + 1, try);
    else if (strcmp (argv[i], "--pack") == 0)
      return for_files (argv + i + 1, pack);
    else if (strcmp (argv[i], "--unpack") == 0 && i + 1 < argc)
      folder = argv[++i];
    else if (strcmp (argv[i], "--seed") == 0 && i + 1 < argc)
      seed = (guint32) g_ascii_strtoull (argv[++i], NULL, 10);
    else if (strcmp (argv[i], "--seconds") == 0 && i + 1 < argc)
      {
        seconds = g_ascii_strtod (argv[++i], NULL);
        seed = g_random_int ();
      }
  if (i != argc - 1)
    return 2;
  inputs = load_inputs (argv[i]);
  if (folder != NULL)
    return unpack (inputs, folder);
  fuzz (inputs, seconds, seed, keep);
  return 0;
}
