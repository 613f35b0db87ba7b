/* SPDX-License-Identifier: Apache-2.0 */
#include "city/film.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/temporary.h"

#define PROGRAM "gst-launch-1.0"
#define FRAMES_PER_S 15

/* In the temporary folder. */
#define FRAME_FORMAT "%04d.png"
#define FILM "film.webm"

gboolean
urb_film_can_write (void)
{
  g_autofree char *program = g_find_program_in_path (PROGRAM);
  return program != NULL;
}

/* @said: what the program wrote about its failure */
static void
explain (const char *said, GError **error)
{
  g_autofree char *text = g_utf8_make_valid (said, -1);
  g_strdelimit (g_strstrip (text), "\r\n", ' ');
  if (strstr (text, "no element") != NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                 /* translators: %s is a message of GStreamer */
                 N_ ("GStreamer lacks what a WebM film needs (%s). Install gstreamer1.0-plugins-good."), text);
  else
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
                 /* translators: %s is a message of GStreamer */
                 N_ ("GStreamer could not write the film: %s"), text);
}

/* Within the folder of the frames: the program would take a percent sign or a quote in a path for its own. */
static gboolean
encode (const char *folder, guint n_frames, GCancellable *cancellable, GError **error)
{
  g_autofree char *last = g_strdup_printf ("stop-index=%u", n_frames - 1);
  g_autofree char *caps = g_strdup_printf ("caps=image/png,framerate=(fraction)%d/1", FRAMES_PER_S);
  g_autofree char *said = NULL;
  g_autoptr(GSubprocessLauncher) launcher
    = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr(GSubprocess) process = NULL;
  g_subprocess_launcher_set_cwd (launcher, folder);
  g_subprocess_launcher_setenv (launcher, "LC_ALL", "C", TRUE); /* explain() reads its messages */
  process = g_subprocess_launcher_spawn (launcher, error, PROGRAM, "-q", "multifilesrc", "location=" FRAME_FORMAT,
                                         "index=0", last, caps, "!", "pngdec", "!", "videoconvert", "!", "vp8enc",
                                         "deadline=1", "target-bitrate=4000000", "!", "webmmux", "!", "filesink",
                                         "location=" FILM, NULL);
  if (process == NULL)
    return FALSE;
  if (!g_subprocess_communicate_utf8 (process, NULL, cancellable, NULL, &said, error))
    {
      g_subprocess_force_exit (process);
      return FALSE;
    }
  if (g_subprocess_get_successful (process))
    return TRUE;
  explain (said != NULL ? said : "", error);
  return FALSE;
}

/* By errno. */
static void
set_failed (const char *path, GError **error)
{
  int number = errno;

  g_set_error (error, G_FILE_ERROR, (int) g_file_error_from_errno (number), "'%s': %s", path, g_strerror (number));
}

static gboolean
write_in (const char *folder, const char *path, guint n_frames, UrbFrameFunc write_frame, gpointer data,
          GCancellable *cancellable, GError **error)
{
  g_autofree char *film = g_build_filename (folder, FILM, NULL);
  for (guint i = 0; i < n_frames; i++)
    {
      g_autofree char *name = g_strdup_printf (FRAME_FORMAT, (int) i);
      g_autofree char *frame = g_build_filename (folder, name, NULL);
      if (!write_frame (i, frame, data, error))
        return FALSE;
    }
  if (!encode (folder, n_frames, cancellable, error))
    return FALSE;
  if (g_rename (film, path) == 0)
    return TRUE;
  set_failed (path, error);
  return FALSE;
}

gboolean
urb_film_write (const char *path, guint n_frames, UrbFrameFunc write_frame, gpointer data,
                GCancellable *cancellable, GError **error)
{
  g_autofree char *folder = urb_temporary_dup_path (path, "");
  gboolean is_written;
  g_return_val_if_fail (n_frames > 0, FALSE);
  urb_temporary_sweep_beside (path);
  if (g_mkdir (folder, 0700) != 0)
    {
      set_failed (folder, error);
      return FALSE;
    }
  is_written = write_in (folder, path, n_frames, write_frame, data, cancellable, error);
  urb_temporary_remove_folder (folder);
  return is_written;
}
