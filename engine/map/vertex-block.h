/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vertex-block.h - memory that the process that reads maps fills with vertices and then gives away.
 *
 * They are most of a map, and a pipe would copy them twice.  The memory has no name; its size is fixed by
 * who will take it, and the kernel guarantees that nobody can change it afterwards.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * urb_vertex_block_create:
 * @n_bytes: at most; pages count only when written
 *
 * Returns: a file descriptor of 10 or more; -1 with errno
 */
int urb_vertex_block_create (gint64 n_bytes);

/**
 * urb_vertex_block_open:
 * @capacity: (out): in vertices
 *
 * Returns: (nullable): the whole block, to be filled; %NULL if @fd is none
 */
double *urb_vertex_block_open (int fd, gint64 *capacity);

/**
 * urb_vertex_block_take:
 *
 * Fails if the other process can still write to the block, or if it is smaller.
 *
 * Returns: (nullable): @n_vertices, read-only, which never change again
 */
double *urb_vertex_block_take (int fd, gint64 n_vertices);

/* @n_vertices: as many as were opened or taken; @xy: (nullable) */
void urb_vertex_block_close (double *xy, gint64 n_vertices);

G_END_DECLS
