/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draw-members.c - what members the requests of a drawing session have, and of which kind.
 *
 * A name has the same kind wherever it stands.  Other names are left to later versions.
 */
#include "cli/draw-session-private.h"

#include "run/store/run.h"

typedef enum
{
  KIND_TEXT,
  KIND_INTEGER,
  KIND_NUMBER,
  KIND_OBJECT,
  KIND_LIST
} Kind;

static const char *const kinds[] = {
  [KIND_TEXT] = "a text",        [KIND_INTEGER] = "a whole number", [KIND_NUMBER] = "a number",
  [KIND_OBJECT] = "an object",   [KIND_LIST] = "a list",
};

static const struct
{
  const char *name;
  Kind        kind;
} members[] = {
  { "cmd", KIND_TEXT },         { "checkpoint", KIND_TEXT },  { "device", KIND_TEXT },  { "precision", KIND_TEXT },
  { "kind", KIND_TEXT },        { "keep", KIND_TEXT },        { "of", KIND_INTEGER },   { "threads", KIND_INTEGER },
  { "seed", KIND_INTEGER },     { "index", KIND_INTEGER },    { "first", KIND_INTEGER }, { "count", KIND_INTEGER },
  { "n", KIND_INTEGER },        { "columns", KIND_INTEGER },  { "rows", KIND_INTEGER }, { "directions", KIND_INTEGER },
  { "epsg", KIND_INTEGER },     { "truncation", KIND_NUMBER }, { "x", KIND_NUMBER },    { "y", KIND_NUMBER },
  { "built", KIND_NUMBER },     { "roads", KIND_NUMBER },     { "halls", KIND_NUMBER }, { "turn", KIND_OBJECT },
  { "shares", KIND_OBJECT },    { "from", KIND_OBJECT },      { "to", KIND_OBJECT },    { "given", KIND_LIST },
};

static gboolean
is_of_kind (JsonNode *node, Kind kind)
{
  GType type = json_node_get_value_type (node);

  switch (kind)
    {
    case KIND_TEXT: return type == G_TYPE_STRING;
    case KIND_INTEGER: return type == G_TYPE_INT64;
    case KIND_NUMBER: return type == G_TYPE_INT64 || type == G_TYPE_DOUBLE;
    case KIND_OBJECT: return JSON_NODE_HOLDS_OBJECT (node);
    case KIND_LIST: return JSON_NODE_HOLDS_ARRAY (node);
    }
  g_return_val_if_reached (FALSE);
}

/* @of: (nullable): the member that @object is; NULL: it is the request itself */
static gboolean
check (JsonObject *object, const char *of, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    {
      JsonNode *node = json_object_get_member (object, members[i].name);

      if (node != NULL && !is_of_kind (node, members[i].kind))
        {
          g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_PROTOCOL, "'%s'%s%s%s must be %s", members[i].name,
                       of != NULL ? " of '" : "", of != NULL ? of : "", of != NULL ? "'" : "", kinds[members[i].kind]);
          return FALSE;
        }
      if (node != NULL && members[i].kind == KIND_OBJECT && !check (json_node_get_object (node), members[i].name, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
urb_draw_check_members (JsonObject *object, GError **error)
{
  return check (object, NULL, error);
}
