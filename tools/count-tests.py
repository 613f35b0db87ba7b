#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts single test cases in Meson's test logs.

usage: count-tests.py TESTLOG.json...

Each case of a TAP program counts; any other program counts as one case.  A
program that fails without a failed case (it crashed, hung or stopped early)
counts as one failure.  The last lines of each failed program are printed.  The
last line of all is

    N passed, N failed, N skipped

and the exit status is 1 if any case failed, or if none ran.
"""
import json
import re
import sys

TAP_CASE = re.compile(r'^(not )?ok\b(?:\s+\d+)?(.*)$')
TAP_PLAN = re.compile(r'^1\.\.\d+\b', re.MULTILINE)
FINE = {'OK', 'EXPECTEDFAIL'}
N_LAST = 8


def count_tap(text):
    passed = failed = skipped = 0
    for line in text.splitlines():
        case = TAP_CASE.match(line)
        if not case:
            continue
        directive = re.search(r'#\s*(SKIP|TODO)\b', case.group(2), re.IGNORECASE)
        if directive:
            skipped += 1
        elif case.group(1):
            failed += 1
        else:
            passed += 1
    return passed, failed, skipped


def count_program(entry):
    result, text = entry['result'], entry.get('stdout') or ''
    if TAP_PLAN.search(text):
        passed, failed, skipped = count_tap(text)
    elif result == 'SKIP':
        return 0, 0, 1
    else:
        passed, failed, skipped = (1, 0, 0) if result in FINE else (0, 1, 0)
    if result not in FINE and result != 'SKIP' and failed == 0:
        failed = 1
    return passed, failed, skipped


def last_lines(entry):
    text = f"{entry.get('stdout') or ''}\n{entry.get('stderr') or ''}"
    return [line for line in text.splitlines() if line.strip()][-N_LAST:]


def main(paths):
    total, broken = [0, 0, 0], []
    for path in paths:
        with open(path, encoding='utf-8') as log:
            for line in log:
                entry = json.loads(line)
                counts = count_program(entry)
                total = [a + b for a, b in zip(total, counts)]
                if counts[1]:
                    broken.append(f"{path}: {entry['name']}: {entry['result']}")
                    broken += [f'    {line}' for line in last_lines(entry)]
    if broken:
        print('Failed:', *broken, sep='\n  ')
    print('{} passed, {} failed, {} skipped'.format(*total))
    return 1 if total[1] or not total[0] else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
