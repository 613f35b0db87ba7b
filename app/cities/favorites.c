/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each run has its own list.  When another run is shown, the old list lives on until its file has
 * been read and its changes written.  Returning to the run before that finds the same list, so a
 * file is never read and written at the same time.
 */
#include "app/cities/favorites.h"

#include <math.h>
#include <string.h>

enum { MAX_FAVORITES = 10000 };

typedef struct
{
  UrbariumFavorites *owner;  /* borrowed; held while the file is read or written */
  char               *run;    /* (nullable) owned */
  GPtrArray          *cities; /* UrbariumCity, owned */
  gboolean            reading, writing;
  gboolean            changed; /* not written yet */
} List;

struct _UrbariumFavorites
{
  GObject    parent_instance;
  char      *folder; /* owned */
  List      *list;   /* borrowed; of the current run */
  GPtrArray *lists;  /* List, owned: that one, and those being read or written */
};

static void list_model_init (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (UrbariumFavorites, urbarium_favorites, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

static guint failed_signal;

static void
list_free (gpointer data)
{
  List *list = data;
  g_ptr_array_unref (list->cities);
  g_free (list->run);
  g_free (list);
}

static GType
get_item_type (GListModel *model)
{
  return URBARIUM_TYPE_CITY;
}

static guint
get_n_items (GListModel *model)
{
  return URBARIUM_FAVORITES (model)->list->cities->len;
}

static gpointer
get_item (GListModel *model, guint position)
{
  GPtrArray *cities = URBARIUM_FAVORITES (model)->list->cities;
  return position < cities->len ? g_object_ref (cities->pdata[position]) : NULL;
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

static gboolean
find (List *list, UrbariumCity *city, guint *position)
{
  for (guint i = 0; i < list->cities->len; i++)
    if (urbarium_city_equal (list->cities->pdata[i], city))
      {
        *position = i;
        return TRUE;
      }
  return FALSE;
}

static UrbariumCity *
copy (UrbariumCity *city)
{
  UrbariumCity *same = urbarium_city_copy (city);
  urbarium_city_set_favorite (same, TRUE);
  return same;
}

/* ------------------------------------------------------------------------ */
/* The file                                                                  */

/* Where shares and turn begin in the parts of a city, and where it ends. */
enum { SHARES = 3, TURN = SHARES + URBARIUM_N_SHARES, END = TURN + 3 };

/* The name is a checksum of the run's path; the file contains the path for readers. */
static GFile *
get_file (const List *list)
{
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, list->run, -1);
  g_autofree char *name = g_strdup_printf ("%.32s.ini", sum);
  g_autofree char *path = g_build_filename (list->owner->folder, name, NULL);
  return g_file_new_for_path (path);
}

/* seed/index/truncation; of a city with shares, or of a variation, /built/roads/halls, of which any may be "-"; and of a
 * variation /x/y/directions, to the last digit */
static char *
write_city (UrbariumCity *city)
{
  const UrbariumShareWish *shares = urbarium_city_get_shares (city);
  const UrbTurn *turn = urbarium_city_get_turn (city);
  gboolean is_turned = urbarium_city_is_turned (city);
  char number[G_ASCII_DTOSTR_BUF_SIZE], other[G_ASCII_DTOSTR_BUF_SIZE];
  GString *word = g_string_new (NULL);
  g_string_printf (word, "%" G_GINT64_FORMAT "/%" G_GINT64_FORMAT "/%s", urbarium_city_get_seed (city),
                   urbarium_city_get_index (city),
                   g_ascii_formatd (number, sizeof number, "%.4g", urbarium_city_get_truncation (city)));
  for (int i = 0; i < URBARIUM_N_SHARES && (is_turned || urbarium_share_wish_is_given (shares)); i++)
    g_string_append_printf (word, "/%s", shares->share[i] < 0
                                           ? "-"
                                           : g_ascii_formatd (number, sizeof number, "%.4g",
                                                              shares->share[i]));
  if (is_turned)
    g_string_append_printf (word, "/%s/%s/%" G_GINT64_FORMAT, g_ascii_dtostr (number, sizeof number, turn->x),
                            g_ascii_dtostr (other, sizeof other, turn->y), turn->directions);
  return g_string_free (word, FALSE);
}

static char *
write_text (const List *list, gsize *length)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < list->cities->len; i++)
    g_ptr_array_add (words, write_city (list->cities->pdata[i]));
  g_key_file_set_string (file, "favourites", "run", list->run);
  g_key_file_set_string_list (file, "favourites", "cities", (const char *const *) words->pdata,
                              words->len);
  return g_key_file_to_data (file, length, NULL);
}

static gboolean
read_number (const char *part, double *number)
{
  char *end;
  *number = g_ascii_strtod (part, &end);
  return end != part && *end == '\0';
}

static gboolean
read_shares (char **parts, UrbariumShareWish *shares)
{
  *shares = URBARIUM_SHARES_AS_IN_MAP;
  for (int i = 0; i < URBARIUM_N_SHARES; i++)
    {
      if (!g_str_equal (parts[i], "-") && (!read_number (parts[i], &shares->share[i]) || !(shares->share[i] <= 1)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_turn (char **parts, UrbTurn *turn)
{
  return read_number (parts[0], &turn->x) && read_number (parts[1], &turn->y)
         && g_ascii_string_to_signed (parts[2], 10, 1, URB_TURN_MAX_DIRECTIONS, &turn->directions, NULL)
         && urb_turn_is_valid (turn) && urb_turn_is_some (turn);
}

static UrbariumCity *
read_city (const char *word)
{
  g_auto(GStrv) parts = g_strsplit (word, "/", -1);
  guint n = g_strv_length (parts);
  UrbariumShareWish shares = URBARIUM_SHARES_AS_IN_MAP;
  UrbTurn turn = { 0 };
  UrbariumCity *city;
  gint64 seed, index;
  double truncation;
  if ((n != SHARES && n != TURN && n != END)
      || !g_ascii_string_to_signed (parts[0], 10, G_MININT64, G_MAXINT64, &seed, NULL)
      || !g_ascii_string_to_signed (parts[1], 10, 1, G_MAXINT32, &index, NULL))
    return NULL;
  if (!read_number (parts[2], &truncation) || !(truncation > 0 && truncation <= 2)
      || (n > SHARES && !read_shares (parts + SHARES, &shares)) || (n > TURN && !read_turn (parts + TURN, &turn)))
    return NULL;
  city = urbarium_city_new (seed, index, truncation);
  urbarium_city_set_shares (city, &shares);
  urbarium_city_set_turn (city, &turn);
  return city;
}

static void
parse_text (List *list, const char *text, gsize length)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_auto(GStrv) words = NULL;
  guint n_before = list->cities->len;
  if (!g_key_file_load_from_data (file, text, length, G_KEY_FILE_NONE, NULL))
    return;
  words = g_key_file_get_string_list (file, "favourites", "cities", NULL, NULL);
  for (guint i = 0; words != NULL && words[i] != NULL && i < MAX_FAVORITES; i++)
    {
      g_autoptr(UrbariumCity) city = read_city (words[i]);
      guint position;
      if (city == NULL || find (list, city, &position))
        continue;
      urbarium_city_set_favorite (city, TRUE);
      g_ptr_array_add (list->cities, g_steal_pointer (&city));
    }
  if (list->owner->list == list && list->cities->len > n_before)
    g_list_model_items_changed (G_LIST_MODEL (list->owner), n_before, 0,
                                list->cities->len - n_before);
}

/* Writes what changed while the file was being read or written. */
static void continue_io (List *list);

static void
read_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  List *list = data;
  g_autoptr(UrbariumFavorites) self = list->owner;
  g_autofree char *text = NULL;
  gsize length;
  list->reading = FALSE;
  if (g_file_load_contents_finish (G_FILE (source), result, &text, &length, NULL, NULL))
    parse_text (list, text, length);
  continue_io (list);
}

static void
written_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  List *list = data;
  g_autoptr(UrbariumFavorites) self = list->owner;
  g_autoptr(GError) error = NULL;
  if (!g_file_replace_contents_finish (G_FILE (source), result, NULL, &error))
    g_signal_emit (self, failed_signal, 0, error);
  list->writing = FALSE;
  continue_io (list);
}

static void
write_file (List *list)
{
  gsize length;
  char *text = write_text (list, &length);
  g_autoptr(GBytes) bytes = g_bytes_new_take (text, length);
  g_autoptr(GFile) file = get_file (list);
  list->writing = TRUE;
  list->changed = FALSE;
  g_object_ref (list->owner);
  g_mkdir_with_parents (list->owner->folder, 0700);
  g_file_replace_contents_bytes_async (file, bytes, NULL, FALSE, G_FILE_CREATE_PRIVATE, NULL,
                                       written_cb, list);
}

static void
continue_io (List *list)
{
  if (list->reading || list->writing)
    return;
  if (list->changed && list->run != NULL)
    write_file (list);
  else if (list->owner->list != list)
    g_ptr_array_remove (list->owner->lists, list);
}

static List *
find_list (UrbariumFavorites *self, const char *run)
{
  List *list;
  for (guint i = 0; i < self->lists->len; i++)
    {
      list = self->lists->pdata[i];
      if (g_strcmp0 (list->run, run) == 0)
        return list;
    }
  list = g_new0 (List, 1);
  list->owner = self;
  list->run = g_strdup (run);
  list->cities = g_ptr_array_new_with_free_func (g_object_unref);
  g_ptr_array_add (self->lists, list);
  if (run != NULL)
    {
      g_autoptr(GFile) file = get_file (list);
      list->reading = TRUE;
      g_object_ref (self);
      g_file_load_contents_async (file, NULL, read_cb, list);
    }
  return list;
}

void
urbarium_favorites_set_run (UrbariumFavorites *self, const char *run)
{
  List *before;
  guint n_before;
  g_return_if_fail (URBARIUM_IS_FAVORITES (self));
  before = self->list;
  n_before = before->cities->len;
  if (g_strcmp0 (before->run, run) == 0)
    return;
  self->list = find_list (self, run);
  continue_io (before);
  g_list_model_items_changed (G_LIST_MODEL (self), 0, n_before, self->list->cities->len);
}

void
urbarium_favorites_renew (UrbariumFavorites *self)
{
  guint n = self->list->cities->len;
  for (guint i = 0; i < n; i++)
    {
      g_autoptr(UrbariumCity) old = self->list->cities->pdata[i];
      self->list->cities->pdata[i] = copy (old);
    }
  g_list_model_items_changed (G_LIST_MODEL (self), 0, n, n);
}

void
urbarium_favorites_mark (UrbariumFavorites *self, UrbariumCity *city)
{
  guint position;
  urbarium_city_set_favorite (city, find (self->list, city, &position));
}

void
urbarium_favorites_set (UrbariumFavorites *self, UrbariumCity *city, gboolean favorite)
{
  List *list = self->list;
  guint position = list->cities->len;
  gboolean there = find (list, city, &position);
  g_return_if_fail (URBARIUM_IS_FAVORITES (self));
  urbarium_city_set_favorite (city, favorite);
  if (there == favorite || urbarium_city_is_between (city))
    return;
  if (favorite)
    g_ptr_array_add (list->cities, copy (city));
  else
    g_ptr_array_remove_index (list->cities, position);
  list->changed = TRUE;
  g_list_model_items_changed (G_LIST_MODEL (self), position, favorite ? 0 : 1, favorite ? 1 : 0);
  continue_io (list);
}

UrbariumFavorites *
urbarium_favorites_new (const char *folder)
{
  UrbariumFavorites *self = g_object_new (URBARIUM_TYPE_FAVORITES, NULL);
  self->folder = folder != NULL
                   ? g_strdup (folder)
                   : g_build_filename (g_get_user_data_dir (), "urbarium", "favourites", NULL);
  return self;
}

static void
finalize (GObject *object)
{
  UrbariumFavorites *self = URBARIUM_FAVORITES (object);
  g_ptr_array_unref (self->lists);
  g_free (self->folder);
  G_OBJECT_CLASS (urbarium_favorites_parent_class)->finalize (object);
}

static void
urbarium_favorites_class_init (UrbariumFavoritesClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
  failed_signal = g_signal_new ("failed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ERROR);
}

static void
urbarium_favorites_init (UrbariumFavorites *self)
{
  self->lists = g_ptr_array_new_with_free_func (list_free);
  self->list = find_list (self, NULL);
}
