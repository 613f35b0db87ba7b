#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The hosts of a run, in the real window: entered, tested by the real engine, used and kept.

A script stands in for ssh: it starts the engine on this machine, or says what ssh says.
"""
import os

from driver import Tap, Window, wait
from names import check_names

SIZE = (1280, 800)
AGENT = """#!/bin/sh
host=$1
shift
case $host in
  there) exec sh -c "$*" ;;
  *) echo "ssh: Could not resolve hostname $host: Name or service not known" >&2; exit 255 ;;
esac
"""
tap = Tap()


class Story:
    def __init__(self):
        agent = os.path.join(os.environ['HOME'], 'agent')
        with open(agent, 'w', encoding='utf-8') as file:
            file.write(AGENT)
        os.chmod(agent, 0o755)
        self.environment = {'OMPI_MCA_plm_rsh_agent': agent}
        self.open()

    def open(self):
        self.window = Window(size=SIZE, environment=self.environment)
        self.window.page('Train')

    def open_hosts(self):
        """The row has no action of its own before GTK 4.10."""
        self.window.find('label', 'Only this machine')
        row, = wait('the row of the hosts', lambda: [row for row in self.window.all('list item')
                                                     if self.window.has('label', 'Hosts', row)])
        self.window.click(row)
        return self.window.find('list', 'Hosts')

    def close_hosts(self):
        dialog = next(node for node in self.window.all('frame') if self.window.has('list', 'Hosts', node))
        self.window.act(dialog, 'window.close')
        wait('the dialog to close', lambda: not self.window.has('list', 'Hosts'))

    def wait_for(self, text):
        wait(repr(text), lambda: self.window.has('label', text.encode()))


def enter_hosts(story):
    story.open_hosts()
    for number, name in (2, 'there'), (3, 'nowhere'):
        story.window.press('push button', 'Add a host')
        story.window.set_text(story.window.find('text', f'Name or address of host {number}'), name)
    story.window.set_value(story.window.find('spin button', 'Slots of there'), 2)
    check_names(story.window, 'in the dialog of the hosts')


def test_connections(story):
    """What each has; and why one cannot take part, and what to do."""
    story.window.press('push button', 'Test connections')
    story.wait_for('No host has this name. Check it, or enter the address. (ssh: Could not resolve '
                   'hostname nowhere')
    ready = wait('answers', lambda: [node for node in story.window.all('label', b'Ready: ')
                                     if 'core' in node.name and 'of memory free' in node.name])
    assert len(ready) == 2, [node.name for node in ready]
    story.window.screenshot('hosts-tested')


def use_them(story):
    story.window.press('push button', 'Remove nowhere')
    story.window.wait_gone('spin button', 'Slots of nowhere')
    switch, = [node for node in story.window.all(None, 'Train on these hosts')
               if node.role in ('check box', 'switch')]  # as GTK 4.8 calls it, and later ones
    story.window.act(switch)
    story.close_hosts()
    story.wait_for('2 hosts, 3 slots')
    story.wait_for('The selected strategy uses only this machine')
    story.window.screenshot('hosts-used')


def find_them_again(story):
    story.window.close()
    story.open()
    story.open_hosts()
    assert story.window.find('spin button', 'Slots of there').get('Value', 'CurrentValue') == 2
    assert not story.window.has('spin button', 'Slots of nowhere')
    story.close_hosts()
    story.window.close()


for function in (enter_hosts, test_connections, use_them, find_them_again):
    tap.step(function)

if __name__ == '__main__':
    tap.tell(Story())
