#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two hosts, in the real window: entered, tested, chosen, and trained on over the network between them.

usage: test-two-hosts.py WITH-DISPLAY
       test-two-hosts.py

The hosts are network namespaces.  The first call makes them and makes the second one on the first host, so that the display,
the window and the engine that it starts are there; an agent that stands in for ssh starts the engine on the other one,
whose folder of runs is empty.  Needs root.
"""
import glob
import os
import signal
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'support'))
import hosts  # noqa: E402

SIZE = (1280, 2300)  # shows all settings: what is scrolled away cannot be clicked
STEPS = 12
N_PARAMETERS = 4000  # every preset has more


def lead():
    """On the machine itself."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    obstacle = hosts.find_obstacle()
    if obstacle is not None:
        print(f'1..0 # SKIP {obstacle}')
        return 0
    inside = {**os.environ, 'URBARIUM_TEST_HOSTS': hosts.PREFIX, 'SCREEN': '1920x2400'}
    try:
        return subprocess.run(hosts.enter(1, [sys.argv[1], sys.executable, __file__]), env=inside, check=False).returncode
    finally:
        hosts.remove_hosts()


class Story:
    def __init__(self, window_class, notifications, engine):
        home, config = os.environ['HOME'], os.path.join(os.environ['XDG_CONFIG_HOME'], 'glib-2.0', 'settings')
        agent = os.path.join(home, 'agent')
        town, areas = os.path.join(home, 'town.gpkg'), os.path.join(home, 'areas.gpkg')
        self.runs = os.path.join(os.environ['XDG_DATA_HOME'], 'urbarium', 'runs')
        for folder in self.runs, config:
            os.makedirs(folder)
        with open(os.path.join(config, 'keyfile'), 'w', encoding='utf-8') as file:
            file.write(f'[org/urbarium/Urbarium]\nwindow-width={SIZE[0]}\nwindow-height={SIZE[1]}\n')
        hosts.write_agent(agent, home, self.runs)
        engine('sample', '--seed', '3', '--size-km', '1', town)
        engine('curate', town, '--out', areas, '--resolution', '64')
        self.notifications = notifications
        self.window = window_class([areas], size=SIZE, environment={**hosts.environment(agent), 'OMP_NUM_THREADS': '1'})

    def folder(self):
        return glob.glob(os.path.join(self.runs, '*'))[0]

    def query(self, sql):
        database = sqlite3.connect(f'file:{self.folder()}/run.db?mode=ro', uri=True)
        try:
            return database.execute(sql).fetchall()
        finally:
            database.close()


def follow():
    """On the first host, with a display."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from driver import Notifications, Tap, Window, engine, wait
    tap = Tap()

    def wait_for(story, text):
        wait(repr(text), lambda: story.window.has('label', text.encode()))

    def enter_hosts(story):
        window = story.window
        window.page('Train')
        wait_for(story, 'areas.gpkg')
        window.find('label', 'Only this machine')
        row, = wait('the row of the hosts', lambda: [row for row in window.all('list item') if window.has('label', 'Hosts', row)])
        window.click(row)
        window.set_text(window.find('text', 'Name of this machine'), f'{hosts.SUBNET}.1')
        window.press('push button', 'Add a host')
        window.set_text(window.find('text', 'Name or address of host 2'), f'{hosts.SUBNET}.2')

    def test_connections(story):
        story.window.press('push button', 'Test connections')
        wait('both hosts to be ready', lambda: len(story.window.all('label', b'Ready: ')) == 2)
        story.window.screenshot('two-hosts-tested')

    def use_them(story):
        window = story.window
        switch, = [node for node in window.all(None, 'Train on these hosts') if node.role in ('check box', 'switch')]
        window.act(switch)
        dialog = next(node for node in window.all('frame') if window.has('list', 'Hosts', node))
        window.act(dialog, 'window.close')
        wait('the dialog to close', lambda: not window.has('list', 'Hosts'))
        wait_for(story, '2 hosts, 2 slots')

    def choose_a_strategy(story):
        window = story.window
        strategy, = [node for node in window.all(None, 'Distributed data parallel (DDP)')
                     if node.role in ('check box', 'radio button')]
        window.click(strategy)
        wait('two copies', lambda: [node for node in window.all('spin button', 'Copies')
                                    if node.get('Value', 'CurrentValue') == 2])
        window.set_value(window.find('spin button', 'Batch'), 2)
        window.set_value(window.find('spin button', 'Steps'), STEPS)
        window.screenshot('two-hosts-chosen')

    def train(story):
        before = hosts.received_bytes(2)
        story.window.press('push button', 'Train')
        wait_for(story, 'Step ')
        wait('the end', lambda: story.query("select text from event where code = 'state' order by seq desc limit 1")
             == [('finished',)], timeout=240)
        steps = [step for step, in story.query('select step from step order by step')]
        assert steps == list(range(1, STEPS + 1)), steps
        assert hosts.received_bytes(2) - before > STEPS * 4 * N_PARAMETERS, 'gradients were not sent over the network'
        wait_for(story, 'Finished')
        story.window.screenshot('two-hosts-trained')

    def leave_nothing(story):
        wait('the other host to rest', lambda: not hosts.pids(f'{hosts.PREFIX}2'))
        story.window.close()

    for function in (enter_hosts, test_connections, use_them, choose_a_strategy, train, leave_nothing):
        tap.step(function)
    tap.tell(Story(Window, Notifications(), engine))


if __name__ == '__main__':
    if len(sys.argv) > 1:
        sys.exit(lead())
    follow()
