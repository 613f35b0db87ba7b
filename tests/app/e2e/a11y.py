# SPDX-License-Identifier: Apache-2.0
"""The accessibility tree of a program, read over D-Bus.

libatspi sends one request at a time and waits for each reply, which takes half a minute for the
tree of a window under load.  This module asks once for the names, roles and states of all objects,
and then sends all other requests at once, so that reading a tree takes only as long as the program
needs to reply.  (AT-SPI2: org.a11y.atspi.Accessible, Cache and related.)
"""
import functools
import os
import subprocess

import gi

gi.require_version('Atspi', '2.0')
from gi.repository import Atspi, Gio, GLib  # noqa: E402  (Atspi only for its constants)

A11Y = 'org.a11y.atspi.'
TIMEOUT_MS = 30000
OLD_GTK = tuple(int(part) for part in subprocess.run(
    ['pkg-config', '--modversion', 'gtk4'], capture_output=True, text=True,
).stdout.strip().split('.')[:2]) < (4, 10)
# Role names of later GTK versions, mapped to those of GTK 4.8.
ROLES = {'button': 'push button', 'toggle button': 'push button'}


class Bus:
    """The accessibility bus of the session."""

    def __init__(self):
        session = Gio.bus_get_sync(Gio.BusType.SESSION)
        address, = session.call_sync('org.a11y.Bus', '/org/a11y/bus', 'org.a11y.Bus', 'GetAddress',
                                     None, None, Gio.DBusCallFlags.NONE, TIMEOUT_MS).unpack()
        self.connection = Gio.DBusConnection.new_for_address_sync(
            address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
            | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION)

    def call(self, name, path, interface, method, arguments=None):
        return self.connection.call_sync(name, path, interface, method, arguments, None,
                                         Gio.DBusCallFlags.NONE, TIMEOUT_MS).unpack()

    def application(self, pid):
        """The root of the program with this process ID, or None."""
        registry = A11Y + 'Registry', '/org/a11y/atspi/accessible/root'
        for name, path in self.call(*registry, A11Y + 'Accessible', 'GetChildren')[0]:
            try:
                its_pid, = self.call('org.freedesktop.DBus', '/org/freedesktop/DBus',
                                     'org.freedesktop.DBus', 'GetConnectionUnixProcessID',
                                     GLib.Variant('(s)', (name,)))
            except GLib.Error:  # the program has just ended
                continue
            if its_pid == pid:
                return Node(self, name, path)
        return None


    def items(self, owner):
        """Role, name and states of the objects that the program lists; others must be asked."""
        answer = self.connection.call_sync(owner, '/org/a11y/atspi/cache', A11Y + 'Cache', 'GetItems', None,
                                           None, Gio.DBusCallFlags.NONE, TIMEOUT_MS).get_child_value(0)
        items = {}
        for i in range(answer.n_children()):  # to unpack all of it takes ten times as long
            item = answer.get_child_value(i)
            path = item.get_child_value(0).get_child_value(1).get_string()
            items[path] = (item.get_child_value(7).get_uint32(), item.get_child_value(6).get_string(),
                           item.get_child_value(9).unpack())
        return items


class Node:
    """One accessible object: its state when it was read, and its actions."""

    def __init__(self, bus, owner, path, parent=None):
        self.bus, self.owner, self.path, self.parent = bus, owner, path, parent
        self.role, self.name, self.states, self.children = '', '', frozenset(), []

    def call(self, interface, method, arguments=None):
        return self.bus.call(self.owner, self.path, A11Y + interface, method, arguments)

    def get(self, interface, name):
        return self.bus.call(self.owner, self.path, 'org.freedesktop.DBus.Properties', 'Get',
                             GLib.Variant('(ss)', (A11Y + interface, name)))[0]

    def set(self, interface, name, value):
        self.bus.call(self.owner, self.path, 'org.freedesktop.DBus.Properties', 'Set',
                      GLib.Variant('(ssv)', (A11Y + interface, name, value)))

    def is_sensitive(self):
        """The current state, not the one read."""
        return Atspi.StateType.SENSITIVE in decode_states(self.call('Accessible', 'GetState')[0])

    def extents(self):
        """x, y, width, height in its window."""
        return self.call('Component', 'GetExtents', EXTENTS_IN_WINDOW)[0]

    def actions(self):
        """The names of its actions."""
        try:
            return [name for name, _, _ in self.call('Action', 'GetActions')[0]]
        except GLib.Error:  # it has no such interface
            return []

    def do(self, index):
        self.call('Action', 'DoAction', GLib.Variant('(i)', (index,)))

    def walk(self, depth=0):
        yield self, depth
        for child in self.children:
            yield from child.walk(depth + 1)


EXTENTS_IN_WINDOW = GLib.Variant('(u)', (int(Atspi.CoordType.WINDOW),))


def decode_states(words):
    return frozenset(32 * i + bit for i, word in enumerate(words)
                     for bit in range(32) if word >> bit & 1)


@functools.lru_cache(None)
def get_role(number):
    name = Atspi.role_get_name(Atspi.Role(number))
    return ROLES.get(name, name)


def clean_name(name):
    """The name as read aloud; with a mnemonic, GTK 4.8 repeats it: "_Open Open"."""
    name = name.strip()
    half = (len(name) + 1) // 2
    if name[:half].replace('_', '').strip() == name[half:].strip():
        name = name[half:].strip()
    return name


class Reading:
    """Reads what is showing below a node, with many requests in flight at a time.

    GTK 4.8 says only of a window that it is showing; of the rest whether it would be, were its
    parents: then it also has a size.  What was seen once and is on a hidden page now cannot be told
    from what is seen: search below the page, and for what no other page has."""

    def __init__(self, root):
        self.pending = 0
        self.loop = GLib.MainLoop()
        self.bus = root.bus
        self.items = self.bus.items(root.owner)
        self.root = Node(root.bus, root.owner, root.path)
        self.describe(self.root)
        if self.pending > 0:
            self.loop.run()

    def ask(self, node, answered, interface, method, arguments=None):
        def finished(connection, result):
            try:
                answer = connection.call_finish(result).unpack()[0]
            except GLib.Error:  # the object was removed meanwhile, or has no such interface
                answer = None
            answered(node, answer)
            self.pending -= 1
            if self.pending == 0:
                self.loop.quit()

        self.pending += 1
        self.bus.connection.call(node.owner, node.path, interface, method, arguments, None,
                                 Gio.DBusCallFlags.NONE, TIMEOUT_MS, None, finished)

    def describe(self, node):
        item = self.items.get(node.path)
        if item is not None:
            self.take_role(node, item[0])
            self.take_name(node, item[1])
        else:
            self.ask(node, self.take_role, A11Y + 'Accessible', 'GetRole')
            self.ask(node, self.take_name, 'org.freedesktop.DBus.Properties', 'Get',
                     GLib.Variant('(ss)', (A11Y + 'Accessible', 'Name')))
        self.ask(node, self.take_children, A11Y + 'Accessible', 'GetChildren')

    def take_role(self, node, number):
        if number is not None:
            node.role = get_role(number)

    def take_name(self, node, name):
        node.name = clean_name(name or '')

    def take_children(self, node, children):
        for owner, path in children or ():
            child = Node(self.bus, owner, path, node)
            node.children.append(child)
            item = self.items.get(path)
            if item is not None:
                self.take_states(child, item[2])
            else:
                self.ask(child, self.take_states, A11Y + 'Accessible', 'GetState')

    def take_states(self, node, words):
        node.states = decode_states(words or ())
        if Atspi.StateType.SHOWING in node.states:
            self.describe(node)
        elif OLD_GTK and Atspi.StateType.VISIBLE in node.states:
            self.ask(node, self.take_extents, A11Y + 'Component', 'GetExtents', EXTENTS_IN_WINDOW)
        else:
            node.parent.children.remove(node)

    def take_extents(self, node, box):
        if box is None or box[2] > 0 and box[3] > 0:  # a stack page is not a widget
            self.describe(node)
        else:
            node.parent.children.remove(node)


def read(root):
    """The current tree of what is showing below the node."""
    return Reading(root).root
