# SPDX-License-Identifier: Apache-2.0
# programs.sh - targets for a GPU node, shared by pack-node and on-gpu.  Sourced by bash.

node_options=(-Dapp=disabled -Dgeo=disabled -Dmpi=disabled -Dbuildtype=release)
node_targets=(
  engine/cli/urbarium-engine
  tests/kernels/test-backends
  tests/kernels/test-batch-norm-ranks
  tests/engine/parallel/test-comm-nccl
  tests/engine/train/test-strategies
  tests/e2e/write-small-dataset
  tests/bench/bench-kernels
)
