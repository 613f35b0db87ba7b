/* SPDX-License-Identifier: Apache-2.0 */
/* ui-path.h - resource paths of the templates in resources/ui/. */
#pragma once

#define URBARIUM_RESOURCE_PATH "/org/urbarium/Urbarium/"
#define URBARIUM_UI_PATH       URBARIUM_RESOURCE_PATH "ui/"
