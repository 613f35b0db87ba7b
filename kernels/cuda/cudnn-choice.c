/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cudnn-choice.c - a choice as the plan cache's text: "VARIANT WORKSPACE COMPILED ENGINE KNOB=VALUE …".
 */
#include "kernels/cuda/libraries-private.h"

#include <stdio.h>

enum
{
  MAX_NUMBER = 1 << 30
};

void
uk_cudnn_choice_write (const UkCudnnChoice *choice, int variant, size_t workspace_bytes, char *text)
{
  size_t at = (size_t) snprintf (text, UK_PLAN_CACHE_MAX_TEXT, "%d %zu %d %lld", variant, workspace_bytes,
                                 choice->is_compiled, (long long) choice->engine);

  for (int i = 0; i < choice->n_knobs && at < UK_PLAN_CACHE_MAX_TEXT; i++)
    at += (size_t) snprintf (text + at, UK_PLAN_CACHE_MAX_TEXT - at, " %lld=%lld",
                             (long long) choice->knobs[i].type, (long long) choice->knobs[i].value);
}

/* Reads digits up to and including @end; a knob's value may be negative. */
static bool
read_number (const char **text, char end, int64_t *out)
{
  bool is_negative = end == ' ' && **text == '-';
  const char *at = *text + is_negative;
  int64_t number = 0;

  if (*at < '0' || *at > '9')
    return false;
  for (; *at >= '0' && *at <= '9'; at++)
    if ((number = number * 10 + (*at - '0')) > MAX_NUMBER)
      return false;
  if (*at != end && *at != '\0')
    return false;
  *text = *at == '\0' ? at : at + 1;
  *out = is_negative ? -number : number;
  return true;
}

/* A number that is neither the last one nor beyond @max. */
static bool
read_field (const char **text, int64_t max, int64_t *out)
{
  return read_number (text, ' ', out) && *out >= 0 && *out <= max && **text != '\0';
}

bool
uk_cudnn_choice_read (const char *text, UkCudnnChoice *choice, int *variant, size_t *workspace_bytes)
{
  int64_t number, n_bytes, is_compiled;

  *choice = (UkCudnnChoice) { 0 };
  if (!read_field (&text, UK_CUDNN_MAX_VARIANTS - 1, &number) || !read_field (&text, MAX_NUMBER, &n_bytes)
      || !read_field (&text, 1, &is_compiled) || !read_number (&text, ' ', &choice->engine)
      || choice->engine < 0)
    return false;
  *variant = (int) number;
  *workspace_bytes = (size_t) n_bytes;
  choice->is_compiled = is_compiled;
  for (; *text != '\0'; choice->n_knobs++)
    {
      int i = choice->n_knobs;

      if (i == UK_CUDNN_MAX_KNOBS || !read_number (&text, '=', &choice->knobs[i].type)
          || *text == '\0' || !read_number (&text, ' ', &choice->knobs[i].value)
          || choice->knobs[i].type >= CUDNN_KNOB_TYPE_COUNTS)
        return false;
    }
  return true;
}
