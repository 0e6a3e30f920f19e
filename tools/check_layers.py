#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every #include below src/ against tools/layers.txt and tools/third_party.txt.

Three rules:
  1. a folder includes itself and the folders of its row in layers.txt;
  2. a third-party header is included only at the places of its row in third_party.txt;
  3. code that ships includes nothing from a testing/ folder.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
SOURCE_NAME = re.compile(r"\.(h|cc|c)$")
TEST_NAME = re.compile(r"(_test|_fuzz|_bench)\.cc$|/testing/")


def read_table(name):
    """Rows `key: word word`, as a dictionary that keeps the order of the file."""
    table = {}
    with open(os.path.join(ROOT, "tools", name), encoding="utf-8") as lines:
        for line in lines:
            line = line.split("#")[0].strip()
            if line:
                key, words = line.split(":", 1)
                table[key.strip()] = words.split()
    return table


def source_files():
    for directory, _, names in sorted(os.walk(os.path.join(ROOT, "src"))):
        for name in sorted(names):
            if SOURCE_NAME.search(name):
                yield os.path.relpath(os.path.join(directory, name), os.path.join(ROOT, "src"))


def third_party_row(header, third_party):
    for key in third_party:
        if header == key or (key.endswith("/") and header.startswith(key)):
            return key
    return None


def check_include(path, header, quoted, tables):
    """The complaint about one include, or None."""
    layers, third_party = tables
    folder = path.split("/")[0]
    target = header.split("/")[0]
    is_test = TEST_NAME.search(path) is not None

    if quoted and target in layers:
        if target != folder and target not in layers[folder]:
            return f'{folder} may not include {target}'
        if not is_test and "/testing/" in header:
            return "code that ships may not include test helpers"
        return None
    if quoted and "/" not in header and third_party_row(header, third_party) is None:
        return "write the path from src/"
    row = third_party_row(header, third_party)
    if row is None or is_test:
        return None
    places = [place for place in third_party[row] if place != "-"]
    if any(path == place or path.startswith(place + "/") or path.startswith(place + ".")
           or ("/" in place and path.startswith(place)) for place in places):
        return None
    where = ", ".join(places) if places else "tests alone"
    return f"{row} belongs to {where}"


def main():
    tables = read_table("layers.txt"), read_table("third_party.txt")
    complaints = []
    count = 0
    for path in source_files():
        folder = path.split("/")[0]
        if "/" in path and folder not in tables[0]:
            complaints.append(f"src/{path}: the folder {folder} has no row in tools/layers.txt")
            continue
        with open(os.path.join(ROOT, "src", path), encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                count += 1
                complaint = check_include(path, match.group(2), match.group(1) == '"', tables)
                if complaint:
                    complaints.append(f'src/{path}:{number}: "{match.group(2)}": {complaint}')
    for complaint in complaints:
        print(complaint)
    print(f"layers: {count} includes, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
