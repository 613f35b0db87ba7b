# SPDX-License-Identifier: Apache-2.0
"""Checks that every control has a name that describes its action, without characters that only break its lines."""
import a11y
from driver import Failure, wait

CONTROLS = {'push button', 'toggle button', 'check box', 'combo box', 'entry', 'text', 'slider',
            'spin button', 'switch', 'radio button', 'page tab', 'password text', 'menu item'}


def path_of(node):
    names = []
    while node is not None and node.role != 'application':
        names.append(f'{node.role} {node.name!r}')
        node = node.parent
    return ' < '.join(names[:6])


def is_named(node):
    return node.name != '' and '\u200b' not in node.name and (node.name == 'Urbarium'
                                or not node.name.startswith(('Gtk', 'Adw', 'Urbarium')))


def complaints(window):
    for node, _ in a11y.read(window.root).walk():
        if node.role not in CONTROLS or is_named(node):
            continue
        # A menu button wraps the button that has the action; a combo box contains one.
        if any(inner.role in CONTROLS and is_named(inner) for inner, _ in node.walk()):
            continue
        if node.parent.role == 'combo box' and is_named(node.parent):
            continue
        yield path_of(node)


def check_names(window, where):
    """Objects being removed, such as those of the previous page, may not respond: reads again."""
    try:
        wait('names', lambda: not list(complaints(window)), timeout=10)
    except Failure:
        raise AssertionError(f'{where} these have no name:\n'
                             + '\n'.join(complaints(window))) from None
