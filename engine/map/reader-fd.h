/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader-fd.h - how the process that reads maps is started.
 */
#pragma once

/* The argument of urbarium-engine-maps; the request is its standard input. */
#define URB_READER_COMMAND "read-map"
/* File descriptor for its answer: libraries may print to the standard ones. */
#define URB_READER_FD 3
/* For the vertices of the map (vertex-block.h). */
#define URB_READER_BLOCK_FD 4
