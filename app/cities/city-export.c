/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/city-export.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/base/file-chooser.h"
#include "app/base/format.h"
#include "app/base/message.h"
#include "app/base/replace.h"
#include "city/city-writer.h"
#include "city/film.h"
#include "city/plan-drawing.h"

enum
{
  PLAN_PX = 768,       /* as in `generate` */
  MAX_NAME_BYTES = 150 /* of the run: numbers follow, and most file systems allow 255 */
};

typedef struct
{
  UrbariumTile *tile; /* owned */
  gint64        seed, number;
  UrbPlace      place;
  const char   *checkpoint; /* (nullable) interned */
  double        truncation;
  UrbariumShareWish shares;
  UrbTurn       turn;
} Item;

/* Input of the thread. */
typedef struct
{
  char   *path;  /* owned; the file or the folder */
  GStrv   files; /* owned; one file, or one per city */
  GArray *items; /* Item, owned */
  gboolean is_series; /* as those of `generate` */
  int      n_cols, n_rows; /* areas of a city */
} Work;

static void
item_clear (gpointer data)
{
  urbarium_tile_unref (((Item *) data)->tile);
}

static void
work_free (gpointer data)
{
  Work *work = data;
  g_free (work->path);
  g_strfreev (work->files);
  g_array_unref (work->items);
  g_free (work);
}

/* Drawing is the first half of the progress, writing the second. */
static gboolean
report_written (UrbariumJob *job, guint i, guint n, GCancellable *cancellable, GError **error)
{
  urbarium_job_progress ((double) (n + i) / (2 * n), NULL, job);
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}

static gboolean
write_vectors (Work *work, UrbariumJob *job, GCancellable *cancellable, GError **error)
{
  const Item *items = (const Item *) (gpointer) work->items->data;
  g_autoptr(UrbCityWriter) writer = NULL;
  g_autoptr(UrbProvenance) provenance = urb_provenance_new (items[0].checkpoint);
  UrbCityLayout layout;
  for (guint i = 0; i < work->items->len; i++)
    {
      urb_provenance_add_seed (provenance, (guint64) items[i].seed);
      urb_provenance_add_truncation (provenance, items[i].truncation);
      urb_provenance_add_shares (provenance, items[i].shares.share);
      if (urb_turn_is_some (&items[i].turn))
        urb_provenance_add_turn (provenance, &items[i].turn);
    }
  if (work->is_series)
    {
      urb_provenance_add_cities (provenance, items[0].number, items[work->items->len - 1].number, work->n_cols, work->n_rows);
      urb_provenance_add_place (provenance, &items[0].place);
      urb_provenance_add (provenance, "device", "cpu");
    }
  urb_city_layout_init (&layout, work->items->len, urbarium_tile_get_width_m (items[0].tile),
                        urbarium_tile_get_height_m (items[0].tile));
  layout.place = items[0].place;
  layout.provenance = provenance;
  layout.is_stacked = urb_place_is_known (&layout.place)
                      && !g_str_has_suffix (work->path, ".svg"); /* as in `generate` */
  writer = urb_city_writer_new (work->path, &layout, error);
  if (writer == NULL)
    return FALSE;
  for (guint i = 0; i < work->items->len; i++)
    if (!report_written (job, i, work->items->len, cancellable, error)
        || !urb_city_writer_add (writer, urbarium_tile_get_vectors (items[i].tile),
                                 items[i].number, (guint64) items[i].seed, error))
      return FALSE;
  return urb_city_writer_finish (writer, error);
}

static gboolean
write_images (Work *work, UrbariumJob *job, GCancellable *cancellable, GError **error)
{
  const Item *items = (const Item *) (gpointer) work->items->data;
  for (guint i = 0; work->files[i] != NULL; i++)
    if (!report_written (job, i, work->items->len, cancellable, error)
        || !urb_city_write_png (work->files[i], urbarium_tile_get_vectors (items[i].tile),
                                PLAN_PX * urbarium_tile_get_n_rows (items[i].tile), error))
      return FALSE;
  return TRUE;
}

typedef struct
{
  Work         *work;        /* borrowed, as the others */
  UrbariumJob  *job;
  GCancellable *cancellable;
} Filming;

/* UrbFrameFunc */
static gboolean
write_frame (guint frame, const char *path, gpointer data, GError **error)
{
  const Filming *self = data;
  UrbariumTile *tile = g_array_index (self->work->items, Item, frame).tile;
  return report_written (self->job, frame, self->work->items->len, self->cancellable, error)
         && urb_city_write_png (path, urbarium_tile_get_vectors (tile), PLAN_PX, error);
}

static gboolean
write_film (Work *work, UrbariumJob *job, GCancellable *cancellable, GError **error)
{
  Filming filming = { work, job, cancellable };
  return urb_film_write (work->path, work->items->len, write_frame, &filming, cancellable, error);
}

static gpointer
export_thread (gpointer input, UrbariumJob *job, GCancellable *cancellable, GError **error)
{
  Work *work = input;
  gboolean done = (g_str_has_suffix (work->files[0], ".png")    ? write_images
                   : g_str_has_suffix (work->files[0], ".webm") ? write_film
                                                                : write_vectors) (work, job, cancellable, error);
  return done ? g_strdup (work->path) : NULL;
}

/* ------------------------------------------------------------------------ */
/* Names of the files                                                        */

/* Replaces characters that other systems reject. */
static char *
make_safe (const char *name)
{
  char *safe = g_utf8_make_valid (name, -1);
  gsize length = strlen (safe);
  if (length > MAX_NAME_BYTES)
    *g_utf8_find_prev_char (safe, safe + MAX_NAME_BYTES + 1) = '\0';
  for (char *c = safe; *c != '\0'; c++)
    if (g_ascii_iscntrl (*c) || strchr ("/\\:*?\"<>|", *c) != NULL || (c == safe && *c == '.'))
      *c = '_';
  return safe;
}

/* The run's, else the file's own. */
static char *
dup_run_name (const char *checkpoint)
{
  g_autofree char *name = urb_provenance_dup_run (checkpoint);
  if (name == NULL)
    {
      name = g_path_get_basename (checkpoint);
      if (g_str_has_suffix (name, ".safetensors"))
        name[strlen (name) - strlen (".safetensors")] = '\0';
    }
  return make_safe (name);
}

static const char *
get_kind (UrbariumCity *city)
{
  return urbarium_city_is_proposal (city)  ? "proposal"
         : urbarium_city_is_between (city) ? "walk"
                                           : "city";
}

/* "-right-25" */
static void
add_percent (GString *name, double share, const char *negative, const char *positive)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  if (share != 0)
    g_string_append_printf (name, "-%s-%s", share < 0 ? negative : positive,
                            g_ascii_formatd (number, sizeof number, "%.4g", 100 * fabs (share)));
}

/* Where its point is, as the window says it: "-variation-3-right-25-down-50" in the directions 3 */
static void
add_turn (GString *name, const UrbTurn *turn)
{
  g_string_append_printf (name, "-variation-%" G_GINT64_FORMAT, turn->directions);
  add_percent (name, turn->x, "left", "right");
  add_percent (name, turn->y, "down", "up");
}

static char *
dup_image_name (const char *prefix, UrbariumCity *city)
{
  double truncation = urbarium_city_get_truncation (city);
  const UrbariumShareWish *shares = urbarium_city_get_shares (city);
  g_autoptr(GString) name = g_string_new (prefix);
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_printf (name, "%s-%" G_GINT64_FORMAT "-%04" G_GINT64_FORMAT, get_kind (city),
                          urbarium_city_get_seed (city), urbarium_city_get_index (city));
  if (fabs (truncation - 1) > 1e-6) /* favorites may mix several */
    g_string_append_printf (name, "-truncation-%s",
                            g_ascii_formatd (number, sizeof number, "%.4g", truncation));
  if (urbarium_city_is_turned (city))
    add_turn (name, urbarium_city_get_turn (city));
  for (int i = 0; i < URBARIUM_N_SHARES; i++) /* so may these */
    if (shares->share[i] >= 0)
      g_string_append_printf (name, "-%s-%s", urbarium_share_keys[i],
                              g_ascii_formatd (number, sizeof number, "%.4g", shares->share[i]));
  g_string_append (name, ".png");
  return g_string_free (g_steal_pointer (&name), FALSE);
}

/* The absolute paths that an export writes: @path, or one image per city in the folder @path.  Image
 * names contain the run, the step, and the city's seed and index, so that one folder can hold images
 * of several runs. */
static GStrv
list_files (UrbariumCitySource *source, GPtrArray *cities, const char *path, gboolean folder)
{
  g_autoptr(GStrvBuilder) files = g_strv_builder_new ();
  const UrbariumCityModel *model = urbarium_city_source_get_last_model (source);
  g_autofree char *run = model != NULL ? dup_run_name (model->checkpoint) : NULL;
  g_autofree char *prefix
    = model != NULL ? g_strdup_printf ("%s-step-%" G_GINT64_FORMAT "-", run, model->step)
                    : g_strdup ("");
  if (!folder)
    g_strv_builder_add (files, path);
  for (guint i = 0; folder && i < cities->len; i++)
    {
      g_autofree char *name = dup_image_name (prefix, cities->pdata[i]);
      g_autofree char *file = g_build_filename (path, name, NULL);
      g_strv_builder_add (files, file);
    }
  return g_strv_builder_end (files);
}

/* ------------------------------------------------------------------------ */
/* Drawing all cities before writing                                         */

typedef struct
{
  GtkWidget          *where;  /* owned */
  UrbariumCitySource *source; /* owned */
  GPtrArray          *cities; /* owned */
  UrbariumJobBar     *bar;    /* owned; until the job starts */
  const char         *suffix; /* (nullable) static */
  char               *path;   /* (nullable) owned; as chosen, with its suffix */
  GStrv               files;  /* (nullable) owned; passed to Work by start_writing() */
  UrbariumJob        *job;    /* (nullable) owned */
} Export;

static Export *
export_new (GtkWidget *where, UrbariumCitySource *source, GPtrArray *cities, UrbariumJobBar *bar)
{
  Export *self = g_new0 (Export, 1);
  self->where = g_object_ref (where);
  self->source = g_object_ref (source);
  self->cities = g_ptr_array_ref (cities);
  self->bar = g_object_ref (bar);
  return self;
}

static void
disconnect (Export *self)
{
  g_signal_handlers_disconnect_by_data (urbarium_job_get_cancellable (self->job), self);
  for (guint i = 0; i < self->cities->len; i++)
    g_signal_handlers_disconnect_by_data (self->cities->pdata[i], self);
}

static void
export_free (Export *self)
{
  if (self->job != NULL)
    disconnect (self);
  for (guint i = 0; self->job != NULL && i < self->cities->len; i++)
    urbarium_city_source_unwant (self->source, self->cities->pdata[i]);
  g_clear_object (&self->job);
  g_clear_object (&self->bar);
  g_ptr_array_unref (self->cities);
  g_object_unref (self->source);
  g_object_unref (self->where);
  g_strfreev (self->files);
  g_free (self->path);
  g_free (self);
}

static void
exported_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Export *self = data;
  g_autoptr(GError) error = NULL;
  g_autofree char *path = urbarium_job_finish (URBARIUM_JOB (source), result, &error);
  if (path != NULL)
    {
      g_autofree char *name = g_path_get_basename (path);
      g_autofree char *count = urbarium_format_count (self->cities->len);
      g_autofree char *text
        /* translators: number of cities, name of a file */
        = g_strdup_printf (ngettext ("%s city saved in “%s”", "%s cities saved in “%s”",
                                     self->cities->len), count, name);
      urbarium_message_toast (self->where, text);
    }
  else
    urbarium_message_error (self->where, _ ("The cities cannot be exported"), error);
  export_free (self);
}

/* Whether `generate` makes the same file: cities of one seed, one after the other, and not all at one place. */
static gboolean
is_series (GPtrArray *cities)
{
  UrbariumCity *first = cities->pdata[0];
  const UrbPlace *place = urbarium_city_get_place (first);
  if (place != NULL && (place->crs_wkt != NULL || (cities->len > 1 && urb_place_is_known (place))))
    return FALSE;
  for (guint i = 0; i < cities->len; i++)
    {
      UrbariumCity *city = cities->pdata[i];
      if (urbarium_city_is_between (city) || urbarium_city_is_turned (city)
          || urbarium_city_get_seed (city) != urbarium_city_get_seed (first)
          || urbarium_city_get_index (city) != urbarium_city_get_index (first) + i
          || urbarium_city_get_n_cols (city) != urbarium_city_get_n_cols (first)
          || urbarium_city_get_n_rows (city) != urbarium_city_get_n_rows (first)
          || !urbarium_share_wish_equal (urbarium_city_get_shares (city), urbarium_city_get_shares (first)))
        return FALSE;
    }
  return TRUE;
}

static void
start_writing (Export *self)
{
  Work *work = g_new0 (Work, 1);
  work->path = g_strdup (self->path);
  work->files = g_steal_pointer (&self->files);
  work->is_series = is_series (self->cities);
  work->n_cols = urbarium_city_get_n_cols (self->cities->pdata[0]);
  work->n_rows = urbarium_city_get_n_rows (self->cities->pdata[0]);
  work->items = g_array_new (FALSE, FALSE, sizeof (Item));
  g_array_set_clear_func (work->items, item_clear);
  for (guint i = 0; i < self->cities->len; i++)
    {
      UrbariumCity *city = self->cities->pdata[i];
      const UrbPlace *place = urbarium_city_get_place (city);
      Item item = { urbarium_tile_ref (urbarium_city_get_tile (city)), urbarium_city_get_seed (city),
                    urbarium_city_get_index (city), place != NULL ? *place : (UrbPlace) { 0 },
                    urbarium_city_get_checkpoint (city), urbarium_city_get_truncation (city),
                    *urbarium_city_get_shares (city), *urbarium_city_get_turn (city) };
      g_array_append_val (work->items, item);
    }
  disconnect (self);
  urbarium_job_run (self->job, export_thread, work, work_free, g_free, exported_cb, self);
}

/* Before anything has been written. */
static void
abandon (Export *self)
{
  urbarium_job_end (self->job);
  export_free (self);
}

static void
drawn_cb (Export *self)
{
  guint n_drawn = 0;
  for (guint i = 0; i < self->cities->len; i++)
    {
      const char *failure = urbarium_city_get_failure (self->cities->pdata[i]);
      if (failure != NULL)
        {
          g_autoptr(GError) error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED, failure);
          urbarium_message_error (self->where, _ ("The cities cannot be exported"), error);
          abandon (self);
          return;
        }
      n_drawn += urbarium_city_get_tile (self->cities->pdata[i]) != NULL;
    }
  urbarium_job_progress ((double) n_drawn / (2 * self->cities->len), NULL, self->job);
  if (n_drawn == self->cities->len)
    start_writing (self);
}

/* Takes @self, with its path and files. */
static void
draw_and_write (Export *self)
{
  self->job = urbarium_job_new (_ ("Exporting cities"));
  urbarium_job_outlive_window (self->job);
  urbarium_job_begin (self->job);
  urbarium_job_bar_set_job (self->bar, self->job);
  g_clear_object (&self->bar);
  for (guint i = 0; i < self->cities->len; i++)
    urbarium_city_source_want (self->source, self->cities->pdata[i]);
  for (guint i = 0; i < self->cities->len; i++)
    g_object_connect (self->cities->pdata[i], "swapped-signal::notify::drawn", drawn_cb, self,
                      "swapped-signal::notify::failure", drawn_cb, self, NULL);
  g_signal_connect_swapped (urbarium_job_get_cancellable (self->job), "cancelled",
                            G_CALLBACK (abandon), self);
  drawn_cb (self);
}

void
urbarium_city_export_run (GtkWidget *where, UrbariumCitySource *source, GPtrArray *cities,
                          const char *path, UrbariumJobBar *bar)
{
  Export *self;
  g_return_if_fail (cities->len > 0);
  self = export_new (where, source, cities, bar);
  self->path = g_strdup (path);
  self->files = list_files (source, cities, path, g_file_test (path, G_FILE_TEST_IS_DIR));
  draw_and_write (self);
}

/* ------------------------------------------------------------------------ */
/* Choosing the file                                                         */

static const struct { const char *suffix, *label; } formats[] = {
  { "gpkg", N_ ("GeoPackage, for GIS…") },
  { "geojson", N_ ("GeoJSON…") },
  { "dxf", N_ ("DXF, for CAD…") },
  { "city.json", N_ ("CityJSON, for city models…") },
  { "svg", N_ ("SVG drawing…") },
  { "png", N_ ("PNG images…") },
};

void
urbarium_city_export_set_menu (GtkMenuButton *button, const char *action, UrbariumExportKind kind)
{
  g_autoptr(GMenu) menu = g_menu_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autoptr(GMenuItem) item = g_menu_item_new (_ (formats[i].label), NULL);
      if (kind == URBARIUM_EXPORT_VECTORS && strcmp (formats[i].suffix, "png") == 0)
        continue;
      g_menu_item_set_action_and_target (item, action, "s", formats[i].suffix);
      g_menu_append_item (menu, item);
    }
  gtk_menu_button_set_menu_model (button, G_MENU_MODEL (menu));
}

static gboolean
needs_folder (GPtrArray *cities, const char *suffix)
{
  return strcmp (suffix, "png") == 0 && cities->len > 1;
}

static void
may_write_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Export *self = data;
  if (urbarium_replace_ask_finish (GTK_WIDGET (source), result))
    draw_and_write (self);
  else
    export_free (self);
}

void
urbarium_city_export_save (GtkWidget *where, UrbariumCitySource *source, GPtrArray *cities,
                           const char *path, const char *suffix, UrbariumJobBar *bar)
{
  gboolean folder = needs_folder (cities, suffix);
  g_autofree char *ending = g_strconcat (".", suffix, NULL);
  Export *self;
  g_return_if_fail (cities->len > 0);
  if (!folder && g_str_has_suffix (path, ending))
    {
      urbarium_city_export_run (where, source, cities, path, bar);
      return;
    }
  self = export_new (where, source, cities, bar);
  /* Append the chosen suffix to a name that was typed without one. */
  self->path = folder ? g_strdup (path) : g_strconcat (path, ending, NULL);
  self->files = list_files (source, cities, self->path, folder);
  urbarium_replace_ask (where, (const char *const *) self->files, may_write_cb, self);
}

static void
chosen_cb (Export *self, const char *path)
{
  urbarium_city_export_save (self->where, self->source, self->cities, path, self->suffix, self->bar);
}

void
urbarium_city_export_ask (GtkWidget *where, UrbariumCitySource *source, GPtrArray *cities,
                          const char *suffix, UrbariumJobBar *bar)
{
  gboolean folder = needs_folder (cities, suffix);
  GtkFileChooser *chooser = urbarium_file_chooser_new (
    where, folder ? GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER : GTK_FILE_CHOOSER_ACTION_SAVE,
    folder ? _ ("Choose a folder for the images") : _ ("Export cities"),
    folder ? _ ("_Choose") : _ ("_Export"));
  Export *self = export_new (where, source, cities, bar);
  g_autofree char *name
    = cities->len == 1
        ? g_strdup_printf ("%s-%" G_GINT64_FORMAT ".%s", get_kind (cities->pdata[0]),
                           urbarium_city_get_index (cities->pdata[0]), suffix)
        : g_strdup_printf ("%s.%s",
                           urbarium_city_is_proposal (cities->pdata[0])  ? "proposals"
                           : urbarium_city_is_between (cities->pdata[0]) ? "walk"
                                                                         : "cities",
                           suffix);
  self->suffix = g_intern_string (suffix);
  if (!folder)
    gtk_file_chooser_set_current_name (chooser, name);
  urbarium_file_chooser_show (chooser, where, G_CALLBACK (chosen_cb), self,
                              (GDestroyNotify) export_free);
}
