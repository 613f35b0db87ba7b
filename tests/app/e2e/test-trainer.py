#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training in earnest, in the real window: a hook that fails, events for TensorBoard while the run is live, the way
back to a checkpoint, and a sweep of four."""
import glob
import json
import os
import re
import shutil
import signal
import sqlite3
import urllib.error
import urllib.parse
import urllib.request

from driver import Notifications, Tap, Window, engine, wait

STEPS = 100000  # that it never reaches
TENSORBOARD_BIN = os.path.dirname(os.environ.get('URBARIUM_TENSORBOARD_PYTHON') or shutil.which('tensorboard') or '/none/tensorboard')
SWEEP_STEPS = 3
tap = Tap()


class Story:
    def __init__(self):
        home = os.environ['HOME']
        self.runs = os.path.join(os.environ['XDG_DATA_HOME'], 'urbarium', 'runs')
        town, areas = os.path.join(home, 'town.gpkg'), os.path.join(home, 'areas.gpkg')
        engine('sample', '--seed', '3', '--size-km', '1', town)
        engine('curate', town, '--out', areas, '--resolution', '64')
        self.notifications = Notifications()
        self.shown = os.path.join(home, 'shown')
        self.set_browser()
        self.window = Window([areas], size=(1920, 1080), environment={'PATH': f'{TENSORBOARD_BIN}:{os.environ["PATH"]}'})

    def set_browser(self):
        """One that writes down what it is asked to show."""
        applications = os.path.join(os.environ['XDG_DATA_HOME'], 'applications')
        browser = os.path.join(os.environ['HOME'], 'browser')
        os.makedirs(applications)
        with open(browser, 'w', encoding='utf-8') as file:
            file.write(f'#!/bin/sh\necho "$1" > "{self.shown}.new"; mv "{self.shown}.new" "{self.shown}"\n')
        os.chmod(browser, 0o700)
        with open(os.path.join(applications, 'browser.desktop'), 'w', encoding='utf-8') as file:
            file.write(f'[Desktop Entry]\nType=Application\nName=Browser\nExec={browser} %u\n')
        os.makedirs(os.environ['XDG_CONFIG_HOME'], exist_ok=True)
        with open(os.path.join(os.environ['XDG_CONFIG_HOME'], 'mimeapps.list'), 'w', encoding='utf-8') as file:
            file.write('[Default Applications]\nx-scheme-handler/http=browser.desktop\n')

    def folders(self):
        return sorted(glob.glob(os.path.join(self.runs, '*')))

    def query(self, sql, folder=None):
        database = sqlite3.connect(f'file:{folder or self.folders()[0]}/run.db?mode=ro', uri=True)
        try:
            return database.execute(sql).fetchall()
        finally:
            database.close()

    def state(self, folder=None):
        rows = self.query("select text from event where code = 'state' order by seq desc limit 1", folder)
        return rows[0][0] if rows else ''

    def n_events(self, code):
        return self.query(f"select count(*) from event where code = '{code}'")[0][0]

    def last_step(self):
        return self.query('select coalesce(max(step), 0) from step')[0][0]

    def checkpoints(self):
        return self.window.all('list item', root=self.window.find('list', 'Checkpoints'))

    def n_sessions(self):
        return self.query('select count(*) from session')[0][0]

    def label(self, pattern, what):
        return wait(what, lambda: next(filter(None, (re.search(pattern, node.name)
                                                     for node in self.window.all('label'))), None))

    def end_runs(self):
        for folder in self.folders():
            try:
                with open(os.path.join(folder, 'lock'), encoding='utf-8') as lock:
                    os.kill(int(lock.read()), signal.SIGTERM)
            except (OSError, ValueError):
                pass  # it has ended


def choose_settings(story):
    window = story.window
    window.page('Train')
    story.label(r'areas\.gpkg', 'the dataset in the settings')
    window.set_value(window.find('spin button', 'Batch'), 2)
    window.set_value(window.find('spin button', 'Steps'), STEPS)
    frames = len(window.all('frame'))
    window.press('push button', 'All settings…')
    for name, value in (('Hook', 'echo is broken >&2; exit 7'), ('Events that call the hook', 'start')):
        window.set_text(window.find('text', name), value)
    for name in 'Events for TensorBoard', 'Score cities':  # scores take long where other tests run, too
        switch, = [node for node in window.all(None, name) if node.role in ('check box', 'switch')]
        window.act(switch)
    window.act(window.find('frame', 'All settings'), 'window.close')
    wait('All settings to close', lambda: len(window.all('frame')) == frames)
    window.press('push button', 'Train')
    story.label(r'Step \d+ of', 'the first steps')


def see_the_hook_fail(story):
    wait('the failure', lambda: story.n_events('hook') > 0)
    story.label('The hook fails. Training goes on', 'the failure among the events')


def find_events_for_tensorboard(story):
    """The file grows while the run trains."""
    file, = wait('the file', lambda: glob.glob(os.path.join(story.folders()[0], 'tensorboard', '*tfevents*')))
    size = wait('events', lambda: os.path.getsize(file))
    wait('more events', lambda: os.path.getsize(file) > size)
    with open(file, 'rb') as events:
        assert b'train/' in events.read()


def open_tensorboard(story):
    """The program itself, which reads the run while it trains."""
    if not os.path.exists(os.path.join(TENSORBOARD_BIN, 'tensorboard')):
        return 'there is no TensorBoard: URBARIUM_TENSORBOARD_PYTHON may name a Python that has it'
    story.window.press('push button', 'More')
    story.window.choose('TensorBoard…', 4)
    address = wait('the browser', lambda: os.path.exists(story.shown) and open(story.shown, encoding='utf-8').read().strip())
    assert re.match(r'http://127\.0\.0\.1:\d+/$', address), address

    def read(what):
        try:
            with urllib.request.urlopen(address + 'data/plugin/scalars/' + what) as reply:
                return json.load(reply)
        except urllib.error.HTTPError:
            return None  # it has not read the events yet
    run, = wait('the run in TensorBoard', lambda: read('tags'))
    losses = f'scalars?run={urllib.parse.quote(run)}&tag=train/loss_d'
    before = wait('losses', lambda: read(losses))
    wait('losses of later steps', lambda: read(losses)[-1][1] > before[-1][1])
    return None


def roll_back(story):
    window = story.window
    window.press('push button', 'Save a checkpoint now')
    window.page('Checkpoints')
    number = wait('the checkpoint', lambda: [match[1] for row in story.checkpoints()
                                             for node in window.all('label', root=row)
                                             if (match := re.match(r'Step (\d[\d\u202f]*)$', node.name))])[0]
    at = int(re.sub(r'\D', '', number))
    wait('steps after it', lambda: story.last_step() > at)
    window.press('push button', 'Stop')
    wait('the end', lambda: story.state() == 'stopped')
    row, = [row for row in story.checkpoints() if window.has('label', f'Step {number}', row)]
    before = story.n_sessions()
    window.press('push button', 'Roll back…', row)
    window.find('label', f'Roll back to step {number}?')
    window.act(window.all('push button', 'Roll back')[-1])
    wait('steps after it again', lambda: story.n_sessions() > before and story.last_step() > at)
    window.press('push button', 'Stop')
    wait('the end', lambda: story.state() == 'stopped')
    steps = [row[0] for row in story.query('select step from step order by seq')]
    assert steps == list(range(1, len(steps) + 1)), 'a step is missing or there twice'


def sweep_four(story):
    window = story.window
    before = story.folders()
    window.press('push button', 'New run')
    window.set_value(window.find('spin button', 'Steps'), SWEEP_STEPS)
    window.press('push button', 'Several runs…')
    window.set_text(window.find('text', 'Values of “Seed”'), '1, 2, 3, 4')
    window.press('push button', 'Start 4 runs')
    new = wait('four runs', lambda: [folder for folder in story.folders() if folder not in before
                                     and os.path.exists(os.path.join(folder, 'run.db'))][3:]
               and [folder for folder in story.folders() if folder not in before])
    wait('their ends', lambda: all(story.state(folder) == 'finished' for folder in new))
    wait('a notification of each', lambda: len(story.notifications.titles) == 4)
    window.press('push button', 'All runs')
    for seed in range(1, 5):
        window.find('label', f'seed-{seed}'.encode())
    window.close()


for function in (choose_settings, see_the_hook_fail, find_events_for_tensorboard, open_tensorboard, roll_back,
                 sweep_four):
    tap.step(function)

if __name__ == '__main__':
    story = Story()
    try:
        tap.tell(story)
    finally:
        story.end_runs()
