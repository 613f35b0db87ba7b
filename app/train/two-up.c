/* SPDX-License-Identifier: Apache-2.0 */
/*
 * two-up.c - needed because GTK 4.8 has no breakpoints.  The width passed to measure() selects the
 * layout, so the requested height always matches the layout that will be used.
 */
#include "app/train/two-up.h"

struct _UrbariumTwoUp
{
  GtkWidget  parent_instance;

  GtkWidget *start, *end; /* (nullable) owned as children */
  int        spacing, fold_width;
  double     share;
};

G_DEFINE_FINAL_TYPE (UrbariumTwoUp, urbarium_two_up, GTK_TYPE_WIDGET)

enum { PROP_0, PROP_START, PROP_END, PROP_SPACING, PROP_FOLD_WIDTH, PROP_SHARE, N_PROPS };
static GParamSpec *props[N_PROPS];

static gboolean
is_shown (GtkWidget *child)
{
  return child != NULL && gtk_widget_should_layout (child);
}

static gboolean
both (UrbariumTwoUp *self)
{
  return is_shown (self->start) && is_shown (self->end);
}

static int
start_width (UrbariumTwoUp *self, int width)
{
  return (int) (self->share * (width - self->spacing));
}

static void
measure_child (GtkWidget *child, GtkOrientation orientation, int for_size, int *minimum,
               int *natural)
{
  *minimum = *natural = 0;
  if (is_shown (child))
    gtk_widget_measure (child, orientation, for_size, minimum, natural, NULL, NULL);
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
         int *minimum_baseline, int *natural_baseline)
{
  UrbariumTwoUp *self = URBARIUM_TWO_UP (widget);
  int spacing = both (self) ? self->spacing : 0;
  int start_min, start_nat, end_min, end_nat;
  gboolean wide = both (self) && (for_size < 0 || for_size >= self->fold_width);
  int start_size = for_size, end_size = for_size;
  if (orientation == GTK_ORIENTATION_VERTICAL && wide && for_size >= 0)
    {
      start_size = start_width (self, for_size);
      end_size = for_size - spacing - start_size;
    }
  else if (orientation == GTK_ORIENTATION_HORIZONTAL)
    start_size = end_size = -1;
  measure_child (self->start, orientation, start_size, &start_min, &start_nat);
  measure_child (self->end, orientation, end_size, &end_min, &end_nat);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = MAX (start_min, end_min);
      *natural = MAX (start_nat + spacing + end_nat, *minimum);
    }
  else if (wide)
    {
      *minimum = MAX (start_min, end_min);
      *natural = MAX (start_nat, end_nat);
    }
  else
    {
      *minimum = start_min + spacing + end_min;
      *natural = start_nat + spacing + end_nat;
    }
}

static void
allocate (GtkWidget *child, int x, int y, int width, int height)
{
  GtkAllocation box = { x, y, width, height };
  if (is_shown (child))
    gtk_widget_size_allocate (child, &box, -1);
}

static void
size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  UrbariumTwoUp *self = URBARIUM_TWO_UP (widget);
  gboolean rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  if (!both (self))
    {
      allocate (self->start, 0, 0, width, height);
      allocate (self->end, 0, 0, width, height);
    }
  else if (width >= self->fold_width)
    {
      int first = start_width (self, width), second = width - self->spacing - first;
      allocate (self->start, rtl ? second + self->spacing : 0, 0, first, height);
      allocate (self->end, rtl ? 0 : first + self->spacing, 0, second, height);
    }
  else
    {
      int min, nat, min_end, nat_end, extra;
      measure_child (self->start, GTK_ORIENTATION_VERTICAL, width, &min, &nat);
      measure_child (self->end, GTK_ORIENTATION_VERTICAL, width, &min_end, &nat_end);
      extra = MAX (height - self->spacing - min - min_end, 0);
      min += extra / 2;
      allocate (self->start, 0, 0, width, min);
      allocate (self->end, 0, min + self->spacing, width, height - self->spacing - min);
    }
}

static GtkSizeRequestMode
get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
set_child (UrbariumTwoUp *self, GtkWidget **slot, GtkWidget *child)
{
  g_clear_pointer (slot, gtk_widget_unparent);
  *slot = child;
  if (child == NULL)
    return;
  /* The focus chain follows the order of the children. */
  if (slot == &self->start)
    gtk_widget_insert_after (child, GTK_WIDGET (self), NULL);
  else
    gtk_widget_insert_before (child, GTK_WIDGET (self), NULL);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  UrbariumTwoUp *self = URBARIUM_TWO_UP (object);
  switch (id)
    {
    case PROP_START:
      g_value_set_object (value, self->start);
      break;
    case PROP_END:
      g_value_set_object (value, self->end);
      break;
    case PROP_SPACING:
      g_value_set_int (value, self->spacing);
      break;
    case PROP_FOLD_WIDTH:
      g_value_set_int (value, self->fold_width);
      break;
    case PROP_SHARE:
      g_value_set_double (value, self->share);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  UrbariumTwoUp *self = URBARIUM_TWO_UP (object);
  switch (id)
    {
    case PROP_START:
      set_child (self, &self->start, g_value_get_object (value));
      break;
    case PROP_END:
      set_child (self, &self->end, g_value_get_object (value));
      break;
    case PROP_SPACING:
      self->spacing = g_value_get_int (value);
      break;
    case PROP_FOLD_WIDTH:
      self->fold_width = g_value_get_int (value);
      break;
    case PROP_SHARE:
      self->share = g_value_get_double (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      return;
    }
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

static void
dispose (GObject *object)
{
  UrbariumTwoUp *self = URBARIUM_TWO_UP (object);
  g_clear_pointer (&self->start, gtk_widget_unparent);
  g_clear_pointer (&self->end, gtk_widget_unparent);
  G_OBJECT_CLASS (urbarium_two_up_parent_class)->dispose (object);
}

static void
urbarium_two_up_class_init (UrbariumTwoUpClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->get_property = get_property;
  G_OBJECT_CLASS (klass)->set_property = set_property;
  widget_class->measure = measure;
  widget_class->size_allocate = size_allocate;
  widget_class->get_request_mode = get_request_mode;
  props[PROP_START] = g_param_spec_object ("start", NULL, NULL, GTK_TYPE_WIDGET, flags);
  props[PROP_END] = g_param_spec_object ("end", NULL, NULL, GTK_TYPE_WIDGET, flags);
  props[PROP_SPACING] = g_param_spec_int ("spacing", NULL, NULL, 0, 1000, 24, flags);
  props[PROP_FOLD_WIDTH] = g_param_spec_int ("fold-width", NULL, NULL, 0, 10000, 800, flags);
  props[PROP_SHARE] = g_param_spec_double ("share", NULL, NULL, 0.1, 0.9, 0.5, flags);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, props);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
urbarium_two_up_init (UrbariumTwoUp *self)
{
  self->spacing = 24;
  self->fold_width = 800;
  self->share = 0.5;
}
