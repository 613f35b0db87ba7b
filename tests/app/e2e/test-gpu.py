#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run that trains on a GPU, in the real window: the GPU's activity is shown live.

The GPU, its driver's library and the training are pretended: see fake-nvml.c, fake-job.h.
"""
import os
import signal
import subprocess

from driver import Tap, Window, wait

SIZE = (1280, 800)
BUSY = ['memory 98200000000 150754000000', 'utilization 97', 'power 412345', 'temperature 61']
tap = Tap()


class Story:
    def __init__(self):
        runs = os.path.join(os.environ['XDG_DATA_HOME'], 'urbarium', 'runs')
        os.makedirs(runs)
        self.folder = os.path.join(runs, 'pretended')
        self.gpus = os.path.join(os.environ['HOME'], 'gpus')
        self.set_gpu(BUSY)
        # The first GPU is on bus 0x17.
        self.supervisor = subprocess.Popen(
            [os.environ['URBARIUM_SUPERVISE_FAKE'], self.folder, 'ms=50,gpu=23'],
            env={**os.environ, 'FAKE_NVML': self.gpus,
                 'LD_LIBRARY_PATH': os.environ['URBARIUM_FAKE_NVML']})
        self.window = None

    def set_gpu(self, lines):
        with open(self.gpus + '.new', 'w', encoding='utf-8') as file:
            file.write('\n'.join(['gpu 0000:17:00.0 NVIDIA H200', *lines, '']))
        os.rename(self.gpus + '.new', self.gpus)

    def has(self, text):
        """A label with that line; a number and its unit are joined by a no-break space."""
        return any(node.name.replace('\u00a0', ' ') == text
                   for node in self.window.all('label', b'NVIDIA H200'))

    def wait_for(self, text):
        wait(repr(text), lambda: self.has(text))


def begin(story):
    wait('the run', lambda: os.path.exists(os.path.join(story.folder, 'control.sock')))
    story.window = Window(size=SIZE)
    story.window.page('Train')
    story.window.click(story.window.find('list item', b'Pretended'))


def see_what_it_does(story):
    story.wait_for('NVIDIA H200 · 98.2 GB of 150.8 GB · 97 % busy · 412 W · 61 °C')
    story.window.screenshot('gpu')


def see_it_change(story):
    story.set_gpu(['memory 98200000000 150754000000', 'utilization 0', 'temperature 44'])
    story.wait_for('NVIDIA H200 · 98.2 GB of 150.8 GB · 0 % busy · 44 °C')


def pause_and_resume(story):
    window = story.window
    window.press('push button', 'Pause')
    window.find('push button', 'Resume')
    wait('the GPU to go', lambda: not window.has('label', b'NVIDIA H200'))
    story.set_gpu(BUSY)
    window.press('push button', 'Resume')
    story.wait_for('NVIDIA H200 · 98.2 GB of 150.8 GB · 97 % busy · 412 W · 61 °C')


def lose_it(story):
    story.set_gpu(['gpu! 15'])
    story.wait_for('NVIDIA H200 · does not answer')
    story.window.find('label', b'The GPU NVIDIA H200 (0000:17:00.0) does not respond any more')
    story.window.screenshot('gpu-lost')


def stop(story):
    story.window.press('push button', 'Stop')
    status = story.supervisor.wait(timeout=60)
    assert status == 0, status
    wait('the GPU to go', lambda: not story.window.has('label', 'NVIDIA H200 · does not answer'))
    story.window.close()


for function in (begin, see_what_it_does, see_it_change, pause_and_resume, lose_it, stop):
    tap.step(function)

if __name__ == '__main__':
    story = Story()
    try:
        tap.tell(story)
    finally:
        if story.supervisor.poll() is None:
            story.supervisor.send_signal(signal.SIGKILL)  # its worker dies with it
