/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcp-token.c - see tcp-token.h.
 *
 * Each end sends random bytes and proves that it knows the token by an HMAC of the other's: nothing that was
 * overheard can be used again.
 */
#include "parallel/tcp-token.h"

#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/small-file.h"
#include "parallel/tcp-private.h"

enum { LEAST_CHARACTERS = 16 };

static const char advice[] = "Create one with: (umask 077; head -c 32 /dev/urandom | base64 > FILE)";

/* ------------------------------------------------------------------------ */
/* Where it comes from                                                       */

static gboolean
fail (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
fail (GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  *error = g_error_new_valist (URB_COMM_ERROR, URB_COMM_ERROR_INVALID, format, args);
  va_end (args);
  return FALSE;
}

static char *
read_file (const char *file, GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr(GError) cause = NULL;
  struct stat info;

  if (stat (file, &info) == 0 && S_ISREG (info.st_mode) && (info.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    {
      fail (error, "Others may read or write the token file '%s'; run: chmod 600 '%s'", file, file);
      return NULL;
    }
  text = urb_small_file_read (file, NULL, &cause);
  if (text == NULL)
    fail (error, "The token file: %s", cause->message);
  return g_steal_pointer (&text);
}

static gboolean
check (const char *token, const char *place, GError **error)
{
  return strlen (token) >= LEAST_CHARACTERS
         || fail (error, "The token in %s has fewer than %d characters and could be guessed. %s", place,
                  LEAST_CHARACTERS, advice);
}

char *
urb_tcp_token_load (const char *file, const char *address, GError **error)
{
  g_autofree char *token = file != NULL ? read_file (file, error) : g_strdup (g_getenv (URB_TCP_TOKEN_VARIABLE));

  if (token == NULL && file != NULL)
    return NULL;
  if (token != NULL)
    g_strstrip (token);
  if (token == NULL && urb_tcp_is_loopback (address))
    return g_strdup ("");
  if (token == NULL)
    {
      fail (error, "Other hosts can reach %s, so ranks there must know a secret: give all of them --token-file FILE, "
                   "or " URB_TCP_TOKEN_VARIABLE " in their environment. %s", address, advice);
      return NULL;
    }
  return check (token, file != NULL ? file : URB_TCP_TOKEN_VARIABLE, error) ? g_steal_pointer (&token) : NULL;
}

/* ------------------------------------------------------------------------ */
/* Proofs                                                                    */

gboolean
urb_tcp_draw_nonce (guint8 *nonce)
{
  return getrandom (nonce, URB_TCP_NONCE_BYTES, 0) == URB_TCP_NONCE_BYTES;
}

static void
authenticate (gconstpointer key, gsize n_key, const char *who, gconstpointer a, gsize n_a, gconstpointer b,
              gsize n_b, guint8 *proof)
{
  GHmac *hmac = g_hmac_new (G_CHECKSUM_SHA256, key, n_key);
  gsize n_proof = URB_TCP_PROOF_BYTES;

  g_hmac_update (hmac, (const guchar *) who, (gssize) strlen (who) + 1);
  g_hmac_update (hmac, a, (gssize) n_a);
  g_hmac_update (hmac, b, (gssize) n_b);
  g_hmac_get_digest (hmac, proof, &n_proof);
  g_hmac_unref (hmac);
}

void
urb_tcp_prove (const char *token, UrbTcpEnd end, const UrbTcpGreeting *greeting, const UrbTcpHandshake *said,
               guint8 *proof)
{
  authenticate (token, strlen (token), end == URB_TCP_HUB ? "urbarium hub" : "urbarium rank", greeting->nonce,
                sizeof greeting->nonce, said, offsetof (UrbTcpHandshake, proof), proof);
}

/* How long a comparison takes must not tell how many bytes are right.  So what is compared is an HMAC of each, by a
 * key that nobody knows. */
gboolean
urb_tcp_is_proof (const guint8 *proof, const guint8 *expected)
{
  guint8 key[URB_TCP_NONCE_BYTES], a[URB_TCP_PROOF_BYTES], b[URB_TCP_PROOF_BYTES];

  if (!urb_tcp_draw_nonce (key))
    return FALSE;
  authenticate (key, sizeof key, "compare", proof, URB_TCP_PROOF_BYTES, NULL, 0, a);
  authenticate (key, sizeof key, "compare", expected, URB_TCP_PROOF_BYTES, NULL, 0, b);
  return memcmp (a, b, sizeof a) == 0;
}
