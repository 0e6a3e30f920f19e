# SPDX-License-Identifier: Apache-2.0
"""Burns CPU time in shares that are known: see ../measure.py."""

import threading
import time

# The CPU time of the thread; of the process before Python 3.7.
clock = getattr(time, "thread_time", None) or time.clock


def burn(seconds):
    end = clock() + seconds
    while clock() < end:
        for i in range(2000):
            pass  # burn ends


def ten():
    burn(0.03)


def twenty():
    burn(0.6)


def thirty():
    burn(0.09)


def forty():
    burn(0.12)


def descend(depth):
    if depth == 0:
        forty()
    else:
        descend(depth - 1)


def by_price(item):
    thirty()
    return item


def in_thread():
    twenty()


def by_line():
    burn(0.02)  # 20 % of by_line
    burn(0.03)  # 30 % of by_line
    burn(0.05)  # 50 % of by_line


def main():
    for i in range(10):
        ten()
        sorted([1], key=by_price)
        descend(19)
        by_line()


main()
thread = threading.Thread(target=in_thread)
thread.start()
thread.join()
