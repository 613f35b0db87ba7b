/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-cache.c - see plan-cache.h.
 *
 * The file is text: a first line with the format and the device, then "key TAB value" lines.  Several
 * processes may write it: each re-reads it, merges it with its own entries, and replaces it with a new
 * file.  They serialize with a lock on a separate file, since the cache itself is replaced.  Without locks
 * an entry may be lost, and is timed again later.  Malformed lines are skipped; callers must check the
 * values.
 *
 * A long text is a file beside it, named after a hash of its key, and begins with the same first line and a
 * line with the key.
 *
 * The list of open caches is the only state that backends share: see plan-cache.h for why.
 */
#include "kernels/cuda/plan-cache.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define FORMAT "urbarium-plans-2"

enum
{
  MAX_ENTRIES = 8192,
  MAX_LINE = 2 * UK_PLAN_CACHE_MAX_TEXT + 2,
  MAX_NAME = 120, /* characters of the device in the file's name */
  MAX_LONG = 64 << 20 /* bytes of a long text */
};

typedef struct
{
  char *key, *value; /* owned */
} Entry;

struct _UkPlanCache
{
  UkPlanCache    *next;
  int             n_users;
  char           *path;   /* owned, (nullable) */
  char           *device; /* owned */
  pthread_mutex_t mutex;
  int             lock; /* owned: an open file while locked, or -1 */
  Entry          *entries; /* owned */
  int             n_entries, room;
};

static pthread_mutex_t caches_mutex = PTHREAD_MUTEX_INITIALIZER;
static UkPlanCache *caches;

/* ------------------------------------------------------------------------ */
/* Entries                                                                   */

static bool
is_text (const char *text)
{
  size_t length = strlen (text);

  for (size_t i = 0; i < length; i++)
    if (text[i] < ' ' || text[i] > '~')
      return false;
  return length > 0 && length < UK_PLAN_CACHE_MAX_TEXT;
}

static Entry *
find_entry (const UkPlanCache *self, const char *key)
{
  for (int i = 0; i < self->n_entries; i++)
    if (strcmp (self->entries[i].key, key) == 0)
      return &self->entries[i];
  return NULL;
}

static bool
make_room (UkPlanCache *self)
{
  int room = self->room > 0 ? 2 * self->room : 64;
  Entry *entries;

  if (self->n_entries < self->room)
    return true;
  if (self->n_entries >= MAX_ENTRIES)
    return false;
  entries = realloc (self->entries, (size_t) room * sizeof *entries);
  if (entries == NULL)
    return false;
  self->entries = entries;
  self->room = room;
  return true;
}

static void
add_entry (UkPlanCache *self, const char *key, const char *value)
{
  Entry entry;

  if (!is_text (key) || !is_text (value) || !make_room (self))
    return;
  entry = (Entry) { strdup (key), strdup (value) };
  if (entry.key == NULL || entry.value == NULL)
    {
      free (entry.key);
      free (entry.value);
      return;
    }
  self->entries[self->n_entries++] = entry;
}

/* ------------------------------------------------------------------------ */
/* The file                                                                  */

/* The next line without its newline; false at the end of the file.  A line that is too long, unterminated
 * or contains a NUL yields "". */
static bool
read_line (FILE *file, char line[MAX_LINE])
{
  size_t length = 0;
  bool is_bad = false;
  int c;

  while ((c = getc (file)) != EOF && c != '\n')
    {
      is_bad = is_bad || c == '\0' || length + 1 == MAX_LINE;
      if (!is_bad)
        line[length++] = (char) c;
    }
  line[is_bad || c == EOF ? 0 : length] = '\0';
  return c != EOF;
}

/* Writes the rest of @file, after its first line; false on failure. */
typedef bool (*Writer) (const UkPlanCache *self, FILE *file, const void *data);

static void
replace_file (const UkPlanCache *self, const char *path, Writer write, const void *data)
{
  size_t size = strlen (path) + 64;
  char *name = malloc (size);
  bool ok = false;
  int handle;
  FILE *file;

  if (name == NULL)
    return;
  /* A process has one cache per path.  If the temporary name exists nevertheless (a process with the same
   * id on another machine, or one that died), the file is left as it is. */
  snprintf (name, size, "%s.%ld.tmp", path, (long) getpid ());
  handle = open (name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  file = handle >= 0 ? fdopen (handle, "w") : NULL;
  if (file != NULL)
    {
      ok = fprintf (file, FORMAT "\t%s\n", self->device) > 0 && write (self, file, data);
      ok = fclose (file) == 0 && ok;
      ok = ok && rename (name, path) == 0;
    }
  else if (handle >= 0)
    close (handle);
  if (!ok && handle >= 0)
    unlink (name);
  free (name);
}

static bool
write_entries (const UkPlanCache *self, FILE *file, const void *data)
{
  bool ok = true;

  (void) data;
  for (int i = 0; ok && i < self->n_entries; i++)
    ok = fprintf (file, "%s\t%s\n", self->entries[i].key, self->entries[i].value) > 0;
  return ok;
}

/* Whether the next line is the first one of this cache's files. */
static bool
begins_well (const UkPlanCache *self, FILE *file)
{
  char line[MAX_LINE];

  return read_line (file, line) && strncmp (line, FORMAT "\t", sizeof FORMAT) == 0
         && strcmp (line + sizeof FORMAT, self->device) == 0;
}

static FILE *
open_to_read (const char *path)
{
  int handle = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  FILE *file = handle >= 0 ? fdopen (handle, "r") : NULL;

  if (file == NULL && handle >= 0)
    close (handle);
  return file;
}

/* Adds the file's entries that are not yet known. */
static void
read_file (UkPlanCache *self)
{
  FILE *file = open_to_read (self->path);
  char line[MAX_LINE];

  if (file == NULL)
    return;
  if (begins_well (self, file))
    while (self->n_entries < MAX_ENTRIES && read_line (file, line))
      {
        char *tab = strchr (line, '\t');

        if (tab == NULL)
          continue;
        *tab = '\0';
        if (find_entry (self, line) == NULL)
          add_entry (self, line, tab + 1);
      }
  fclose (file);
}

/* An open file that stays locked until it is closed; -1 if locking is unavailable. */
static int
take_lock (const UkPlanCache *self)
{
  size_t size = strlen (self->path) + sizeof ".lock";
  char *name = malloc (size);
  int handle, result;

  if (name == NULL)
    return -1;
  snprintf (name, size, "%s.lock", self->path);
  handle = open (name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  free (name);
  if (handle < 0)
    return -1;
  do
    result = flock (handle, LOCK_EX);
  while (result != 0 && errno == EINTR);
  if (result == 0)
    return handle;
  close (handle);
  return -1;
}

/* ------------------------------------------------------------------------ */
/* Caches                                                                    */

static char *
path_of (const char *folder, const char *device)
{
  size_t size = strlen (folder) + MAX_NAME + 32, at;
  char *path = malloc (size);

  if (path == NULL)
    return NULL;
  at = (size_t) snprintf (path, size, "%s/plans-", folder);
  for (int i = 0; device[i] != '\0' && i < MAX_NAME; i++)
    {
      char c = device[i];
      bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
                   || c == '.';

      path[at++] = plain ? c : '-';
    }
  strcpy (path + at, ".txt");
  return path;
}

static void
free_cache (UkPlanCache *self)
{
  for (int i = 0; i < self->n_entries; i++)
    {
      free (self->entries[i].key);
      free (self->entries[i].value);
    }
  free (self->entries);
  pthread_mutex_destroy (&self->mutex);
  free (self->path);
  free (self->device);
  free (self);
}

static UkPlanCache *
new_cache (const char *folder, const char *device)
{
  UkPlanCache *self = calloc (1, sizeof *self);

  if (self == NULL)
    return NULL;
  pthread_mutex_init (&self->mutex, NULL);
  self->lock = -1;
  self->device = strdup (device);
  self->path = folder != NULL ? path_of (folder, device) : NULL;
  if (self->device == NULL || (folder != NULL && self->path == NULL))
    {
      free_cache (self);
      return NULL;
    }
  if (self->path != NULL)
    read_file (self);
  return self;
}

UkStatus
uk_plan_cache_open (const char *folder, const char *device, UkPlanCache **out)
{
  char *path = folder != NULL ? path_of (folder, device) : NULL;
  UkPlanCache *cache = NULL;

  if (!is_text (device))
    {
      free (path);
      return UK_BAD_ARGUMENT;
    }
  if (folder != NULL && path == NULL)
    return UK_NO_MEMORY;
  pthread_mutex_lock (&caches_mutex);
  for (cache = caches; cache != NULL; cache = cache->next)
    if (strcmp (cache->device, device) == 0
        && (path != NULL && cache->path != NULL ? strcmp (cache->path, path) == 0 : path == cache->path))
      break;
  if (cache == NULL)
    {
      cache = new_cache (folder, device);
      if (cache != NULL)
        {
          cache->next = caches;
          caches = cache;
        }
    }
  if (cache != NULL)
    cache->n_users++;
  pthread_mutex_unlock (&caches_mutex);
  free (path);
  *out = cache;
  return cache != NULL ? UK_OK : UK_NO_MEMORY;
}

void
uk_plan_cache_close (UkPlanCache *self)
{
  UkPlanCache **link = &caches;

  if (self == NULL)
    return;
  pthread_mutex_lock (&caches_mutex);
  if (--self->n_users == 0)
    {
      while (*link != self)
        link = &(*link)->next;
      *link = self->next;
      free_cache (self);
    }
  pthread_mutex_unlock (&caches_mutex);
}

void
uk_plan_cache_lock (UkPlanCache *self)
{
  pthread_mutex_lock (&self->mutex);
  if (self->path != NULL)
    self->lock = take_lock (self);
}

void
uk_plan_cache_unlock (UkPlanCache *self)
{
  if (self->lock >= 0)
    close (self->lock);
  self->lock = -1;
  pthread_mutex_unlock (&self->mutex);
}

bool
uk_plan_cache_find (UkPlanCache *self, const char *key, char *value)
{
  const Entry *entry = find_entry (self, key);

  /* Another process may have added it since. */
  if (entry == NULL && self->path != NULL)
    {
      read_file (self);
      entry = find_entry (self, key);
    }
  if (entry == NULL)
    return false;
  snprintf (value, UK_PLAN_CACHE_MAX_TEXT, "%s", entry->value);
  return true;
}

void
uk_plan_cache_store (UkPlanCache *self, const char *key, const char *value)
{
  Entry *entry = find_entry (self, key);
  char *copy;

  if (entry == NULL)
    add_entry (self, key, value);
  else if (is_text (value) && (copy = strdup (value)) != NULL)
    {
      free (entry->value);
      entry->value = copy;
    }
  if (self->path == NULL)
    return;
  read_file (self);
  replace_file (self, self->path, write_entries, NULL);
}

/* ------------------------------------------------------------------------ */
/* Long texts                                                                */

typedef struct
{
  const char *key, *text;
} Long;

/* NULL if there is no memory. */
static char *
long_path_of (const UkPlanCache *self, const char *key)
{
  size_t size = strlen (self->path) + 32;
  char *path = malloc (size);
  uint64_t hash = UINT64_C (0xcbf29ce484222325); /* FNV-1a */

  for (; *key != '\0'; key++)
    hash = (hash ^ (unsigned char) *key) * UINT64_C (0x100000001b3);
  if (path != NULL)
    snprintf (path, size, "%s.%016llx", self->path, (unsigned long long) hash);
  return path;
}

/* The rest of @file; NULL if it is empty, too long or contains a NUL. */
static char *
read_rest (FILE *file)
{
  char *text = NULL;
  size_t length = 0, room = 0;

  for (;;)
    {
      char *more;

      room = room > 0 ? 2 * room : 64 << 10;
      more = room <= MAX_LONG ? realloc (text, room) : NULL;
      if (more == NULL)
        break;
      text = more;
      length += fread (text + length, 1, room - 1 - length, file);
      if (length + 1 < room)
        {
          text[length] = '\0';
          if (length > 0 && strlen (text) == length)
            return text;
          break;
        }
    }
  free (text);
  return NULL;
}

char *
uk_plan_cache_find_long (UkPlanCache *self, const char *key)
{
  char *path = self->path != NULL ? long_path_of (self, key) : NULL, *text = NULL;
  FILE *file = path != NULL ? open_to_read (path) : NULL;
  char line[MAX_LINE];

  if (file != NULL)
    {
      if (begins_well (self, file) && read_line (file, line) && strcmp (line, key) == 0)
        text = read_rest (file);
      fclose (file);
    }
  free (path);
  return text;
}

static bool
write_long (const UkPlanCache *self, FILE *file, const void *data)
{
  const Long *what = data;

  (void) self;
  return fprintf (file, "%s\n", what->key) > 0 && fputs (what->text, file) >= 0;
}

void
uk_plan_cache_store_long (UkPlanCache *self, const char *key, const char *text)
{
  char *path = self->path != NULL ? long_path_of (self, key) : NULL;

  if (path != NULL && is_text (key) && strlen (text) < MAX_LONG / 2)
    replace_file (self, path, write_long, &(Long) { key, text });
  free (path);
}
