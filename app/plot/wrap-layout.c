/* SPDX-License-Identifier: Apache-2.0 */
#include "app/plot/wrap-layout.h"

struct _UrbariumWrapLayout
{
  GtkLayoutManager parent_instance;
  int              spacing, line_spacing;
  double           xalign;
};

G_DEFINE_FINAL_TYPE (UrbariumWrapLayout, urbarium_wrap_layout, GTK_TYPE_LAYOUT_MANAGER)

enum { PROP_0, PROP_SPACING, PROP_LINE_SPACING, PROP_XALIGN, N_PROPS };
static GParamSpec *props[N_PROPS];

static GtkSizeRequestMode
get_request_mode (GtkLayoutManager *manager, GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

/* The first visible child from @child on. */
static GtkWidget *
next_shown (GtkWidget *child)
{
  while (child != NULL && !gtk_widget_should_layout (child))
    child = gtk_widget_get_next_sibling (child);
  return child;
}

static int
natural_width (GtkWidget *child, int width)
{
  int minimum, natural;

  gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL, NULL);
  return MAX (minimum, MIN (natural, width));
}

static gboolean
expands (GtkWidget *child)
{
  return gtk_widget_compute_expand (child, GTK_ORIENTATION_HORIZONTAL);
}

/* Measures the children that fit into one line.  Returns: the first child of the next line */
static GtkWidget *
take_line (UrbariumWrapLayout *self, GtkWidget *first, int width, int *line_width, int *line_height,
           int *n_expand)
{
  GtkWidget *child = first;

  *line_width = -self->spacing;
  *line_height = *n_expand = 0;
  while (child != NULL)
    {
      int child_width = natural_width (child, width), minimum, natural;
      if (child != first && *line_width + self->spacing + child_width > width)
        break;
      gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, child_width, &minimum, &natural, NULL,
                          NULL);
      *line_width += self->spacing + child_width;
      *line_height = MAX (*line_height, natural);
      *n_expand += expands (child);
      child = next_shown (gtk_widget_get_next_sibling (child));
    }
  return child;
}

static void
measure (GtkLayoutManager *manager, GtkWidget *widget, GtkOrientation orientation, int for_size,
         int *minimum, int *natural, int *minimum_baseline, int *natural_baseline)
{
  UrbariumWrapLayout *self = URBARIUM_WRAP_LAYOUT (manager);
  GtkWidget *child = next_shown (gtk_widget_get_first_child (widget));

  *minimum = *natural = 0;
  if (orientation == GTK_ORIENTATION_VERTICAL)
    {
      int width = for_size < 0 ? G_MAXINT / 2 : for_size, line_width, line_height, n_expand;
      while (child != NULL)
        {
          child = take_line (self, child, width, &line_width, &line_height, &n_expand);
          *natural += line_height + (child != NULL ? self->line_spacing : 0);
        }
      *minimum = *natural;
      return;
    }
  for (; child != NULL; child = next_shown (gtk_widget_get_next_sibling (child)))
    {
      int child_minimum, child_natural;
      gtk_widget_measure (child, orientation, -1, &child_minimum, &child_natural, NULL, NULL);
      *minimum = MAX (*minimum, child_minimum);
      *natural += child_natural + (*natural > 0 ? self->spacing : 0);
    }
}

static void
allocate (GtkLayoutManager *manager, GtkWidget *widget, int width, int height, int baseline)
{
  UrbariumWrapLayout *self = URBARIUM_WRAP_LAYOUT (manager);
  gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  GtkWidget *child = next_shown (gtk_widget_get_first_child (widget));
  int y = 0;

  while (child != NULL)
    {
      int line_width, line_height, n_expand, extra, x;
      GtkWidget *end = take_line (self, child, width, &line_width, &line_height, &n_expand);
      extra = MAX (0, width - line_width);
      x = n_expand > 0 ? 0 : (int) (self->xalign * extra);
      for (; child != end; child = next_shown (gtk_widget_get_next_sibling (child)))
        {
          int more = expands (child) ? extra / n_expand-- : 0;
          int child_width = natural_width (child, width) + more;
          GtkAllocation place = { mirrored ? width - x - child_width : x, y, child_width,
                                  line_height };
          gtk_widget_size_allocate (child, &place, -1);
          x += child_width + self->spacing;
          extra -= more;
        }
      y += line_height + self->line_spacing;
    }
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  UrbariumWrapLayout *self = URBARIUM_WRAP_LAYOUT (object);
  switch (id)
    {
    case PROP_SPACING: g_value_set_int (value, self->spacing); break;
    case PROP_LINE_SPACING: g_value_set_int (value, self->line_spacing); break;
    case PROP_XALIGN: g_value_set_double (value, self->xalign); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  UrbariumWrapLayout *self = URBARIUM_WRAP_LAYOUT (object);
  switch (id)
    {
    case PROP_SPACING: self->spacing = g_value_get_int (value); break;
    case PROP_LINE_SPACING: self->line_spacing = g_value_get_int (value); break;
    case PROP_XALIGN: self->xalign = g_value_get_double (value); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec); return;
    }
  gtk_layout_manager_layout_changed (GTK_LAYOUT_MANAGER (self));
}

static void
urbarium_wrap_layout_class_init (UrbariumWrapLayoutClass *klass)
{
  GtkLayoutManagerClass *layout_class = GTK_LAYOUT_MANAGER_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  G_OBJECT_CLASS (klass)->get_property = get_property;
  G_OBJECT_CLASS (klass)->set_property = set_property;
  layout_class->get_request_mode = get_request_mode;
  layout_class->measure = measure;
  layout_class->allocate = allocate;
  props[PROP_SPACING] = g_param_spec_int ("spacing", NULL, NULL, 0, 1000, 0, flags);
  props[PROP_LINE_SPACING] = g_param_spec_int ("line-spacing", NULL, NULL, 0, 1000, 0, flags);
  props[PROP_XALIGN] = g_param_spec_double ("xalign", NULL, NULL, 0, 1, 0.5, flags);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, props);
}

static void
urbarium_wrap_layout_init (UrbariumWrapLayout *self)
{
  self->xalign = 0.5;
}

GtkLayoutManager *
urbarium_wrap_layout_new (int spacing)
{
  return g_object_new (URBARIUM_TYPE_WRAP_LAYOUT, "spacing", spacing, NULL);
}
