# SPDX-License-Identifier: Apache-2.0
"""Drives the real window through its accessibility tree, as a screen reader would.

Nothing here sleeps for a while and hopes: every step waits for what it needs to see, and fails
with the tree as it was if that does not come.
"""
import os
import signal
import subprocess
import sys
import time
import warnings

# Fatal warnings are for the program; this process must survive those of the registry.
PROGRAM_DEBUG = {'G_DEBUG': os.environ.pop('G_DEBUG')} if 'G_DEBUG' in os.environ else {}

import gi  # noqa: E402

gi.require_version('Atspi', '2.0')
from gi.repository import Atspi, GLib  # noqa: E402

warnings.simplefilter('ignore', DeprecationWarning)
TIMEOUT_S = float(os.environ.get('URBARIUM_TEST_TIMEOUT', 60))
POLL_MS = 40
OLD_GTK = tuple(int(part) for part in subprocess.run(
    ['pkg-config', '--modversion', 'gtk4'], capture_output=True, text=True,
).stdout.strip().split('.')[:2]) < (4, 10)
# What later versions call a role, and what GTK 4.8 does.
ROLES = {'button': 'push button', 'toggle button': 'push button'}


class Failure(Exception):
    pass


def iterate(milliseconds):
    """Lets the accessibility bus speak."""
    loop = GLib.MainLoop()
    GLib.timeout_add(milliseconds, loop.quit)
    loop.run()


def wait(what, condition, timeout=TIMEOUT_S):
    """Waits until condition() is true, and returns what it gave."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            result = condition()
        except GLib.Error:  # the widget went away while we looked
            result = None
        if result:
            return result
        if time.monotonic() > deadline:
            raise Failure(f'waited {timeout:.0f} s in vain for {what}')
        iterate(POLL_MS)


def states(node):
    return node.get_state_set()


def is_showing(node):
    """Whether it is drawn.  GTK 4.8 tells only that of a window; of the rest whether it would be,
    were its parents: then it also has a size.  What was seen once and is on a hidden page now
    cannot be told from what is seen: search below the page, and for what no other page has."""
    if states(node).contains(Atspi.StateType.SHOWING):
        return True
    if not OLD_GTK or not states(node).contains(Atspi.StateType.VISIBLE):
        return False
    try:
        box = node.get_component_iface().get_extents(Atspi.CoordType.WINDOW)
    except (GLib.Error, AttributeError):
        return True  # a page of a stack is no widget
    return box.width > 0 and box.height > 0


def is_sensitive(node):
    return states(node).contains(Atspi.StateType.SENSITIVE)


def children(node):
    for index in range(node.get_child_count()):
        child = node.get_child_at_index(index)
        if child is not None:
            yield child


def walk(node, depth=0):
    """The tree of what is showing."""
    yield node, depth
    for child in children(node):
        if is_showing(child):
            yield from walk(child, depth + 1)


def role_of(node):
    """The name of the role, the same on every version."""
    role = node.get_role_name()
    return ROLES.get(role, role)


def name_of(node):
    """The name as it is read; GTK 4.8 gives that of a mnemonic twice: "_Open Open"."""
    name = (node.get_name() or '').strip()
    half = (len(name) + 1) // 2
    if name[:half].replace('_', '').strip() == name[half:].strip():
        name = name[half:].strip()
    return name


def tree(node):
    lines = []
    for item, depth in walk(node):
        if name_of(item):
            lines.append('  ' * depth + f'{role_of(item)} {name_of(item)!r}')
    return '\n'.join(lines)


class Window:
    """One process of the program and its window."""

    def __init__(self, arguments=(), environment=None, size=(1280, 800)):
        env = {**os.environ, **PROGRAM_DEBUG, **(environment or {})}
        self.process = subprocess.Popen([os.environ['URBARIUM'], *arguments], env=env)
        self.size = size
        self.root = wait('the window', self._find_root)

    def _find_root(self):
        if self.process.poll() is not None:
            raise Failure(f'the program ended with status {self.process.returncode}')
        desktop = Atspi.get_desktop(0)
        for application in children(desktop):
            if application.get_process_id() == self.process.pid:
                # What we look at is looked at now, not when it was seen first.
                application.set_cache_mask(Atspi.Cache.NONE)
                for frame in children(application):
                    if role_of(frame) == 'frame' and is_showing(frame):
                        return application
        return None

    # Finding

    def all(self, role=None, name=None, root=None):
        """Everything that has the role and whose name is (str) or contains (bytes) the name."""
        found = []
        for node, _ in walk(root or self.root):
            if role is not None and role_of(node) != role:
                continue
            text = name_of(node)
            if isinstance(name, bytes) and name.decode() not in text:
                continue
            if isinstance(name, str) and name != text:
                continue
            found.append(node)
        return found

    def find(self, role=None, name=None, root=None, timeout=TIMEOUT_S):
        def condition():
            self.check_alive()
            found = self.all(role, name, root)
            return found[0] if found else None
        try:
            return wait(f'a {role} named {name!r}', condition, timeout)
        except Failure as failure:
            raise Failure(f'{failure}\n{tree(self.root)}') from None

    def has(self, role=None, name=None, root=None):
        return bool(self.all(role, name, root))

    def wait_gone(self, role, name):
        wait(f'the {role} {name!r} to go', lambda: not self.has(role, name))

    def check_alive(self):
        if self.process.poll() is not None:
            raise Failure(f'the program ended with status {self.process.returncode}')

    # Doing

    def act(self, node, action=None):
        if node.get_n_actions() == 0:  # a menu button is one around the one that acts
            node = next((child for child, _ in walk(node) if child.get_n_actions() > 0), node)
        names = [node.get_action_name(i) for i in range(node.get_n_actions())]
        index = 0 if action is None else names.index(action)
        if not names:
            raise Failure(f'{role_of(node)} {node.get_name()!r} has no action')
        node.do_action(index)

    def press(self, role, name, root=None):
        node = self.find(role, name, root)
        wait(f'{name!r} to be sensitive', lambda: is_sensitive(node))
        self.act(node)
        return node

    def action(self, name):
        """One of the window's own actions: "win.undo"."""
        frame = self.find('frame')
        self.act(frame, name)

    def page(self, name):
        self.press('page tab', name)

    def value(self, node):
        return node.get_value_iface().get_current_value()

    def set_value(self, node, value):
        if not node.get_value_iface().set_current_value(value):
            raise Failure(f'{node.get_name()!r} does not take a value')

    def text(self, node):
        return node.get_text_iface().get_text(0, -1)

    def set_text(self, node, text):
        node.get_editable_text_iface().set_text_contents(text)

    # Pointer and keys, for what is no action: the canvas, a drag.

    def place(self, node, x=0.5, y=0.5):
        box = node.get_component_iface().get_extents(Atspi.CoordType.WINDOW)
        return int(box.x + x * box.width), int(box.y + y * box.height)

    def xdotool(self, *arguments):
        subprocess.run(['xdotool', *map(str, arguments)], check=True)

    def focus(self):
        windows = subprocess.run(['xdotool', 'search', '--onlyvisible', '--pid',
                                  str(self.process.pid)], capture_output=True, text=True)
        for window in windows.stdout.split()[-1:]:
            self.xdotool('windowfocus', '--sync', window)

    def click(self, node, x=0.5, y=0.5):
        px, py = self.place(node, x, y)
        self.xdotool('mousemove', px, py, 'click', 1)

    def drag(self, node, start, end, steps=12):
        (x0, y0), (x1, y1) = self.place(node, *start), self.place(node, *end)
        self.xdotool('mousemove', x0, y0, 'mousedown', 1)
        for i in range(1, steps + 1):
            self.xdotool('mousemove', x0 + (x1 - x0) * i // steps, y0 + (y1 - y0) * i // steps)
            iterate(16)
        self.xdotool('mouseup', 1)

    def key(self, *keys):
        self.focus()
        self.xdotool('key', *keys)

    # Ending

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def close(self):
        """As Ctrl+W does; the program must end by itself, well."""
        self.action('window.close')
        status = self.process.wait(timeout=TIMEOUT_S)
        if status != 0:
            raise Failure(f'the program ended with status {status}')

    def screenshot(self, name):
        """Writes NAME.png to $URBARIUM_SCREENSHOTS, if that is set, at the window's size."""
        folder = os.environ.get('URBARIUM_SCREENSHOTS')
        if not folder:
            return
        os.makedirs(folder, exist_ok=True)
        self.xdotool('mousemove', *[2 * edge for edge in self.size])
        iterate(400)  # a frame or two; pictures only, no test depends on it
        path = os.path.join(folder, name + '.png')
        subprocess.run(['import', '-window', 'root', path], check=True)


class Tap:
    """Runs the steps of a story in order, each as one TAP test; after a failure the rest fail too."""

    def __init__(self):
        self.steps = []

    def step(self, function):
        self.steps.append(function)
        return function

    def run(self, *arguments):
        print(f'1..{len(self.steps)}', flush=True)
        broken = None
        for number, function in enumerate(self.steps, 1):
            name = '/' + function.__name__.replace('_', '-')
            if broken is None:
                try:
                    function(*arguments)
                except Exception as error:  # the TAP harness wants a line for each
                    broken = error
                    for line in f'{type(error).__name__}: {error}'.splitlines():
                        print('# ' + line, flush=True)
            print(f'{"not ok" if broken else "ok"} {number} {name}', flush=True)
        sys.exit(1 if broken else 0)
