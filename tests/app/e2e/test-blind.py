#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A blind test in the real window: pairs of plans by button, by key and back, up to the verdict."""
import os
import re

from driver import Tap, Window, engine, wait
from names import check_names

tap = Tap()


class Story:
    def __init__(self):
        home = os.environ['HOME']
        runs = os.path.join(os.environ['XDG_DATA_HOME'], 'urbarium', 'runs')
        os.makedirs(runs)
        town, areas = os.path.join(home, 'town.gpkg'), os.path.join(home, 'areas.gpkg')
        engine('sample', '--seed', '3', '--size-km', '1', town)
        engine('curate', town, '--out', areas, '--resolution', '64', '--soft')
        engine('train', '--dataset', areas, '--run', os.path.join(runs, 'Town'), '--preset', 'tiny',
               '--batch', '4', '--steps', '2', '--quiet')
        self.n_pairs = 0
        self.window = Window()

    def label(self, pattern):
        for node in self.window.all('label'):
            match = re.search(pattern, node.name)
            if match:
                return match
        return None

    def wait_for_pair(self, number):
        return wait(f'pair {number}', lambda: self.label(rf'^Pair {number} of (\d+)$'))


def start(story):
    window = story.window
    window.page('Cities')
    window.page('Realism')
    window.press('push button', 'Start…')
    story.n_pairs = int(story.wait_for_pair(1)[1])
    assert story.n_pairs >= 6, story.n_pairs
    window.find('label', 'Which plan is real?')
    check_names(window, 'in a blind test')


def answer(story):
    window = story.window
    plan = window.find('push button', 'Plan A is real')
    assert not window.find('push button', 'Back to the pair before').is_sensitive()
    window.act(plan)
    story.wait_for_pair(2)
    window.key('b')
    story.wait_for_pair(3)
    window.press('push button', 'Back to the pair before')
    story.wait_for_pair(2)
    window.screenshot('blind-test')


def finish(story):
    window = story.window
    for number in range(2, story.n_pairs):
        window.press('push button', 'Plan B is real')
        story.wait_for_pair(number + 1)
    window.press('push button', 'Plan B is real')
    found = wait('the result', lambda: story.label(r'You found the real plan in (\d+) of (\d+) pairs'))
    assert int(found[1]) <= int(found[2]) == story.n_pairs, found[0]
    wait('the test', lambda: story.label('exact binomial test'))
    check_names(window, 'after a blind test')
    window.act(window.all('push button', 'Close')[-1])  # after those of the title bars
    window.wait_gone('label', found.string)
    window.close()


for function in (start, answer, finish):
    tap.step(function)

if __name__ == '__main__':
    tap.tell(Story())
