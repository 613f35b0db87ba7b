/* SPDX-License-Identifier: Apache-2.0 */
/*
 * widgets.h - parsed once for each library of the window where Meson's option b_pch is on: parsing it is half of
 * the work of compiling a file.  Files include what they use all the same.
 */
#include <adwaita.h>
