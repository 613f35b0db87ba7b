/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device-comm.h - sends a test's host memory through a communicator of devices.
 */
#pragma once

#include "kernels/uk.h"
#include "parallel/comm.h"

/* @inner: (transfer full): its buffers are in the memory of @backend, which is borrowed. */
UrbComm *device_comm_new (UrbComm *inner, UkBackend *backend);
