/* SPDX-License-Identifier: Apache-2.0 */
/* absent.c - a dependency of a module, missing once the module has been moved. */
int absent (void) __attribute__ ((visibility ("default")));

int
absent (void)
{
  return 1;
}
