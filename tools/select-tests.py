#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the tests of a build folder that are chosen, one per line: Meson runs them in this order.

usage: select-tests.py [--targets] FOLDER [NAME...] [--not NAME...]

A NAME is a test or a suite; without any, all tests are chosen.  Those after --not are left out.

  --targets   prints what ninja has to build instead: all that it builds by default, without the
              programs of tests that are not chosen
"""
import json
import os
import subprocess
import sys


def introspect(folder, what):
    command = ['meson', 'introspect', what, folder]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def names_of(test):
    return {test['name']} | {suite.split(':')[-1] for suite in test['suite']}


def choose(tests, names, left_out):
    """The chosen ones.  Whatever is named has to exist."""
    known = set().union(*(names_of(test) for test in tests))
    for name in names + left_out:
        if name not in known:
            sys.exit(f'test: there is no test or suite {name} (see meson test -C build --list)')
    return [test for test in tests
            if (not names or names_of(test) & set(names)) and not names_of(test) & set(left_out)]


def list_targets(folder, tests, chosen):
    needed = {target for test in chosen for target in test['depends']}
    others = {target for test in tests for target in test['depends']} - needed
    own = os.path.abspath('tests') + os.sep
    for target in introspect(folder, '--targets'):
        is_program_of_other = target['id'] in others and target['defined_in'].startswith(own)
        if target['build_by_default'] and not is_program_of_other:
            yield from (os.path.relpath(name, folder) for name in target['filename'])


def main():
    arguments = sys.argv[1:]
    wants_targets = arguments[:1] == ['--targets']
    folder, *names = arguments[wants_targets:]
    end = names.index('--not') if '--not' in names else len(names)
    tests = introspect(folder, '--tests')
    chosen = choose(tests, names[:end], names[end + 1:])
    if wants_targets:
        print(*list_targets(folder, tests, chosen), sep='\n')
    else:
        chosen.sort(key=lambda test: -test['priority'])
        print(*dict.fromkeys(test['name'] for test in chosen), sep='\n')


if __name__ == '__main__':
    main()
