/* SPDX-License-Identifier: Apache-2.0 */
/* needs-absent.c - a module that needs absent.c's library. */
int absent (void);
int needs_absent (void) __attribute__ ((visibility ("default")));

int
needs_absent (void)
{
  return absent ();
}
