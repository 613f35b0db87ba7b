#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From a damaged map to a city on it, in the real window.

Three objects of the map are damaged, and it states no coordinate system: they are told and left out, profile and system
are chosen, and areas are saved.  A city of a run on these is put on the map by numbers, keys and a click, exported as a
GeoPackage, and found where it was put: as the engine puts it, to the centimeter, and on top of the map when both are
opened."""
import json
import math
import os
import re
import sqlite3
import struct
import subprocess

from driver import Notifications, Tap, Window, wait
from names import check_names

EAST, NORTH, ANGLE = 2600512.25, 1200431.5, 27.5
SIZE = 250
N_DAMAGED = 3
tap = Tap()


def engine(*arguments):
    return subprocess.run([os.environ['URBARIUM_ENGINE'], *arguments], check=True, capture_output=True, text=True).stdout


def read_polygons(path):
    """The rings of each layer, the codes of their coordinate systems, number and seed of the city, and its provenance."""
    rings, codes = {}, set()
    database = sqlite3.connect(f'file:{path}?mode=ro', uri=True)
    for layer in ('building', 'road', 'other'):
        codes.add(database.execute('select organization_coordsys_id from gpkg_geometry_columns join gpkg_spatial_ref_sys '
                                   'using (srs_id) where table_name = ?', (layer,)).fetchone()[0])
        rings[layer] = [ring for blob, in database.execute(f'select geom from {layer} order by fid')
                        for ring in rings_of(blob)]
    city = database.execute('select city, seed from other').fetchone()
    facts = dict(database.execute('select name, value from provenance'))
    database.close()
    return rings, codes, city, facts


def rings_of(blob):
    at = 8 + (0, 32, 48, 48, 64)[blob[3] >> 1 & 7]  # the head and its envelope
    assert struct.unpack_from('<BI', blob, at) == (1, 3), 'not a polygon'
    n_rings, = struct.unpack_from('<I', blob, at + 5)
    at += 9
    for _ in range(n_rings):
        n, = struct.unpack_from('<I', blob, at)
        yield list(struct.iter_unpack('<2d', blob[at + 4:at + 4 + 16 * n]))
        at += 4 + 16 * n


def spoil(path):
    """Damages objects, and forgets the coordinate system.  Returns how many objects there are, and the damaged ones."""
    database = sqlite3.connect(path)
    for trigger, in database.execute("select name from sqlite_master where type = 'trigger'").fetchall():
        database.execute(f'drop trigger "{trigger}"')
    fids = [fid for fid, in database.execute('select fid from landcover order by fid')]
    damaged = fids[len(fids) // 4:: len(fids) // 4][:N_DAMAGED]
    for fid in damaged:
        database.execute("update landcover set geom = x'0102' where fid = ?", (fid,))
    for table in ('gpkg_contents', 'gpkg_geometry_columns'):
        database.execute(f'update {table} set srs_id = -1')
    database.commit()
    database.close()
    return len(fids), damaged


class Story:
    def __init__(self):
        self.home = os.environ['HOME']
        runs = os.path.join(os.environ['XDG_DATA_HOME'], 'urbarium', 'runs')
        os.makedirs(runs)
        self.town, self.areas = os.path.join(self.home, 'town.gpkg'), os.path.join(self.home, 'areas.gpkg')
        self.run = os.path.join(runs, 'Town')
        self.export = os.path.join(self.home, 'placed.gpkg')
        engine('sample', '--seed', '3', '--size-km', '1', self.town)
        self.n_objects, self.damaged = spoil(self.town)
        settings = os.path.join(os.environ['XDG_CONFIG_HOME'], 'glib-2.0', 'settings')
        os.makedirs(settings)
        with open(os.path.join(settings, 'keyfile'), 'w', encoding='utf-8') as file:
            file.write('[org/urbarium/Urbarium]\ncities-tile-size=400.0\n')  # so that few are drawn
        self.notifications = Notifications()  # of the run that ends beside the window
        self.window = Window([self.town])
        self.place, self.spins = None, {}  # the window in which the plan is placed, and its numbers

    def open_place(self):
        self.window.press('push button', 'Place…')
        self.place = self.window.find('frame', 'Place on the map')
        self.spins = {name: self.window.find('spin button', name, self.place) for name in ('East', 'North', 'Rotation')}

    def set_number(self, name, value):
        self.window.set_value(self.spins[name], value)

    def count_areas(self):
        """That it can be put on; None until they are known."""
        found = [label.name for label in self.window.all('label', root=self.place)
                 if re.fullmatch(r'\d+ areas', label.name)]
        return found[0] if found else None

    def numbers(self):
        return tuple(round(spin.get('Value', 'CurrentValue'), 3) for spin in self.spins.values())


def n_polygons(window):
    for label in window.all('label'):
        match = re.match(r'(\d+)polygons', re.sub(r'[\s,]', '', label.name))
        if match:
            return int(match.group(1))
    return None


def read_the_damaged_map(story):
    """All but the damaged objects are there, and the notes name these."""
    window = story.window
    wait('the polygons', lambda: n_polygons(window) == story.n_objects - N_DAMAGED)
    window.click(window.find('list item', b'notes on this map'))
    note = window.find('label', b'could not be read').name
    assert f'{N_DAMAGED} of {story.n_objects} objects' in note, note
    assert all(f'“{fid}”' in note for fid in story.damaged), note
    window.find('label', b'No coordinate system stated')
    window.screenshot('damaged')


def choose_profile(window, title, n_further):
    """The one so much further down the list; its title is then in the list and beside the map's figures."""
    window.click(window.find('label', 'Read as'))
    window.key(*['Down'] * n_further, 'Return')
    wait(f'the map to be read as {title}', lambda: len(window.all('label', title)) > 1)


def choose_profile_and_system(story):
    window = story.window
    choose_profile(window, 'Common names (any map)', 3)
    window.action('win.undo')
    window.find('label', 'Recognized')
    choose_profile(window, 'Urbarium', 7)
    system = window.find('text', 'Coordinates, if not stated')
    window.click(system)
    window.set_text(system, 'EPSG:2056')
    window.key('Return')
    window.find('label', b'EPSG:2056')


def choose_areas(story):
    window = story.window
    window.page('Areas')
    window.find('label', b'areas')
    window.press('push button', 'Save dataset…')
    window.set_text(window.find('text', b'Name:'), story.areas)
    button = window.all('push button', 'Save')[-1]
    wait('the name to be taken', button.is_sensitive)
    window.act(button)
    wait('the dataset', lambda: os.path.exists(story.areas))
    engine('train', '--dataset', story.areas, '--run', story.run, '--preset', 'tiny', '--batch', '4', '--steps', '2', '--quiet')


def open_a_city(story):
    window = story.window
    window.page('Cities')
    window.click(window.cities()[1])
    window.find('label', b'1 city')


def place_it(story):
    window = story.window
    story.open_place()
    wait('areas', story.count_areas)
    check_names(window, 'while a city is placed')
    before = story.numbers()  # on an area that the generator learned from
    assert 2600000 <= before[0] <= 2601000 and 1200000 <= before[1] <= 1201000, before
    window.screenshot('place')
    story.set_number('East', EAST - 1)
    story.set_number('North', NORTH)
    story.set_number('Rotation', ANGLE - 1)
    wait('the numbers', lambda: story.numbers() == (EAST - 1, NORTH, ANGLE - 1))


def put_it_on_a_selected_area(story):
    """They are looked for although nobody has opened the page Areas."""
    window = story.window
    learned = story.count_areas()
    window.click(window.find('combo box', 'Areas', story.place))
    wait('the choice', lambda: window.all('label', 'Selected areas'))
    window.key('Down', 'Return')
    wait('selected areas', lambda: story.count_areas() not in (None, learned))
    nearest = window.find('push button', 'Put on the nearest area', story.place)
    window.act(nearest)
    wait('it to be there', lambda: story.numbers()[2] == 0)  # areas are not turned unless one asks for it
    assert story.numbers()[:2] != (EAST - 1, NORTH), story.numbers()
    story.set_number('Rotation', ANGLE - 1)


def move_and_turn_it_by_keys_and_clicks(story):
    window = story.window
    canvas = window.find('image', b'Map', story.place)
    east, north, _ = story.numbers()  # in the middle of the canvas
    window.click(canvas, 0.25, 0.25)
    wait('it to be where the click was', lambda: story.numbers()[0] < east - 1 and story.numbers()[1] > north + 1)
    assert story.numbers()[2] == ANGLE - 1, 'a click turns nothing'
    story.set_number('East', EAST - 1)
    story.set_number('North', NORTH)
    window.key('alt+Right')  # the canvas has the focus since the click
    window.key('Page_Up')
    wait('the keys', lambda: story.numbers() == (EAST, NORTH, ANGLE))


def export_it(story):
    window = story.window
    window.press('push button', 'Export', story.place)
    window.choose(b'GeoPackage', 0)
    window.set_text(window.find('text', b'Name:'), story.export)
    button = window.all('push button', 'Export')[-1]
    wait('the name to be taken', button.is_sensitive)
    window.act(button)
    wait('the file', lambda: os.path.exists(story.export))


def find_it_where_it_was_put(story):
    """Its square has the corners it should have; the engine puts the same city there, too."""
    rings, codes, (city, seed), facts = read_polygons(story.export)
    assert codes == {2056}, codes
    assert (facts['run'], facts['map'], facts['seeds']) == ('Town', 'town.gpkg', seed), facts
    cos, sin = math.cos(math.radians(ANGLE)), math.sin(math.radians(ANGLE))
    back = [((x - EAST) * cos + (y - NORTH) * sin, (y - NORTH) * cos - (x - EAST) * sin)
            for layer in rings.values() for ring in layer for x, y in ring]
    for axis in range(2):
        edges = min(point[axis] for point in back), max(point[axis] for point in back)
        assert all(abs(edge - expected) < 0.005 for edge, expected in zip(edges, (-SIZE / 2, SIZE / 2))), edges
    corner = (EAST - SIZE / 2 * (cos - sin), NORTH - SIZE / 2 * (sin + cos))
    told = facts['place'].removesuffix('/2056')
    assert math.dist(corner, map(float, told.split(','))) < 0.001, (corner, told)
    other = os.path.join(story.home, 'engine.gpkg')
    engine('generate', story.run, '--seed', seed, '--first', str(city), '--count', '1', '--out', other,
           '--place', facts['place'], '--rotate', str(ANGLE))
    theirs, _, _, their_facts = read_polygons(other)
    assert facts == their_facts, (facts, their_facts)
    for layer, own in rings.items():
        assert [len(ring) for ring in own] == [len(ring) for ring in theirs[layer]], layer
        far = max((math.dist(a, b) for one, two in zip(own, theirs[layer]) for a, b in zip(one, two)), default=0)
        assert far < 0.01, (layer, far)


def open_it_on_top_of_the_map(story):
    story.window.close()
    n_plan = json.loads(engine('inspect', '--json', story.export))['polygons']
    story.window = Window([story.town, story.export])
    window = story.window
    window.page('Map')
    wait('all polygons', lambda: n_polygons(window) == story.n_objects - N_DAMAGED + n_plan)
    window.find('label', b'EPSG:2056')
    window.screenshot('placed')
    window.close()


for function in (read_the_damaged_map, choose_profile_and_system, choose_areas, open_a_city, place_it, put_it_on_a_selected_area, move_and_turn_it_by_keys_and_clicks,
                 export_it, find_it_where_it_was_put, open_it_on_top_of_the_map):
    tap.step(function)

if __name__ == '__main__':
    tap.tell(Story())
