/* SPDX-License-Identifier: Apache-2.0 */
/*
 * favourites.c - see favourites.h.
 *
 * A write takes the whole list as it is; while one is under way the newest of the
 * later ones waits.
 */
#include "app/cities/favourites.h"

#include <math.h>
#include <string.h>

enum { MAX_FAVOURITES = 10000 };

struct _UrbariumFavourites
{
  GObject       parent_instance;
  char         *folder;      /* owned */
  char         *run;         /* (nullable) owned */
  GPtrArray    *cities;      /* UrbariumCity, owned */
  GCancellable *cancellable; /* owned; of reading */
  gboolean      loading, changed; /* changed: while it was read */
  gboolean      writing;
  GFile        *next_file;   /* (nullable) owned; to be written after this */
  GBytes       *next_bytes;  /* (nullable) owned */
};

static void list_model_init (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (UrbariumFavourites, urbarium_favourites, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

static guint failed_signal;

static GType
get_item_type (GListModel *model)
{
  return URBARIUM_TYPE_CITY;
}

static guint
get_n_items (GListModel *model)
{
  return URBARIUM_FAVOURITES (model)->cities->len;
}

static gpointer
get_item (GListModel *model, guint position)
{
  GPtrArray *cities = URBARIUM_FAVOURITES (model)->cities;
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
find (UrbariumFavourites *self, UrbariumCity *city, guint *position)
{
  for (guint i = 0; i < self->cities->len; i++)
    if (urbarium_city_equal (self->cities->pdata[i], city))
      {
        *position = i;
        return TRUE;
      }
  return FALSE;
}

static UrbariumCity *
copy (UrbariumCity *city)
{
  UrbariumCity *same = urbarium_city_new (urbarium_city_get_seed (city),
                                          urbarium_city_get_index (city),
                                          urbarium_city_get_truncation (city));
  urbarium_city_set_favourite (same, TRUE);
  return same;
}

/* ------------------------------------------------------------------------ */
/* The file                                                                  */

/* Named by the run's path, which is in it too, for whoever looks. */
static GFile *
get_file (UrbariumFavourites *self)
{
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, self->run, -1);
  g_autofree char *name = g_strdup_printf ("%.32s.ini", sum);
  g_autofree char *path = g_build_filename (self->folder, name, NULL);
  return g_file_new_for_path (path);
}

static char *
write_text (UrbariumFavourites *self, gsize *length)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < self->cities->len; i++)
    {
      UrbariumCity *city = self->cities->pdata[i];
      char truncation[G_ASCII_DTOSTR_BUF_SIZE];
      g_ascii_formatd (truncation, sizeof truncation, "%.4g", urbarium_city_get_truncation (city));
      g_ptr_array_add (words, g_strdup_printf ("%" G_GINT64_FORMAT "/%" G_GINT64_FORMAT "/%s",
                                               urbarium_city_get_seed (city),
                                               urbarium_city_get_index (city), truncation));
    }
  g_key_file_set_string (file, "favourites", "run", self->run);
  g_key_file_set_string_list (file, "favourites", "cities", (const char *const *) words->pdata,
                              words->len);
  return g_key_file_to_data (file, length, NULL);
}

static UrbariumCity *
read_city (const char *word)
{
  g_auto(GStrv) parts = g_strsplit (word, "/", -1);
  gint64 seed, index;
  double truncation;
  char *end;
  if (g_strv_length (parts) != 3
      || !g_ascii_string_to_signed (parts[0], 10, G_MININT64, G_MAXINT64, &seed, NULL)
      || !g_ascii_string_to_signed (parts[1], 10, 1, G_MAXINT32, &index, NULL))
    return NULL;
  truncation = g_ascii_strtod (parts[2], &end);
  if (*end != '\0' || !(truncation > 0 && truncation <= 2))
    return NULL;
  return urbarium_city_new (seed, index, truncation);
}

static void
take_text (UrbariumFavourites *self, const char *text, gsize length)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_auto(GStrv) words = NULL;
  guint n_before = self->cities->len;
  if (!g_key_file_load_from_data (file, text, length, G_KEY_FILE_NONE, NULL))
    return;
  words = g_key_file_get_string_list (file, "favourites", "cities", NULL, NULL);
  for (guint i = 0; words != NULL && words[i] != NULL && i < MAX_FAVOURITES; i++)
    {
      g_autoptr(UrbariumCity) city = read_city (words[i]);
      guint position;
      if (city == NULL || find (self, city, &position))
        continue;
      urbarium_city_set_favourite (city, TRUE);
      g_ptr_array_add (self->cities, g_steal_pointer (&city));
    }
  if (self->cities->len > n_before)
    g_list_model_items_changed (G_LIST_MODEL (self), n_before, 0, self->cities->len - n_before);
}

static void write_now (UrbariumFavourites *self);

static void
read_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumFavourites) self = data;
  g_autofree char *text = NULL;
  g_autoptr(GError) error = NULL;
  gsize length;
  if (g_file_load_contents_finish (G_FILE (source), result, &text, &length, NULL, &error))
    take_text (self, text, length);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  self->loading = FALSE;
  if (self->changed)
    write_now (self);
}

static void write_next (UrbariumFavourites *self);

static void
written_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumFavourites) self = data;
  g_autoptr(GError) error = NULL;
  self->writing = FALSE;
  if (!g_file_replace_contents_finish (G_FILE (source), result, NULL, &error))
    g_signal_emit (self, failed_signal, 0, error);
  write_next (self);
}

static void
write_next (UrbariumFavourites *self)
{
  g_autoptr(GFile) file = NULL;
  g_autoptr(GBytes) bytes = NULL;
  if (self->writing || self->next_file == NULL)
    return;
  self->writing = TRUE;
  file = g_steal_pointer (&self->next_file);
  bytes = g_steal_pointer (&self->next_bytes);
  g_mkdir_with_parents (self->folder, 0700);
  g_file_replace_contents_bytes_async (file, bytes, NULL, FALSE, G_FILE_CREATE_PRIVATE, NULL,
                                       written_cb, g_object_ref (self));
}

static void
write_now (UrbariumFavourites *self)
{
  gsize length;
  char *text;
  if (self->run == NULL)
    return;
  self->changed = self->loading;
  if (self->loading)
    return;
  g_clear_object (&self->next_file);
  g_clear_pointer (&self->next_bytes, g_bytes_unref);
  text = write_text (self, &length);
  self->next_file = get_file (self);
  self->next_bytes = g_bytes_new_take (text, length);
  write_next (self);
}

/* ------------------------------------------------------------------------ */

void
urbarium_favourites_set_run (UrbariumFavourites *self, const char *run)
{
  guint n_before = self->cities->len;
  g_return_if_fail (URBARIUM_IS_FAVOURITES (self));
  if (g_strcmp0 (self->run, run) == 0)
    return;
  g_cancellable_cancel (self->cancellable);
  g_object_unref (self->cancellable);
  self->cancellable = g_cancellable_new ();
  self->loading = run != NULL;
  self->changed = FALSE;
  g_free (self->run);
  self->run = g_strdup (run);
  g_ptr_array_set_size (self->cities, 0);
  g_list_model_items_changed (G_LIST_MODEL (self), 0, n_before, 0);
  if (run != NULL)
    {
      g_autoptr(GFile) file = get_file (self);
      g_file_load_contents_async (file, self->cancellable, read_cb, g_object_ref (self));
    }
}

void
urbarium_favourites_renew (UrbariumFavourites *self)
{
  guint n = self->cities->len;
  for (guint i = 0; i < n; i++)
    {
      g_autoptr(UrbariumCity) old = self->cities->pdata[i];
      self->cities->pdata[i] = copy (old);
    }
  g_list_model_items_changed (G_LIST_MODEL (self), 0, n, n);
}

void
urbarium_favourites_mark (UrbariumFavourites *self, UrbariumCity *city)
{
  guint position;
  urbarium_city_set_favourite (city, find (self, city, &position));
}

void
urbarium_favourites_set (UrbariumFavourites *self, UrbariumCity *city, gboolean favourite)
{
  guint position = 0;
  gboolean there = find (self, city, &position);
  g_return_if_fail (URBARIUM_IS_FAVOURITES (self));
  urbarium_city_set_favourite (city, favourite);
  if (there == favourite || urbarium_city_is_between (city))
    return;
  if (favourite)
    g_ptr_array_add (self->cities, copy (city));
  else
    g_ptr_array_remove_index (self->cities, position);
  g_list_model_items_changed (G_LIST_MODEL (self), favourite ? self->cities->len - 1 : position,
                              favourite ? 0 : 1, favourite ? 1 : 0);
  write_now (self);
}

UrbariumFavourites *
urbarium_favourites_new (const char *folder)
{
  UrbariumFavourites *self = g_object_new (URBARIUM_TYPE_FAVOURITES, NULL);
  self->folder = folder != NULL
                   ? g_strdup (folder)
                   : g_build_filename (g_get_user_data_dir (), "urbarium", "favourites", NULL);
  return self;
}

static void
finalize (GObject *object)
{
  UrbariumFavourites *self = URBARIUM_FAVOURITES (object);
  g_cancellable_cancel (self->cancellable);
  g_object_unref (self->cancellable);
  g_clear_object (&self->next_file);
  g_clear_pointer (&self->next_bytes, g_bytes_unref);
  g_ptr_array_unref (self->cities);
  g_free (self->folder);
  g_free (self->run);
  G_OBJECT_CLASS (urbarium_favourites_parent_class)->finalize (object);
}

static void
urbarium_favourites_class_init (UrbariumFavouritesClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
  failed_signal = g_signal_new ("failed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ERROR);
}

static void
urbarium_favourites_init (UrbariumFavourites *self)
{
  self->cancellable = g_cancellable_new ();
  self->cities = g_ptr_array_new_with_free_func (g_object_unref);
}
