# SPDX-License-Identifier: Apache-2.0
"""Does what servers do, with the standard library: many functions, callbacks and objects that die young.

    busy.py [SECONDS]    of CPU time; forever without it
"""

import difflib
import json
import pprint
import re
import sys
import textwrap
import time
import tokenize

ORDERS = [{"id": number, "customer": f"customer {number % 17}", "prices": [(number * 37 + i) % 101 for i in range(8)]}
          for number in range(60)]
TEXT = " ".join(f"line {number} of order {number % 7}," for number in range(120))
SOURCE = "def total(order):\n    return sum(price * 3 for price in order['prices'] if price > 4)\n" * 6


def encode_orders():
    text = json.dumps(ORDERS, indent=1, sort_keys=True)
    return json.loads(text)


def by_price(order):
    return sum(order["prices"]), order["customer"]


def sort_orders():
    for _ in range(30):
        sorted(ORDERS, key=by_price)


def read_source():
    lines = iter(SOURCE.splitlines(keepends=True))
    return sum(token.type for token in tokenize.generate_tokens(lambda: next(lines, "")))


def compile_patterns():
    re.purge()
    for word in ("order", "customer", "price"):
        pattern = re.compile(rf"(?P<{word}>[a-z]+\d*)\s(of|and|or)+\s({word}|[^,]+),?")
        pattern.findall(TEXT)


def wrap_text():
    return textwrap.fill(TEXT, 40) + pprint.pformat(ORDERS[:4])


def compare_texts():
    return difflib.SequenceMatcher(None, TEXT[:300], TEXT[200:500]).ratio()


def count_nodes(depth):
    return 1 if depth == 0 else count_nodes(depth - 1) + count_nodes(depth - 2 if depth > 1 else 0)


def count_tree():
    return count_nodes(13)


def serve():
    for work in (encode_orders, sort_orders, read_source, compile_patterns, wrap_text, compare_texts, count_tree):
        work()


def main():
    end = float(sys.argv[1]) if len(sys.argv) > 1 else float("inf")
    while time.process_time() < end:
        serve()


main()
