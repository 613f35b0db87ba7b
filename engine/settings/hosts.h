/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.h - the hosts file of a run, as mpirun's --hostfile: a host a line, with its slots.
 *
 * Also what can keep a host from taking part, with what to do about it: the engine finds it
 * (`devices --hosts`), and the window shows it in its own language.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  char *name;    /* owned: a name or an address, perhaps with a user: "ada@there.example" */
  int   n_slots; /* ranks that it may run; 0: the file does not say */
  /* What only a person or mpirun reads, so that it is written again: (nullable) owned */
  char *before;  /* comments and empty lines before its line, each with its end */
  char *behind;  /* what its line says more, with a space before: words, a comment */
  char *after;   /* comments and empty lines after its line, if no host's `before` has them */
  char *damage;  /* (nullable) owned: why its line, which is then the name, cannot be used */
} UrbHost;

UrbHost *urb_host_new  (const char *name, int n_slots);
void     urb_host_free (UrbHost *self);
/* Copies what only a person or mpirun reads to a new host. */
void     urb_host_copy_rest (UrbHost *self, const UrbHost *from);
/* Keeps the comments and empty lines around the line of a host that is left out; they stood behind that of @self. */
void     urb_host_keep_lines (UrbHost *self, const UrbHost *left_out);

/* Whether a hosts file can have that name; otherwise an %URB_TRAIN_ERROR_OPTIONS. */
gboolean   urb_host_check_name (const char *name, GError **error);

/**
 * urb_hosts_parse:
 * @text: the hosts file; of what a line says behind the name, only "slots=" is read
 *
 * Returns: (transfer full) (element-type UrbHost): in the order of the file; NULL with an
 *   %URB_TRAIN_ERROR_OPTIONS that names the line if a host cannot have that name or number of slots, or if
 *   there is none
 */
GPtrArray *urb_hosts_parse     (const char *text, GError **error);
/* As urb_hosts_parse(), but keeps damaged lines, to be mended.  It fails only if there is no line of a host. */
GPtrArray *urb_hosts_parse_any (const char *text, GError **error);
/* (transfer full): the text of a hosts file, with all that was parsed */
char      *urb_hosts_to_text   (const GPtrArray *hosts);

/* What keeps a host from taking part. */
typedef enum
{
  URB_HOST_READY,
  URB_HOST_NO_SSH,        /* on this machine */
  URB_HOST_UNKNOWN,       /* nobody knows its name */
  URB_HOST_UNREACHABLE,
  URB_HOST_NO_SERVER,     /* no ssh server answers */
  URB_HOST_KEY,           /* its key was not accepted */
  URB_HOST_LOGIN,         /* a password would be needed */
  URB_HOST_SILENT,        /* no answer in time */
  URB_HOST_NO_PROGRAM,
  URB_HOST_FAILED,        /* the program there failed, or its answer cannot be read */
  URB_HOST_OTHER_VERSION,
  URB_HOST_OTHER_DATASET,
  URB_HOST_NOT_HERE,      /* the first one, which has to be this machine */
  URB_N_HOST_PROBLEMS
} UrbHostProblem;

typedef struct
{
  const char *name; /* for programs */
  const char *text; /* what is wrong and what to do, in two sentences; translatable */
} UrbHostProblemInfo;

extern const UrbHostProblemInfo urb_host_problems[URB_N_HOST_PROBLEMS];

/* The problem of that name, as another version may know more of them. @name: (nullable): READY */
UrbHostProblem urb_host_problem_find (const char *name);

G_END_DECLS
