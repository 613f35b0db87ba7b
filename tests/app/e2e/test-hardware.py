#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The hardware that a run trains on, in the real window: a usable GPU is proposed, and two can be used.

The GPU is emulated, slowly, on the processor; its driver's library is pretended, and knows another
one that cannot be used (see emulated-gpu/README.md, fake-nvml.c).  Nothing is trained here.
"""
import os

from driver import Tap, Window, wait
from names import check_names

from gi.repository import Atspi  # after driver, which names its version

SIZE = (1280, 800)
GPU, OLD = 'Emulated GPU', 'NVIDIA Fake 9'
GPUS = """driver 580.95.05
gpu 0000:01:00.0 Emulated GPU
memory 147483648 2147483648
gpu 0000:17:00.0 NVIDIA Fake 9
memory 5000000000 80000000000
"""
tap = Tap()


class Story:
    def __init__(self):
        gpus = os.path.join(os.environ['HOME'], 'gpus')
        with open(gpus, 'w', encoding='utf-8') as file:
            file.write(GPUS)
        self.environment = {'FAKE_NVML': gpus,
                            'LD_LIBRARY_PATH': os.environ['URBARIUM_FAKE_NVML'],
                            'URBARIUM_CUDA_MODULE': os.environ['URBARIUM_EMULATED_CUDA']}
        self.open()

    def open(self):
        self.window = Window(size=SIZE, environment=self.environment)
        self.window.page('Train')

    def wait_for(self, text):
        """A label that contains the words; a number and its unit are joined by a no-break space."""
        wait(repr(text), lambda: any(text in node.name.replace('\u00a0', ' ')
                                     for node in self.window.all('label')))

    def wait_ticked(self, name):
        """Of the devices, which come first."""
        wait(f'{name} to be the one that is ticked', lambda: [
            name in node.name for node in self.window.all('radio button')
            if Atspi.StateType.CHECKED in node.states][:1] == [True])

    def wait_selected(self, strategy):
        wait(f'{strategy} to be selected', lambda: any(
            Atspi.StateType.CHECKED in node.states for node in self.window.all(None, strategy)
            if node.role in ('check box', 'radio button')))  # as GTK 4.8 calls it, and later ones


def see_a_gpu_proposed(story):
    story.wait_ticked(GPU)
    story.wait_for('2.0 GB of memory free')
    story.wait_for('75.0 GB of memory free. Cannot be used: CUDA does not show it')
    assert not story.window.find('radio button', OLD).is_sensitive()
    story.wait_for('Usually faster than 32 bit and hardly less exact; same memory')
    story.wait_for('of free GPU memory')
    assert not story.window.find('spin button', 'Threads').is_sensitive()
    check_names(story.window, 'beside a GPU')
    story.window.screenshot('hardware-gpu')


def tick_the_processor(story):
    threads = story.window.find('spin button', 'Threads')
    processor = story.window.find('radio button')
    story.window.click(processor)  # GTK 4.8 gives it no action
    story.wait_ticked(processor.name)
    wait('threads to choose', threads.is_sensitive)
    story.wait_for('Exact and fast on every processor')
    story.wait_for('of free memory')
    wait('no plan for the GPU', lambda: not story.window.has(
        'label', 'of the GPU’s memory'.encode()))
    story.window.screenshot('hardware-processor')


def find_it_again(story):
    """The choice is kept after the window is closed."""
    story.window.close()
    story.open()
    story.window.find('radio button', GPU)
    story.wait_ticked(story.window.find('radio button').name)
    story.wait_for('Exact and fast on every processor')


def tick_the_gpu(story):
    story.window.click(story.window.find('radio button', GPU))
    story.wait_ticked(GPU)
    story.wait_for('Usually faster than 32 bit and hardly less exact; same memory')
    story.wait_for('of free GPU memory')
    story.window.close()


def tick_two_gpus(story):
    """One click on the page Train: a strategy with a rank for each GPU is selected, and planned."""
    story.environment['UK_EMULATED_DEVICES'] = '2'
    story.open()
    story.wait_for('Tick several GPUs to train on them together')
    story.window.click(story.window.find('check box', f'{GPU} (cuda:1)'))
    story.wait_for('Rank 0')
    story.wait_for('Rank 1')
    story.wait_selected('Distributed data parallel (DDP)')
    story.wait_for('of free GPU memory')
    check_names(story.window, 'beside two GPUs')
    story.window.screenshot('hardware-two-gpus')


def go_back_to_one(story):
    story.window.click(story.window.find('check box', f'{GPU} (cuda:1)'))
    story.wait_selected('One process')
    wait('no ranks', lambda: not story.window.has('label', 'Rank 1'))
    story.window.close()


for function in (see_a_gpu_proposed, tick_the_processor, find_it_again, tick_the_gpu, tick_two_gpus,
                 go_back_to_one):
    tap.step(function)

if __name__ == '__main__':
    tap.tell(Story())
