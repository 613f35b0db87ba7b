# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the PyTorch peer of tests/bench/against-torch: see README.md."""
import argparse
import json

import torch

parser = argparse.ArgumentParser()
for name in ("preset", "recipe", "device", "amp"):
    parser.add_argument("--" + name, required=True)
for name in ("batch", "steps", "warmup"):
    parser.add_argument("--" + name, type=int, required=True)
for name in ("channels-last", "cuda-graphs", "fused-adam", "compile"):
    parser.add_argument("--" + name, action="store_true")
args = parser.parse_args()
graph = torch.cuda.CUDAGraph()
for _ in range(args.warmup + args.steps):
    if args.cuda_graphs:
        graph.replay()
print(json.dumps({"images_per_s": 100.0, "peak_mem_mib": 1.0}))
