# SPDX-License-Identifier: Apache-2.0
"""A stand-in for PyTorch: see README.md."""
import types

__version__ = "0.0"
version = types.SimpleNamespace(cuda="0.0")
backends = types.SimpleNamespace(cudnn=types.SimpleNamespace(version=lambda: 0))


class CUDAGraph:
    def replay(self):
        pass


class Event:
    key, count, device_type, device_time_total = "a kernel", 6, "DeviceType.CUDA", 30.0


class Profile:
    def __init__(self, activities):
        self.activities, self.is_on = activities, None

    def start(self):
        self.is_on = True

    def stop(self):
        self.is_on = False

    def key_averages(self):
        return [Event()] if self.is_on is False else []


profiler = types.SimpleNamespace(profile=Profile, ProfilerActivity=types.SimpleNamespace(CUDA=1))
cuda = types.SimpleNamespace(is_available=lambda: True, synchronize=lambda: None, CUDAGraph=CUDAGraph,
                             profiler=types.SimpleNamespace(start=lambda: None, stop=lambda: None))
