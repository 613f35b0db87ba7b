#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The best checkpoint of a run, in the real window: a run stops since it gets no better, and one goes back to its best.

Scores of cities that were hardly trained take a minute of a processor, so they are pretended.  The first run is all
pretended (see fake-job.h, fake-scorer.h); the second was trained in earnest, and its scores were written by hand.
"""
import os
import signal
import sqlite3
import subprocess

from driver import Notifications, Tap, Window, engine, wait
from names import check_names

SIZE = (1280, 800)
STEPS, BEST = 24, 8
SCORES = {BEST: 1.9, 16: 2.4, STEPS: 2.6}  # lower is better; 1: like real areas
tap = Tap()


class Story:
    def __init__(self):
        home = os.environ['HOME']
        runs = os.path.join(os.environ['XDG_DATA_HOME'], 'urbarium', 'runs')
        os.makedirs(runs)
        self.pretended, self.real = os.path.join(runs, 'pretended'), os.path.join(runs, 'real')
        town, areas = os.path.join(home, 'town.gpkg'), os.path.join(home, 'areas.gpkg')
        engine('sample', '--seed', '3', '--size-km', '1', town)
        engine('curate', town, '--out', areas, '--resolution', '64')
        engine('train', '--dataset', areas, '--run', self.real, '--name', 'Real', '--preset', 'tiny', '--batch', '2', '--quiet',
               '--steps', str(STEPS), '--checkpoint-every', '8', '--keep-checkpoints', '0', '--no-score')
        self.write_scores()
        self.notifications = Notifications()
        self.supervisor = self.window = None

    def write_scores(self):
        database = sqlite3.connect(os.path.join(self.real, 'run.db'))
        tables = 'session', 'step', 'sample', 'checkpoint', 'event', 'worker', 'detail', 'gpu', 'score', 'energy'
        last = max(database.execute(f'select coalesce(max(seq), 0) from {table}').fetchone()[0] for table in tables)
        with database:
            for n, (step, score) in enumerate(SCORES.items(), 1):
                database.execute('insert into score (seq, time, step, seconds, score, flaws) values (?, 0, ?, 1, ?, 0)',
                                 (last + n, step, score))
        database.close()

    def query(self, folder, sql):
        database = sqlite3.connect(f'file:{folder}/run.db?mode=ro', uri=True)
        try:
            return database.execute(sql).fetchall()
        finally:
            database.close()

    def state(self, folder):
        rows = self.query(folder, "select text from event where code = 'state' order by seq desc limit 1")
        return rows[0][0] if rows else ''

    def open_run(self, name):
        self.window.click(self.window.find('list item', name))


def watch_a_run(story):
    story.window = Window(size=SIZE)
    story.window.page('Train')
    story.supervisor = subprocess.Popen([os.environ['URBARIUM_SUPERVISE_FAKE'], story.pretended, 'ms=50', '2'])
    story.open_run(b'Pretended')
    story.window.find('label', b'The cities of step 20 score 20.00', timeout=120)


def see_it_stop_early(story):
    window = story.window
    window.find('label', 'The scores have not improved for long enough: the run stops')
    assert story.supervisor.wait(timeout=60) == 0
    assert story.state(story.pretended) == 'stopped'
    window.find('push button', 'Resume')
    window.page('Checkpoints')
    window.find('label', b'best score')
    check_names(window, 'beside a run that stopped early')
    window.screenshot('stopped-early')


def roll_back_to_the_best(story):
    window = story.window
    story.open_run(b'Real')
    row, = wait('the best checkpoint', lambda: [row for row in window.all('list item', root=window.find('list', 'Checkpoints'))
                                                if window.has('label', f'Step {BEST}', row)])
    assert window.has('label', b'best score', row)
    window.press('push button', 'Roll back…', row)
    window.find('label', f'Roll back to step {BEST}?')
    window.act(window.all('push button', 'Roll back')[-1])
    wait('the second end', lambda: len(story.query(story.real, 'select 1 from session')) == 2
         and story.state(story.real) == 'finished')
    assert story.query(story.real, 'select from_step from session order by seq')[-1] == (BEST,)
    assert story.query(story.real, 'select step from step order by seq') == [(step,) for step in range(1, STEPS + 1)]
    assert story.query(story.real, 'select step, score from score') == [(BEST, SCORES[BEST])], 'later scores are void'
    assert os.readlink(os.path.join(story.real, 'best.safetensors')).endswith(f'{BEST:09}.safetensors')
    window.screenshot('rolled-back-to-best')
    window.close()


for function in (watch_a_run, see_it_stop_early, roll_back_to_the_best):
    tap.step(function)

if __name__ == '__main__':
    story = Story()
    try:
        tap.tell(story)
    finally:
        if story.supervisor is not None and story.supervisor.poll() is None:
            story.supervisor.send_signal(signal.SIGKILL)  # its worker dies with it
