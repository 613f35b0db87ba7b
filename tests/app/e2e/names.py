# SPDX-License-Identifier: Apache-2.0
"""Whether every control has a name that says what it does."""
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
    return node.name != '' and (node.name == 'Urbarium'
                                or not node.name.startswith(('Gtk', 'Adw', 'Urbarium')))


def complaints(window):
    for node, _ in a11y.read(window.root).walk():
        if node.role not in CONTROLS or is_named(node):
            continue
        # A menu button is one around the one that acts; a combo box has one inside.
        if any(inner.role in CONTROLS and is_named(inner) for inner, _ in node.walk()):
            continue
        if node.parent.role == 'combo box' and is_named(node.parent):
            continue
        yield path_of(node)


def check_names(window, where):
    """What is about to go, as the page before, may have no answer any more: looks again."""
    try:
        wait('names', lambda: not list(complaints(window)), timeout=10)
    except Failure:
        raise AssertionError(f'{where} these have no name:\n'
                             + '\n'.join(complaints(window))) from None
