/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader-process.h - starts urbarium-engine-maps to read a map, and talks to it.
 */
#pragma once

#include "map/request.h"
#include "map/stream.h"

G_BEGIN_DECLS

typedef struct _UrbReaderProcess UrbReaderProcess;

/**
 * urb_reader_process_new:
 * @paths: (array zero-terminated=1): what it may read
 * @options: (nullable)
 * @cancellable: (nullable): ends the waiting, and the process
 *
 * The request is not sent yet: call urb_reader_process_get_out(), put further fields, and send it.
 */
UrbReaderProcess *urb_reader_process_new (const char *const *paths, const UrbMapOptions *options,
                                          GCancellable *cancellable, GError **error);
/* Ends the process at once if it still runs. */
void              urb_reader_process_free (UrbReaderProcess *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbReaderProcess, urb_reader_process_free)

UrbStreamOut       *urb_reader_process_get_out    (UrbReaderProcess *self);
UrbStreamIn        *urb_reader_process_get_in     (UrbReaderProcess *self);
int                 urb_reader_process_get_block  (UrbReaderProcess *self); /* a file descriptor */
const UrbMapLimits *urb_reader_process_get_limits (UrbReaderProcess *self);
/* From now on, waiting ends after this time, as if the stream had ended. */
void                urb_reader_process_set_time_limit (UrbReaderProcess *self, gint64 us);

/**
 * urb_reader_process_explain:
 * @error: (inout): why the stream could not be read further
 *
 * Waits for the end of the process, and replaces an error about the stream by one that says how the
 * process ended: a bound it ran into, or a crash.
 */
void urb_reader_process_explain (UrbReaderProcess *self, const char *path, GError **error);

/* Of the fields of a %URB_MESSAGE_ERROR.  @error: always set: the reader's, or one about the stream */
void urb_reader_process_receive_error (UrbStreamIn *in, guint64 n_bytes, GError **error);

/* Path of urbarium-engine-maps: $URBARIUM_ENGINE_MAPS; else next to this program, or where it is
 * installed or built.  (transfer full) */
char *urb_reader_process_find_program (void);

G_END_DECLS
