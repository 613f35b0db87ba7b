/* SPDX-License-Identifier: Apache-2.0 */
/*
 * provenance.c - see provenance.h.
 *
 * The checksum is the one in the checkpoint, which is verified when the file is opened: it tells one checkpoint from
 * all others, and costs nothing.
 */
#include "city/provenance.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json-read.h"
#include "base/key-file.h"
#include "base/show-text.h"
#include "dataset/dataset.h"
#include "train/safetensors.h"

static void
fact_clear (gpointer data)
{
  g_free (((UrbFact *) data)->text);
}

void
urb_provenance_add (UrbProvenance *self, const char *name, const char *text)
{
  UrbFact fact = { name, NULL };

  if (text == NULL || *text == '\0')
    return;
  fact.text = urb_show_text (text);
  g_array_append_val (self->facts, fact);
}

static void
add_name (UrbProvenance *self, const char *name, const char *path)
{
  g_autofree char *base = g_path_get_basename (path);

  urb_provenance_add (self, name, base);
}

/* @node: (nullable).  Returns: (transfer none) (nullable): its text, if it is one */
static const char *
get_text (JsonNode *node)
{
  return node != NULL && json_node_get_value_type (node) == G_TYPE_STRING ? json_node_get_string (node) : NULL;
}

/* What `curate` wrote about the map. */
static void
add_map (UrbProvenance *self, const char *recipe)
{
  g_autoptr(JsonObject) object = recipe != NULL ? urb_json_read_object (recipe, strlen (recipe), NULL) : NULL;
  JsonArray *sources = urb_json_get_array (object, "sources");

  if (sources != NULL)
    {
      g_autoptr(GString) names = g_string_new (NULL);

      for (guint i = 0; i < json_array_get_length (sources); i++)
        {
          const char *source = get_text (json_array_get_element (sources, i));

          if (source != NULL)
            g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", source);
        }
      urb_provenance_add (self, "map", names->str);
    }
  urb_provenance_add (self, "map_licence", urb_json_get_string (object, "licence", NULL));
}

static void
add_dataset (UrbProvenance *self, const char *path, const char *id)
{
  g_autoptr(UrbDataset) dataset = urb_dataset_open_unverified (path, NULL);

  add_name (self, "dataset", path);
  urb_provenance_add (self, "dataset_id", id);
  if (dataset != NULL && g_strcmp0 (urb_dataset_get_info (dataset)->id, id) == 0)
    add_map (self, urb_dataset_get_info (dataset)->recipe_json);
}

static void
add_checkpoint (UrbProvenance *self, const char *path)
{
  g_autoptr(UrbSafetensors) file = urb_safetensors_open (path, NULL);
  g_autoptr(GKeyFile) options = g_key_file_new ();
  g_autofree char *recipe = NULL, *dataset = NULL;

  add_name (self, "checkpoint", path);
  if (file == NULL)
    return; /* deleted since it drew the plan */
  urb_provenance_add (self, "checkpoint_checksum", urb_safetensors_get_metadata (file, "checksum"));
  urb_provenance_add (self, "step", urb_safetensors_get_metadata (file, "step"));
  urb_provenance_add (self, "preset", urb_safetensors_get_metadata (file, "preset_name"));
  if (urb_safetensors_get_metadata (file, "options") == NULL
      || !urb_key_file_read (options, urb_safetensors_get_metadata (file, "options"), NULL))
    return;
  recipe = g_key_file_get_string (options, "train", "recipe", NULL);
  dataset = g_key_file_get_string (options, "train", "dataset", NULL);
  urb_provenance_add (self, "recipe", recipe);
  if (dataset != NULL)
    add_dataset (self, dataset, urb_safetensors_get_metadata (file, "dataset_id"));
}

char *
urb_provenance_dup_run (const char *checkpoint)
{
  g_autofree char *folder = g_path_get_dirname (checkpoint);
  g_autofree char *folder_name = g_path_get_basename (folder);
  g_autofree char *run = g_path_get_dirname (folder);

  return strcmp (folder_name, "checkpoints") == 0 ? g_path_get_basename (run) : NULL;
}

UrbProvenance *
urb_provenance_new_empty (void)
{
  UrbProvenance *self = g_new0 (UrbProvenance, 1);

  self->facts = g_array_new (FALSE, FALSE, sizeof (UrbFact));
  g_array_set_clear_func (self->facts, fact_clear);
  return self;
}

const char *
urb_provenance_get (const UrbProvenance *self, const char *name)
{
  for (guint i = 0; i < self->facts->len; i++)
    {
      const UrbFact *fact = &g_array_index (self->facts, UrbFact, i);

      if (strcmp (fact->name, name) == 0)
        return fact->text;
    }
  return NULL;
}

UrbProvenance *
urb_provenance_new (const char *checkpoint)
{
  UrbProvenance *self = urb_provenance_new_empty ();

  urb_provenance_add (self, "program", "Urbarium " URBARIUM_VERSION);
  if (checkpoint != NULL)
    {
      char *real = realpath (checkpoint, NULL); /* a run's best checkpoint is a link */
      const char *path = real != NULL ? real : checkpoint;
      g_autofree char *run = urb_provenance_dup_run (path);

      urb_provenance_add (self, "run", run);
      add_checkpoint (self, path);
      free (real);
    }
  return self;
}

/* Adds @text to the list that is the fact, each once. */
static void
add_to_list (UrbProvenance *self, const char *name, const char *text)
{
  for (guint i = 0; i < self->facts->len; i++)
    {
      UrbFact *fact = &g_array_index (self->facts, UrbFact, i);
      g_auto(GStrv) known = strcmp (fact->name, name) == 0 ? g_strsplit (fact->text, ", ", -1) : NULL;

      if (known == NULL)
        continue;
      if (!g_strv_contains ((const char *const *) known, text))
        {
          char *all = g_strconcat (fact->text, ", ", text, NULL);
          g_free (fact->text);
          fact->text = all;
        }
      return;
    }
  urb_provenance_add (self, name, text);
}

/* So that it can be asked for again.
 * @text: (G_ASCII_DTOSTR_BUF_SIZE) */
static const char *
write_number (char *text, double value)
{
  g_ascii_formatd (text, G_ASCII_DTOSTR_BUF_SIZE, "%.4g", value);
  if (fabs (g_ascii_strtod (text, NULL) - value) > 0)
    g_ascii_dtostr (text, G_ASCII_DTOSTR_BUF_SIZE, value);
  return text;
}

static void
add_number (UrbProvenance *self, const char *name, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  add_to_list (self, name, write_number (text, value));
}

void
urb_provenance_add_seed (UrbProvenance *self, guint64 seed)
{
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, seed);

  add_to_list (self, "seeds", text);
}

void
urb_provenance_add_cities (UrbProvenance *self, gint64 first, gint64 last, int n_cols, int n_rows)
{
  g_autofree char *cities = g_strdup_printf ("%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT, first, last);
  g_autofree char *areas = n_cols * n_rows > 1 ? g_strdup_printf ("%dx%d", n_cols, n_rows) : NULL;

  urb_provenance_add (self, "cities", cities);
  urb_provenance_add (self, "areas", areas);
}

void
urb_provenance_add_place (UrbProvenance *self, const UrbPlace *place)
{
  char x[G_ASCII_DTOSTR_BUF_SIZE], y[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *text = NULL;

  if (place->epsg > 0)
    text = g_strdup_printf ("%s,%s/%d", g_ascii_dtostr (x, sizeof x, place->x), g_ascii_dtostr (y, sizeof y, place->y),
                            place->epsg);
  urb_provenance_add (self, "place", text);
  if (fabs (place->angle_deg) > 0)
    urb_provenance_add (self, "rotation", g_ascii_dtostr (x, sizeof x, place->angle_deg));
}

void
urb_provenance_add_truncation (UrbProvenance *self, double truncation)
{
  if (fabs (truncation - 1) > 1e-6)
    add_number (self, "truncation", truncation);
}

void
urb_provenance_add_turn (UrbProvenance *self, const UrbTurn *turn)
{
  char numbers[2][G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *text = g_strdup_printf ("%s/%s/%" G_GINT64_FORMAT, write_number (numbers[0], turn->x),
                                           write_number (numbers[1], turn->y), turn->directions);

  add_to_list (self, "turns", text);
}

void
urb_provenance_add_shares (UrbProvenance *self, const double *shares)
{
  static const char *const names[] = { "share_built", "share_roads", "share_halls" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (shares[i] >= 0)
      add_number (self, names[i], shares[i]);
}

char *
urb_provenance_dup_line (const UrbProvenance *self)
{
  GString *line = g_string_new (NULL);

  for (guint i = 0; i < self->facts->len; i++)
    {
      const UrbFact *fact = &g_array_index (self->facts, UrbFact, i);

      g_string_append_printf (line, "%s%s: %s", i > 0 ? "; " : "", fact->name, fact->text);
    }
  return g_string_free (line, FALSE);
}

void
urb_provenance_free (UrbProvenance *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->facts);
  g_free (self);
}
