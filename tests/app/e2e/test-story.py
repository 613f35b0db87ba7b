#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From a map to cities, in the real window: the workflow of a first session.

Opens the Wasseramt map (the sample town where it is absent), changes a class, drags the threshold,
saves a dataset, changes a setting, trains, kills the window, finds the run live again, pauses,
resumes, stops, looks at the cities, and exports them.  $URBARIUM_STEPS is how long it would train.
"""
import configparser
import json
import os
import re
import signal
import sqlite3
import subprocess

from driver import Failure, Tap, Window, tree, wait
from names import check_names

STEPS = int(os.environ.get('URBARIUM_STEPS', 100000))  # on no machine does it end before it is stopped
SIZE = tuple(int(edge) for edge in os.environ.get('SCREEN', '1920x1080').split('x'))
tap = Tap()


class Story:
    def __init__(self):
        self.home = os.environ['HOME']
        self.dataset = os.path.join(self.home, 'areas.gpkg')
        self.export = os.path.join(self.home, 'cities.gpkg')
        self.window = None

    def start(self, *arguments):
        settings = os.path.join(os.environ['XDG_CONFIG_HOME'], 'glib-2.0', 'settings')
        os.makedirs(settings, exist_ok=True)
        path = os.path.join(settings, 'keyfile')
        if not os.path.exists(path):
            with open(path, 'w', encoding='utf-8') as file:
                file.write('[org/urbarium/Urbarium]\n'
                           f'window-width={SIZE[0]}\nwindow-height={SIZE[1]}\n')
        self.window = Window(arguments, size=SIZE)

    def label(self, pattern, what):
        """The first label that matches, as a match."""
        def condition():
            for node in self.window.all('label'):
                match = re.search(pattern, node.name.replace('\u202f', '').replace(',', ''))
                if match:
                    return match
            return None
        try:
            return wait(what, condition)
        except Failure as failure:
            raise Failure(f'{failure}\n{tree(self.window.root)}') from None

    def run_folder(self):
        runs = os.path.join(os.environ['XDG_DATA_HOME'], 'urbarium', 'runs')
        folders = [f for f in os.listdir(runs) if os.path.exists(os.path.join(runs, f, 'run.db'))]
        assert len(folders) == 1, folders
        return os.path.join(runs, folders[0])

    def end_run(self):
        """Ends the run, which outlives the window, also after a failed test."""
        try:
            with open(os.path.join(self.run_folder(), 'lock'), encoding='utf-8') as lock:
                os.kill(int(lock.read()), signal.SIGTERM)
        except (OSError, ValueError, AssertionError):
            pass  # it has ended, or never started

    def query(self, sql):
        database = sqlite3.connect(f'file:{self.run_folder()}/run.db?mode=ro', uri=True)
        try:
            return database.execute(sql).fetchall()
        finally:
            database.close()

    def steps_done(self):
        return self.query('select coalesce(max(step), 0) from step')[0][0]

    def choose_in_dialog(self, path, accept):
        """Types a path into the open file chooser, which is last in the tree."""
        self.window.set_text(self.window.find('text', b'Name:'), path)
        button = self.window.all('push button', accept)[-1]
        wait('the name to be taken', button.is_sensitive)
        self.window.act(button)


def open_the_map(story):
    data = os.environ.get('URBARIUM_TEST_DATA', '')
    path = os.path.join(data, 'ch-so-wasseramt', 'wasseramt_lv03.gpkg')
    story.real = os.path.exists(path)
    if story.real:
        story.start(path)
    else:
        story.start()
        story.window.press('push button', 'Sample town')
    polygons = int(story.label(r'(\d+) polygons', 'the number of polygons').group(1))
    assert polygons > 1000, polygons


def change_a_class(story):
    window = story.window
    layer, value = ('bodenbedeckung', 'befestigt.Trottoir') if story.real else ('landcover', 'road')
    window.click(window.find('list item', layer))
    road, other = f'Class of {value}: Road', f'Class of {value}: Other'
    window.press('push button', road)
    window.choose('Other', 2)
    window.find('push button', other)
    window.action('win.undo')
    window.find('push button', road)
    window.action('win.redo')
    window.find('push button', other)
    window.action('win.undo')
    window.find('push button', road)


def areas_chosen(story):
    return int(story.label(r'^(\d+) areas', 'the number of areas').group(1))


def drag_the_threshold(story):
    window = story.window
    window.page('Areas')
    wait('areas', lambda: areas_chosen(story) > 0)  # none while it searches
    before = areas_chosen(story)
    histogram = window.find('slider', b'ariance')
    window.drag(histogram, (0.35, 0.6), (0.6, 0.6))
    wait('fewer areas', lambda: areas_chosen(story) < before)
    fewer = areas_chosen(story)
    window.action('win.undo')
    wait('as many areas as before', lambda: areas_chosen(story) == before)
    window.action('win.redo')
    wait('the fewer again', lambda: areas_chosen(story) == fewer)


def save_the_dataset(story):
    window = story.window
    chosen = areas_chosen(story)
    window.press('push button', 'Save dataset…')
    story.choose_in_dialog(story.dataset, 'Save')
    wait('the file', lambda: os.path.exists(story.dataset))
    database = sqlite3.connect(story.dataset)
    written = database.execute('select count(*) from areas').fetchone()[0]
    database.close()
    assert written == chosen, (written, chosen)


def change_one_of_all_settings(story):
    window = story.window
    window.page('Train')
    story.label(r'areas\.gpkg', 'the dataset in the settings')
    frames = len(window.all('frame'))
    window.press('push button', 'All settings…')
    window.set_text(window.find('text', 'Adam’s ε'), '0.001')
    window.act(window.find('frame', 'All settings'), 'window.close')
    wait('All settings to close', lambda: len(window.all('frame')) == frames)


def compare_two_ways(story):
    """Hogwild and one process; stopped before the first scores."""
    window = story.window
    frames = len(window.all('frame'))
    window.press('push button', 'Compare…')
    story.label('Hogwild', 'the first way')
    check_names(window, 'beside two ways to train')
    window.press('push button', 'Start', window.find('frame', 'Compare two ways to train'))
    story.label('The comparison is not finished', 'the comparison')
    race, = os.listdir(os.path.join(os.environ['XDG_DATA_HOME'], 'urbarium', 'races'))
    assert race == 'hogwild-2-single', race
    window.press('push button', 'Stop')
    story.label('The comparison was stopped', 'its end')
    window.act(window.find('frame', 'Compare two ways to train'), 'window.close')
    wait('it to close', lambda: len(window.all('frame')) == frames)


def train(story):
    window = story.window
    window.set_value(window.find('spin button', 'Steps'), STEPS)
    window.press('push button', 'Train')
    story.label(r'Step \d+ of %d' % STEPS, 'the first steps')
    wait('losses in the database', lambda: story.steps_done() > 3)
    # The setting of the window is the run's.
    config = configparser.ConfigParser(interpolation=None)
    config.read(os.path.join(story.run_folder(), 'run.ini'), encoding='utf-8')
    assert float(config['train']['adam-epsilon']) == 0.001, dict(config['train'])


def see_losses_and_samples(story):
    window = story.window
    story.label(r'Generator.s loss', 'the curve of the generator')
    wait('a sample', lambda: story.query('select count(*) from sample')[0][0] > 0)
    story.label(r'Step \d+', 'the sample grid')
    window.find('push button', 'Pause')
    check_names(window, 'beside a run')


def kill_the_window_and_come_back(story):
    before = story.steps_done()
    story.window.kill()
    wait('the run to go on without a window', lambda: story.steps_done() > before + 2)
    story.start()
    story.window.page('Train')
    seen = wait('the steps to go on in the window', lambda: live_step(story) > before + 2 and
                live_step(story))
    wait('a later step', lambda: live_step(story) > seen)


def live_step(story):
    return int(story.label(r'Step (\d+) of %d' % STEPS, 'the step of the run').group(1))


def state(story):
    rows = story.query("select text from event where code = 'state' order by seq desc limit 1")
    return rows[0][0] if rows else ''


def pause_and_resume(story):
    window = story.window
    window.press('push button', 'Pause')
    wait('the pause', lambda: state(story) == 'paused')
    at = story.steps_done()
    window.press('push button', 'Resume')
    wait('the run to go on', lambda: story.steps_done() > at)


def look_at_the_cities(story):
    window = story.window
    window.press('push button', 'Show cities')
    window.find('label', b'Preset')
    cities = window.cities(4)
    assert len(cities) > 3, len(cities)
    check_names(window, 'beside cities')


def export_a_city(story):
    window = story.window
    window.click(window.cities()[1])
    window.find('label', b'1 city')
    window.press('push button', 'Export')
    window.choose(b'GeoPackage', 0)
    story.choose_in_dialog(story.export, 'Export')
    wait('the file', lambda: os.path.exists(story.export))
    # GDAL can read it as a map.
    report = json.loads(subprocess.run(
        [os.environ['URBARIUM_ENGINE'], 'inspect', '--json', story.export],
        check=True, capture_output=True, text=True).stdout)
    assert report['polygons'] > 0, report


def close(story):
    story.window.close()


def stop(story):
    story.window.press('push button', 'Stop')
    wait('the end', lambda: state(story) in ('stopped', 'finished'))
    story.window.find('push button', b'Resume' if state(story) == 'stopped' else b'Extend')
    steps = [row[0] for row in story.query('select step from step order by seq')]
    assert steps == list(range(1, len(steps) + 1)), 'a step is missing or there twice'


for function in (open_the_map, change_a_class, drag_the_threshold, save_the_dataset,
                 change_one_of_all_settings, compare_two_ways, train, see_losses_and_samples,
                 kill_the_window_and_come_back, pause_and_resume, stop, look_at_the_cities, export_a_city, close):
    tap.step(function)

if __name__ == '__main__':
    story = Story()
    try:
        tap.tell(story)
    finally:
        story.end_run()
