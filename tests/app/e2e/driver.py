# SPDX-License-Identifier: Apache-2.0
"""Drives the real window through its accessibility tree, as a screen reader would.

No step relies on a fixed delay: each waits for a condition, and on a timeout fails with a dump of
the tree.
"""
import os
import signal
import subprocess
import sys
import time
import warnings

# Warnings are fatal in the program only; this process must survive those of the registry.
PROGRAM_DEBUG = {'G_DEBUG': os.environ.pop('G_DEBUG')} if 'G_DEBUG' in os.environ else {}

import gi  # noqa: E402, F401

from gi.repository import Gio, GLib  # noqa: E402

import a11y  # noqa: E402

warnings.simplefilter('ignore', DeprecationWarning)
TIMEOUT_S = float(os.environ.get('URBARIUM_TEST_TIMEOUT', 60))
POLL_MS = 40


class Failure(Exception):
    pass


def engine(*arguments):
    """A command of the engine, which has to succeed."""
    subprocess.run([os.environ['URBARIUM_ENGINE'], *arguments], check=True, stdout=subprocess.DEVNULL)


def iterate(milliseconds):
    """Runs the main loop for some time."""
    loop = GLib.MainLoop()
    GLib.timeout_add(milliseconds, loop.quit)
    loop.run()


def wait(what, condition, timeout=TIMEOUT_S):
    """Waits until condition() is true, and returns its value.  To read a tree costs the program as much as
    this process, so most of the time both rest."""
    deadline = time.monotonic() + timeout
    while True:
        began = time.monotonic()
        try:
            result = condition()
        except GLib.Error:  # the widget was removed meanwhile
            result = None
        if result:
            return result
        if time.monotonic() > deadline:
            raise Failure(f'waited {timeout:.0f} s in vain for {what}')
        iterate(max(POLL_MS, int(3000 * (time.monotonic() - began))))


def tree(node):
    """Everything showing that has a name, one per line."""
    return '\n'.join('  ' * depth + f'{item.role} {item.name!r}'
                     for item, depth in a11y.read(node).walk() if item.name)


class Window:
    """One process of the program and its window."""

    def __init__(self, arguments=(), environment=None, size=(1280, 800)):
        env = {**os.environ, **PROGRAM_DEBUG, **(environment or {})}
        self.process = subprocess.Popen([os.environ['URBARIUM'], *arguments], env=env)
        self.size = size
        self.bus = wait('the accessibility bus', a11y.Bus)
        self.root = wait('the window', self._find_root)

    def _find_root(self):
        if self.process.poll() is not None:
            raise Failure(f'the program ended with status {self.process.returncode}')
        root = self.bus.application(self.process.pid)
        if root is None or not any(node.role == 'frame' for node, _ in a11y.read(root).walk()):
            return None
        return root

    # Finding

    def all(self, role=None, name=None, root=None):
        """Everything that has the role and whose name is (str) or contains (bytes) the name."""
        found = []
        for node, _ in a11y.read(root or self.root).walk():
            if role is not None and node.role != role:
                continue
            if isinstance(name, bytes) and name.decode() not in node.name:
                continue
            if isinstance(name, str) and name != node.name:
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
        # A menu button wraps the toggle button that has the action.
        for inner, _ in [(node, 0), *a11y.read(node).walk()]:
            names = inner.actions()
            if names:
                inner.do(0 if action is None else names.index(action))
                return
        raise Failure(f'{node.role} {node.name!r} has no action')

    def press(self, role, name, root=None):
        node = self.find(role, name, root)
        wait(f'{name!r} to be sensitive', node.is_sensitive)
        self.act(node)
        return node

    def choose(self, name, place):
        """The item of the open menu that has or contains the name; since GTK 4.18 does not expose
        the names of menu items, there it is found by its position."""
        def condition():
            items = self.all('menu item')
            if any(item.name for item in items):
                items = self.all('menu item', name)[:1]
            else:
                items = items[place:place + 1]
            return items
        self.act(wait(f'{name!r} in a menu', condition)[0])

    def action(self, name):
        """One of the window's own actions: "win.undo"."""
        frame = self.find('frame')
        self.act(frame, name)

    def page(self, name):
        self.press('page tab', name)

    def set_value(self, node, value):
        node.set('Value', 'CurrentValue', GLib.Variant('d', value))

    def cities(self, n=2):
        """The tiles of the gallery, as soon as there are @n; other pages have table cells, too."""
        def tiles():
            cells = self.all('table cell', root=self.find('table', 'Generated cities'))
            return cells if len(cells) >= n else None
        return wait('cities', tiles)

    def set_text(self, node, text):
        node.call('EditableText', 'SetTextContents', GLib.Variant('(s)', (text,)))

    # Pointer and keys, where there is no action: the canvas, a drag.

    def place(self, node, x=0.5, y=0.5):
        """Where it is as soon as it rests: what arrives above it may move it."""
        def resting():
            before = node.extents()
            iterate(POLL_MS)
            return before if node.extents() == before else None
        left, top, width, height = wait(f'{node.role} {node.name!r} to rest', resting)
        return int(left + x * width), int(top + y * height)

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
        """Closes the window like Ctrl+W; the program must exit by itself with status 0."""
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
        iterate(400)  # a frame or two; only for screenshots, no test depends on it
        path = os.path.join(folder, name + '.png')
        subprocess.run(['import', '-window', 'root', path], check=True)


class Notifications:
    """Stands in for the desktop, which shows what a window in the background tells."""

    INTERFACE = """<node><interface name="org.freedesktop.Notifications"><method name="Notify">
      <arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/>
      <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="as" direction="in"/>
      <arg type="a{sv}" direction="in"/><arg type="i" direction="in"/><arg type="u" direction="out"/>
      </method></interface></node>"""

    def __init__(self):
        self.titles = []
        bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
        interface = Gio.DBusNodeInfo.new_for_xml(self.INTERFACE).interfaces[0]
        bus.register_object('/org/freedesktop/Notifications', interface, self._notify, None, None)
        Gio.bus_own_name_on_connection(bus, interface.name, Gio.BusNameOwnerFlags.NONE, None, None)

    def _notify(self, bus, sender, path, interface, method, arguments, invocation):
        self.titles.append(arguments[3])
        invocation.return_value(GLib.Variant('(u)', (len(self.titles),)))


class Tap:
    """Runs the steps of a story in order, each as one TAP test; after a failure the rest fail too.  A step that returns
    a reason was skipped."""

    def __init__(self):
        self.steps = []

    def step(self, function):
        self.steps.append(function)
        return function

    def tell(self, story):
        """Runs the steps with a story, whose window does not outlive them."""
        try:
            self.run(story)
        finally:
            if story.window is not None and story.window.process.poll() is None:
                story.window.kill()

    def run(self, *arguments):
        print(f'1..{len(self.steps)}', flush=True)
        broken = None
        for number, function in enumerate(self.steps, 1):
            name = '/' + function.__name__.replace('_', '-')
            begin = time.monotonic()
            skipped = None
            if broken is None:
                try:
                    skipped = function(*arguments)
                except Exception as error:  # the TAP harness expects a line per test
                    broken = error
                    for line in f'{type(error).__name__}: {error}'.splitlines():
                        print('# ' + line, flush=True)
            why = f' # SKIP {skipped}' if skipped and not broken else ''
            print(f'{"not ok" if broken else "ok"} {number} {name}{why}', flush=True)
            print(f'# {time.monotonic() - begin:.1f} s', flush=True)
        sys.exit(1 if broken else 0)
