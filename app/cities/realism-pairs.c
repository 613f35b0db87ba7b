/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The source draws the generated areas; a thread reads the training areas from the dataset.  If
 * that fails, their tooltips show the error.
 */
#include "app/cities/realism-pairs.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/job.h"
#include "app/base/ui-path.h"
#include "dataset/dataset.h"

enum { MAX_PAIRS = 8, PAINTED_PX = 264 };

struct _UrbariumRealismPairs
{
  AdwBin              parent_instance;
  GtkFlowBox         *grid;
  UrbariumCitySource *source;     /* (nullable) owned */
  GPtrArray          *cities;     /* UrbariumCity, owned; wanted */
  GPtrArray          *pictures;   /* GtkPicture of the training areas, borrowed from the grid */
  UrbariumJob        *job;        /* (nullable) owned; reads the training areas */
};

G_DEFINE_FINAL_TYPE (UrbariumRealismPairs, urbarium_realism_pairs, ADW_TYPE_BIN)

/* ------------------------------------------------------------------------ */
/* Training areas, in a thread                                               */

typedef struct
{
  char      *dataset, *id;  /* owned */
  UrbNearest areas[MAX_PAIRS];
  guint      n;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;
  g_free (request->dataset);
  g_free (request->id);
  g_free (request);
}

static GdkTexture *
paint_area (UrbDataset *dataset, const UrbNearest *area, GError **error)
{
  g_autoptr(UrbariumTile) tile
    = urbarium_tile_read_nearest (dataset, area, urb_dataset_get_info (dataset)->resolution_px, error);
  UrbariumTilePart part;
  if (tile == NULL)
    return NULL;
  urbarium_tile_part_init (&part, tile, FALSE, PAINTED_PX);
  return urbarium_tile_paint (tile, &part);
}

/* UrbariumJobFunc: (element-type GdkTexture) */
static gpointer
paint_areas (gpointer data, UrbariumJob *job, GCancellable *cancellable, GError **error)
{
  const Request *request = data;
  g_autoptr(UrbDataset) dataset = urb_dataset_open (request->dataset, error);
  g_autoptr(GPtrArray) textures = g_ptr_array_new_with_free_func (g_object_unref);
  const UrbDatasetInfo *info;
  if (dataset == NULL)
    return NULL;
  info = urb_dataset_get_info (dataset);
  if (g_strcmp0 (info->id, request->id) != 0)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, _ ("The dataset has changed."));
      return NULL;
    }
  for (guint i = 0; i < request->n && !g_cancellable_is_cancelled (cancellable); i++)
    {
      GdkTexture *texture = request->areas[i].index < info->n_areas
                              ? paint_area (dataset, &request->areas[i], error) : NULL;
      if (texture == NULL)
        break;
      g_ptr_array_add (textures, texture);
    }
  if (error != NULL && *error != NULL)
    return NULL;
  return g_steal_pointer (&textures);
}

static void
painted_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  UrbariumRealismPairs *self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) textures = urbarium_job_finish (URBARIUM_JOB (source), result, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return; /* by clear(): the widget may have been freed */
  for (guint i = 0; textures != NULL && i < MIN (textures->len, self->pictures->len); i++)
    gtk_picture_set_paintable (self->pictures->pdata[i], textures->pdata[i]);
  if (error != NULL)
    for (guint i = 0; i < self->pictures->len; i++)
      gtk_widget_set_tooltip_text (self->pictures->pdata[i], error->message);
  g_clear_object (&self->job);
}

static void
read_areas (UrbariumRealismPairs *self, const UrbariumRealismResult *result)
{
  Request *request = g_new0 (Request, 1);
  request->dataset = g_strdup (result->dataset);
  request->id = g_strdup (result->dataset_id);
  request->n = self->pictures->len;
  for (guint i = 0; i < request->n; i++)
    request->areas[i] = g_array_index (result->closest, UrbariumRealismPair, i).nearest;
  self->job = urbarium_job_new (_ ("Reading training areas"));
  urbarium_job_run (self->job, paint_areas, request, request_free,
                    (GDestroyNotify) g_ptr_array_unref, painted_cb, self);
}

static void
add_pair (UrbariumRealismPairs *self, gint64 seed, const UrbariumRealismPair *pair)
{
  g_autoptr(GtkBuilder) builder
    = gtk_builder_new_from_resource (URBARIUM_UI_PATH "realism-pair.ui");
  GtkPicture *generated = GTK_PICTURE (gtk_builder_get_object (builder, "generated"));
  GtkPicture *real = GTK_PICTURE (gtk_builder_get_object (builder, "real"));
  UrbariumCity *city = urbarium_city_new (seed, pair->generated + 1, 1);
  g_autofree char *share = urbarium_format_percent (pair->nearest.share);
  /* translators: of the ground of a generated area, next to a training area: 3.2 % repeated */
  g_autofree char *repeated = g_strdup_printf (pair->repeats ? _ ("Copy: %s repeated")
                                                             : _ ("%s repeated"), share);
  g_autofree char *number = urbarium_format_count (pair->nearest.index + 1);
  g_autofree char *real_text = g_strdup_printf (_ ("Training area %s"), number);
  g_autofree char *city_text = urbarium_city_dup_title (city);
  gtk_picture_set_alternative_text (generated, city_text);
  gtk_picture_set_alternative_text (real, real_text);
  g_object_set (gtk_builder_get_object (builder, "city_label"), "label", city_text, NULL);
  g_object_set (gtk_builder_get_object (builder, "area_label"), "label", real_text, NULL);
  g_object_set (gtk_builder_get_object (builder, "repeated"), "label", repeated, NULL);
  if (pair->repeats)
    gtk_widget_add_css_class (GTK_WIDGET (gtk_builder_get_object (builder, "repeated")), "error");
  /* Reading the property starts the painting. */
  g_signal_connect (city, "notify::drawn", G_CALLBACK (urbarium_city_get_raster), NULL);
  g_object_bind_property (city, "raster", generated, "paintable", G_BINDING_SYNC_CREATE);
  g_ptr_array_add (self->cities, city);
  g_ptr_array_add (self->pictures, real);
  urbarium_city_source_want (self->source, city);
  gtk_flow_box_append (self->grid, GTK_WIDGET (gtk_builder_get_object (builder, "pair")));
}

static void
clear (UrbariumRealismPairs *self)
{
  if (self->job != NULL)
    urbarium_job_cancel (self->job);
  g_clear_object (&self->job);
  for (guint i = 0; i < self->cities->len; i++)
    urbarium_city_source_unwant (self->source, self->cities->pdata[i]);
  g_ptr_array_set_size (self->cities, 0);
  g_ptr_array_set_size (self->pictures, 0);
  g_clear_object (&self->source);
}

void
urbarium_realism_pairs_set (UrbariumRealismPairs *self, UrbariumCitySource *source,
                            const UrbariumRealismResult *result)
{
  guint n = source != NULL && result != NULL ? MIN (result->closest->len, MAX_PAIRS) : 0;
  GtkWidget *child;
  g_return_if_fail (URBARIUM_IS_REALISM_PAIRS (self));
  clear (self);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->grid))) != NULL)
    gtk_flow_box_remove (self->grid, child);
  gtk_widget_set_visible (GTK_WIDGET (self), n > 0);
  if (n == 0)
    return;
  self->source = g_object_ref (source);
  for (guint i = 0; i < n; i++)
    add_pair (self, result->seed, &g_array_index (result->closest, UrbariumRealismPair, i));
  read_areas (self, result);
}

static void
dispose (GObject *object)
{
  clear (URBARIUM_REALISM_PAIRS (object));
  G_OBJECT_CLASS (urbarium_realism_pairs_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumRealismPairs *self = URBARIUM_REALISM_PAIRS (object);
  g_ptr_array_unref (self->cities);
  g_ptr_array_unref (self->pictures);
  G_OBJECT_CLASS (urbarium_realism_pairs_parent_class)->finalize (object);
}

static void
urbarium_realism_pairs_class_init (UrbariumRealismPairsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  object_class->dispose = dispose;
  object_class->finalize = finalize;
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "realism-pairs.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumRealismPairs, grid);
}

static void
urbarium_realism_pairs_init (UrbariumRealismPairs *self)
{
  self->cities = g_ptr_array_new_with_free_func (g_object_unref);
  self->pictures = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
}
