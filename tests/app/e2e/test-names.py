#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every control of every page has a name that says what it does."""
from driver import Tap, Window, role_of, walk

CONTROLS = {'push button', 'toggle button', 'check box', 'combo box', 'entry', 'text', 'slider',
            'spin button', 'switch', 'radio button', 'page tab', 'password text', 'menu item'}
tap = Tap()


def path_of(node):
    names = []
    while node is not None and role_of(node) != 'application':
        names.append(f'{role_of(node)} {node.get_name()!r}')
        node = node.get_parent()
    return ' < '.join(names[:6])


def complaints(window):
    for node, _ in walk(window.root):
        name = (node.get_name() or '').strip()
        if role_of(node) in CONTROLS and (
                not name or name.startswith(('Gtk', 'Adw', 'Urbarium')) and name != 'Urbarium'):
            yield path_of(node)


def check(window, page):
    window.page(page)
    found = list(complaints(window))
    if found:
        raise AssertionError(f'on the page {page} these have no name:\n' + '\n'.join(found))


for name in ('Map', 'Areas', 'Train', 'Cities'):
    def step(window, name=name):
        check(window, name)
    step.__name__ = f'names_{name}'
    tap.step(step)

if __name__ == '__main__':
    window = Window()
    try:
        tap.run(window)
    finally:
        window.kill()
