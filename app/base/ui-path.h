/* SPDX-License-Identifier: Apache-2.0 */
/* ui-path.h - where the templates of resources/ui/ are in the program. */
#pragma once

#define URBARIUM_RESOURCE_PATH "/org/urbarium/Urbarium/"
#define URBARIUM_UI_PATH       URBARIUM_RESOURCE_PATH "ui/"
