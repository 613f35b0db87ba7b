#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every control of every page has a name that describes its action."""
from driver import Tap, Window
from names import check_names

tap = Tap()


def check(window, page):
    window.page(page)
    check_names(window, f'on the page {page}')


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
