/* SPDX-License-Identifier: Apache-2.0 */
/*
 * show-text.h - makes text from a file safe to show.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * urb_show_text:
 * @text: bytes from an untrusted file, not necessarily UTF-8
 *
 * A terminal obeys escape sequences, and text can be written so that it reads in another order
 * than it is stored.  Line breaks and tabs become spaces; other control characters, and those that
 * change the direction of text, hide it, or break the line, become U+FFFD, as do invalid bytes.
 *
 * Returns: (transfer full): valid UTF-8 on one line.  Applied to its own result, it changes nothing.
 */
char *urb_show_text (const char *text);

G_END_DECLS
