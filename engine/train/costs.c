/* SPDX-License-Identifier: Apache-2.0 */
/*
 * costs.c - see costs.h.
 *
 * A cost is a key and seconds; of an exchange, a key and a list of bytes and seconds.  The cache is a
 * key file with a group of each, and one for what ranks have in common.
 */
#include "train/costs.h"

#include <glib/gstdio.h>
#include <string.h>

#include "base/atomic-file.h"
#include "base/key-file.h"
#include "parallel/layout.h"
#include "train/device.h"
#include "train/network-pair.h"

#define OPERATIONS "operations"
#define EXCHANGES "exchanges"
#define RANKS "ranks"
#define IMBALANCE "imbalance"

/* A core at this speed, until some operation was measured: the unit of urb_instruction_estimate() is a
 * floating point operation. */
#define GUESSED_FLOPS 3e10
#define GUESSED_LATENCY 3e-5
#define GUESSED_BYTES_PER_SECOND 2e9

typedef struct
{
  gint64 n_bytes;
  double seconds;
} Point;

struct _UrbCosts
{
  int         n_local, n_threads;
  double      imbalance; /* from 1 */
  char       *path;      /* owned; of the cache */
  GHashTable *seconds;   /* char * (owned) -> double * (owned) */
  GHashTable *exchanges; /* char * (owned) -> GArray of Point (owned), by bytes */
};

/* ------------------------------------------------------------------------ */
/* Keys                                                                      */

static void
append_shape (GString *text, UkShape shape)
{
  g_string_append_printf (text, " %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT
                          "x%" G_GINT64_FORMAT, shape.n, shape.h, shape.w, shape.c);
}

/* Without what does not change the time: random streams, samples, scales. */
char *
urb_costs_dup_key (const UrbInstruction *instruction)
{
  const UkOpDesc *desc = &instruction->desc;
  g_autoptr(GString) text = NULL;

  if (instruction->kind == URB_DO_COPY)
    return g_strdup_printf ("copy %" G_GINT64_FORMAT, instruction->count);
  if (instruction->kind != URB_DO_OP && instruction->kind != URB_DO_PACK)
    return NULL;
  text = g_string_new (instruction->kind == URB_DO_PACK ? "pack " : "");
  g_string_append (text, uk_op_info (desc->kind)->name);
  append_shape (text, desc->x);
  append_shape (text, desc->y);
  g_string_append_printf (text, " k%d s%d p%d a%d%s%s%s%s", desc->kernel, desc->stride, desc->pad,
                          (int) desc->act, desc->transposed ? " transposed" : "",
                          desc->accumulate ? " accumulate" : "", desc->dihedral ? " dihedral" : "",
                          desc->bits ? " bits" : "");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
urb_costs_dup_exchange_key (UrbCollectiveKind kind, int n_members)
{
  /* A receive is the other end of a send. */
  return g_strdup_printf ("%s %d", urb_collective_get_name (kind == URB_COLLECTIVE_RECV
                                                              ? URB_COLLECTIVE_SEND : kind), n_members);
}

/* ------------------------------------------------------------------------ */
/* The cache                                                                 */

/* Another program, or the same one built anew, may have other kernels. */
static char *
describe_build (void)
{
  GStatBuf info;

  if (g_stat ("/proc/self/exe", &info) != 0)
    return g_strdup (URBARIUM_VERSION);
  return g_strdup_printf (URBARIUM_VERSION " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT,
                          (gint64) info.st_size, (gint64) info.st_mtime);
}

static char *
dup_path (const UrbCosts *self, const UrbTrainOptions *options)
{
  g_autofree char *device = urb_device_dup_text (options->backend, options->precision);
  g_autofree char *build = describe_build ();
  g_autofree char *text = g_strdup_printf ("%s\n%s\n%s\n%u cores\n%d threads\n%d ranks",
                                           g_get_host_name (), device, build, g_get_num_processors (),
                                           self->n_threads, self->n_local);
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
  g_autofree char *name = g_strdup_printf ("%.16s.ini", hash);

  return g_build_filename (g_get_user_cache_dir (), "urbarium", "costs", name, NULL);
}

static gboolean
is_plausible (double seconds)
{
  return seconds >= 0 && seconds < 1e6; /* not NaN */
}

static void
read_operations (UrbCosts *self, GKeyFile *file)
{
  g_auto(GStrv) keys = g_key_file_get_keys (file, OPERATIONS, NULL, NULL);

  for (int i = 0; keys != NULL && keys[i] != NULL; i++)
    urb_costs_set (self, keys[i], g_key_file_get_double (file, OPERATIONS, keys[i], NULL));
}

static void
read_exchanges (UrbCosts *self, GKeyFile *file)
{
  g_auto(GStrv) keys = g_key_file_get_keys (file, EXCHANGES, NULL, NULL);

  for (int i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      gsize n = 0;
      g_autofree double *values = g_key_file_get_double_list (file, EXCHANGES, keys[i], &n, NULL);

      for (gsize k = 0; values != NULL && k + 1 < n; k += 2)
        if (values[k] >= 0 && values[k] < 1e15)
          urb_costs_set_exchange (self, keys[i], (gint64) values[k], values[k + 1]);
    }
}

static void
read_cache (UrbCosts *self)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_autofree char *text = NULL;

  /* A damaged cache is none. */
  if (!g_file_get_contents (self->path, &text, NULL, NULL) || !urb_key_file_read (file, text, NULL))
    return;
  read_operations (self, file);
  read_exchanges (self, file);
  urb_costs_set_imbalance (self, g_key_file_get_double (file, RANKS, IMBALANCE, NULL));
}

gboolean
urb_costs_save (UrbCosts *self, GError **error)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_autofree char *folder = g_path_get_dirname (self->path), *text = NULL;
  GHashTableIter iter;
  gpointer key, value;
  gsize length;

  g_hash_table_iter_init (&iter, self->seconds);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_key_file_set_double (file, OPERATIONS, key, *(double *) value);
  g_hash_table_iter_init (&iter, self->exchanges);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      const GArray *points = value;
      g_autofree double *values = g_new (double, 2 * points->len);

      for (guint i = 0; i < points->len; i++)
        {
          values[2 * i] = (double) g_array_index (points, Point, i).n_bytes;
          values[2 * i + 1] = g_array_index (points, Point, i).seconds;
        }
      g_key_file_set_double_list (file, EXCHANGES, key, values, 2 * points->len);
    }
  g_key_file_set_double (file, RANKS, IMBALANCE, self->imbalance);
  text = g_key_file_to_data (file, &length, NULL);
  if (g_mkdir_with_parents (folder, 0700) != 0)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                   "The folder “%s” cannot be made. Set XDG_CACHE_HOME to another folder.", folder);
      return FALSE;
    }
  return urb_atomic_file_set_contents (self->path, text, length, error);
}

UrbCosts *
urb_costs_new (const UrbTrainOptions *options, int n_local)
{
  UrbCosts *self = g_new0 (UrbCosts, 1);

  self->n_local = n_local;
  self->imbalance = 1;
  self->n_threads = urb_train_options_count_threads (options, n_local);
  self->seconds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->exchanges = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                           (GDestroyNotify) g_array_unref);
  self->path = dup_path (self, options);
  read_cache (self);
  return self;
}

void
urb_costs_free (UrbCosts *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->seconds);
  g_hash_table_unref (self->exchanges);
  g_free (self->path);
  g_free (self);
}

int
urb_costs_get_n_local (const UrbCosts *self)
{
  return self->n_local;
}

int
urb_costs_get_n_threads (const UrbCosts *self)
{
  return self->n_threads;
}

/* ------------------------------------------------------------------------ */
/* Operations                                                                */

gboolean
urb_costs_knows (const UrbCosts *self, const char *key)
{
  return g_hash_table_contains (self->seconds, key) || g_hash_table_contains (self->exchanges, key);
}

void
urb_costs_set (UrbCosts *self, const char *key, double seconds)
{
  if (is_plausible (seconds))
    g_hash_table_insert (self->seconds, g_strdup (key), g_memdup2 (&seconds, sizeof seconds));
}

void
urb_costs_set_imbalance (UrbCosts *self, double factor)
{
  if (factor >= 1 && factor <= 10) /* not NaN, not missing */
    self->imbalance = factor;
}

double
urb_costs_get_imbalance (const UrbCosts *self)
{
  return self->imbalance;
}

/* Seconds of the unit of urb_instruction_estimate(): a mean over @program, of what was measured and of a
 * guess for the rest.  @seconds: (n_instructions): negative where unknown */
static double
find_unit (const UrbCosts *self, const UrbProgram *program, const double *seconds)
{
  double guess = 1 / (GUESSED_FLOPS * self->n_threads), sum = 0, estimated = 0;

  for (guint i = 0; i < program->instructions->len; i++)
    if (seconds[i] != 0)
      {
        double work = urb_instruction_estimate (urb_program_get_instruction (program, i));

        sum += seconds[i] > 0 ? seconds[i] : guess * work;
        estimated += work;
      }
  return estimated > 0 ? sum / estimated : guess;
}

double *
urb_costs_list (UrbCosts *self, const UrbProgram *program, double *estimated)
{
  guint n = program->instructions->len;
  double *seconds = g_new0 (double, MAX (n, 1));
  double unit, sum = 0, unknown = 0;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *key = urb_costs_dup_key (urb_program_get_instruction (program, i));
      const double *known = key != NULL ? g_hash_table_lookup (self->seconds, key) : NULL;

      seconds[i] = known != NULL ? *known : key != NULL ? -1 : 0;
    }
  unit = find_unit (self, program, seconds);
  for (guint i = 0; i < n; i++)
    {
      if (seconds[i] < 0)
        {
          seconds[i] = unit * urb_instruction_estimate (urb_program_get_instruction (program, i));
          unknown += seconds[i];
        }
      sum += seconds[i];
    }
  *estimated = sum > 0 ? unknown / sum : 0;
  return seconds;
}

/* ------------------------------------------------------------------------ */
/* Exchanges                                                                 */

static int
compare_points (gconstpointer a, gconstpointer b)
{
  const Point *x = a, *y = b;

  return (x->n_bytes > y->n_bytes) - (x->n_bytes < y->n_bytes);
}

void
urb_costs_set_exchange (UrbCosts *self, const char *key, gint64 n_bytes, double seconds)
{
  GArray *points = g_hash_table_lookup (self->exchanges, key);
  Point point = { n_bytes, seconds };

  if (!is_plausible (seconds))
    return;
  if (points == NULL)
    {
      points = g_array_new (FALSE, FALSE, sizeof (Point));
      g_hash_table_insert (self->exchanges, g_strdup (key), points);
    }
  for (guint i = 0; i < points->len; i++)
    if (g_array_index (points, Point, i).n_bytes == n_bytes)
      {
        g_array_index (points, Point, i) = point;
        return;
      }
  g_array_append_val (points, point);
  g_array_sort (points, compare_points);
}

/* Beyond the ends as between the last two. */
static double
interpolate (const GArray *points, double n_bytes)
{
  guint i = 1;
  const Point *a, *b;
  double slope;

  if (points->len == 1)
    return g_array_index (points, Point, 0).seconds;
  while (i + 1 < points->len && n_bytes > (double) g_array_index (points, Point, i).n_bytes)
    i++;
  a = &g_array_index (points, Point, i - 1);
  b = &g_array_index (points, Point, i);
  slope = MAX (b->seconds - a->seconds, 0) / (double) (b->n_bytes - a->n_bytes);
  return MAX (a->seconds + slope * (n_bytes - (double) a->n_bytes), 0);
}

UrbExchangeCost
urb_costs_get_exchange (UrbCosts *self, const UrbCollective *what, int n_members, gboolean *measured)
{
  g_autofree char *key = urb_costs_dup_exchange_key (what->kind, n_members);
  const GArray *points = g_hash_table_lookup (self->exchanges, key);
  double n_bytes = (double) what->count * (double) urb_element_get_size (what->element);
  double least, seconds;

  if (measured != NULL)
    *measured = points != NULL;
  if (points == NULL)
    {
      double sent = urb_collective_count_sent (what, 0, n_members);

      sent = MAX (sent, urb_collective_count_sent (what, 1, n_members));
      return (UrbExchangeCost) { GUESSED_LATENCY, sent * (double) urb_element_get_size (what->element)
                                                    / GUESSED_BYTES_PER_SECOND };
    }
  least = g_array_index (points, Point, 0).seconds;
  seconds = interpolate (points, n_bytes);
  return (UrbExchangeCost) { MIN (least, seconds), MAX (seconds - least, 0) };
}
