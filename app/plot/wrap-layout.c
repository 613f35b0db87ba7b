/* SPDX-License-Identifier: Apache-2.0 */
#include "app/plot/wrap-layout.h"

struct _UrbariumWrapLayout
{
  GtkLayoutManager parent_instance;
  int              spacing;
};

G_DEFINE_FINAL_TYPE (UrbariumWrapLayout, urbarium_wrap_layout, GTK_TYPE_LAYOUT_MANAGER)

static GtkSizeRequestMode
get_request_mode (GtkLayoutManager *manager, GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

/* The next child with a place in the layout, from @child on. */
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

/* The children that fit into one line. Returns: the first of the next line */
static GtkWidget *
take_line (UrbariumWrapLayout *self, GtkWidget *first, int width, int *line_width, int *line_height)
{
  GtkWidget *child = first;

  *line_width = -self->spacing;
  *line_height = 0;
  while (child != NULL)
    {
      int child_width = natural_width (child, width), minimum, natural;
      if (child != first && *line_width + self->spacing + child_width > width)
        break;
      gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, child_width, &minimum, &natural, NULL,
                          NULL);
      *line_width += self->spacing + child_width;
      *line_height = MAX (*line_height, natural);
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
      int width = for_size < 0 ? G_MAXINT / 2 : for_size, line_width, line_height;
      while (child != NULL)
        {
          child = take_line (self, child, width, &line_width, &line_height);
          *natural += line_height;
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
      int line_width, line_height, x;
      GtkWidget *end = take_line (self, child, width, &line_width, &line_height);
      x = MAX (0, (width - line_width) / 2);
      for (; child != end; child = next_shown (gtk_widget_get_next_sibling (child)))
        {
          int child_width = natural_width (child, width);
          GtkAllocation place = { mirrored ? width - x - child_width : x, y, child_width,
                                  line_height };
          gtk_widget_size_allocate (child, &place, -1);
          x += child_width + self->spacing;
        }
      y += line_height;
    }
}

static void
urbarium_wrap_layout_class_init (UrbariumWrapLayoutClass *klass)
{
  GtkLayoutManagerClass *layout_class = GTK_LAYOUT_MANAGER_CLASS (klass);

  layout_class->get_request_mode = get_request_mode;
  layout_class->measure = measure;
  layout_class->allocate = allocate;
}

static void
urbarium_wrap_layout_init (UrbariumWrapLayout *self)
{
}

GtkLayoutManager *
urbarium_wrap_layout_new (int spacing)
{
  UrbariumWrapLayout *self = g_object_new (URBARIUM_TYPE_WRAP_LAYOUT, NULL);

  self->spacing = spacing;
  return GTK_LAYOUT_MANAGER (self);
}
