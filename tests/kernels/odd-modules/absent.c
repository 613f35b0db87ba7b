/* SPDX-License-Identifier: Apache-2.0 */
/* absent.c - a library that a module needs, and that is not there once the module was moved away. */
int absent (void) __attribute__ ((visibility ("default")));

int
absent (void)
{
  return 1;
}
