#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every #include below src/ against tools/layers.txt and tools/third_party.txt.

Six rules:
  1. a folder includes itself and the folders of its row in layers.txt;
  2. a sub-folder includes itself and the sub-folders of its indented row; `.` stands for the files of the folder itself;
  3. each row names only rows above it, and only what some file needs;
  4. a third-party header is included only in the places listed in third_party.txt, and each place includes it;
  5. production code includes nothing from a testing/ folder. Rule 2 does not apply to tests;
  6. each row has files, and in a folder with indented rows each sub-folder with production code has one.
"""

import collections
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
SOURCE_NAME = re.compile(r"\.(h|cc|c)$")
TEST_NAME = re.compile(r"(_test|_fuzz|_bench)\.cc$|/testing/")


def read_table(name):
    """Returns the rows `key: word word` as a dictionary in file order."""
    table = {}
    with open(os.path.join(ROOT, "tools", name), encoding="utf-8") as lines:
        for line in lines:
            line = line.split("#")[0].strip()
            if line:
                key, words = line.split(":", 1)
                table[key.strip()] = words.split()
    return table


def read_layers():
    """Returns the allowed includes of each folder, and those of the sub-folders of each folder."""
    folders, rooms = {}, {}
    with open(os.path.join(ROOT, "tools", "layers.txt"), encoding="utf-8") as lines:
        for line in lines:
            line = line.split("#")[0].rstrip()
            if not line:
                continue
            key, words = line.split(":", 1)
            if line[0] == " ":
                rooms[folder][key.strip()] = words.split()
            else:
                folder = key
                folders[folder] = words.split()
                rooms[folder] = {}
    return folders, rooms


def complaints_about_rows(name, rows, used):
    """A row may name only rows above it, and only what some include needs."""
    above = set()
    for key, words in rows.items():
        for word in words:
            if word not in above:
                yield f"tools/layers.txt: {name}{key} may include {word}, which has no row above it"
            elif (key, word) not in used:
                yield f"tools/layers.txt: {name}{key} may include {word}, but no file does"
        above.add(key)


def room_of(path):
    """The sub-folder of a path below src/, or `.`: cli/top.h, store/rocks/cache/lru_cache.h."""
    return "/".join(path.split("/")[1:-1]) or "."


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


class Layers:
    """Checks includes, and records which permissions they use."""

    def __init__(self):
        self.folders, self.rooms = read_layers()
        self.third_party = read_table("third_party.txt")
        self.used = set()
        self.used_rooms = {folder: set() for folder in self.folders}
        self.used_places = set()
        self.found_rooms = collections.defaultdict(set)  # with production code

    def note_file(self, path):
        if TEST_NAME.search(path) is None:
            self.found_rooms[path.split("/")[0]].add(room_of(path))

    def check(self, path, header, quoted):
        """Returns the complaint about one include, or None."""
        folder, target = path.split("/")[0], header.split("/")[0]
        is_test = TEST_NAME.search(path) is not None
        if quoted and target in self.folders:
            self.used.add((folder, target))
            if target != folder and target not in self.folders[folder]:
                return f"{folder} may not include {target}"
            if is_test:
                return None
            if "/testing/" in header:
                return "production code may not include test helpers"
            return self.check_room(folder, room_of(path), room_of(header)) if target == folder else None
        if quoted and "/" not in header and third_party_row(header, self.third_party) is None:
            return "use the path relative to src/"
        return None if is_test else self.check_third_party(path, header)

    def check_room(self, folder, room, target):
        rows = self.rooms[folder]
        if room == target or not rows:
            return None
        self.used_rooms[folder].add((room, target))
        if room not in rows:
            return f"{folder}/{room} has no row in tools/layers.txt"
        return None if target in rows[room] else f"{folder}/{room} may not include {folder}/{target}"

    def check_third_party(self, path, header):
        row = third_party_row(header, self.third_party)
        if row is None:
            return None
        places = [place for place in self.third_party[row] if place != "-"]
        matching = [place for place in places
                    if path.startswith((place + "/", place + ".")) or ("/" in place and path.startswith(place))]
        if matching:
            self.used_places.update((row, place) for place in matching)
            return None
        where = ", ".join(places) if places else "tests only"
        return f"{row} may be included only in {where}"

    def check_rows(self):
        yield from complaints_about_rows("", self.folders, self.used)
        for folder, rows in self.rooms.items():
            yield from complaints_about_rows(folder + "/", rows, self.used_rooms[folder])
            yield from self.check_rooms(folder, rows)
        for row, places in self.third_party.items():
            for place in places:
                if place != "-" and (row, place) not in self.used_places:
                    yield f"tools/third_party.txt: {place} may include {row}, but no file does"

    def check_rooms(self, folder, rows):
        found = self.found_rooms[folder]
        if not found:
            yield f"tools/layers.txt: {folder} has a row, but no files"
        if rows:
            for room in sorted(found - set(rows)):
                yield f"src/{folder}/{room} has no row in tools/layers.txt"
            for room in sorted(set(rows) - found):
                yield f"tools/layers.txt: {folder}/{room} has a row, but no files"


def main():
    layers = Layers()
    complaints = []
    count = 0
    for path in source_files():
        folder = path.split("/")[0]
        if "/" in path and folder not in layers.folders:
            complaints.append(f"src/{path}: the folder {folder} has no row in tools/layers.txt")
            continue
        layers.note_file(path)
        with open(os.path.join(ROOT, "src", path), encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                count += 1
                complaint = layers.check(path, match.group(2), match.group(1) == '"')
                if complaint:
                    complaints.append(f'src/{path}:{number}: "{match.group(2)}": {complaint}')
    complaints += layers.check_rows()
    for complaint in complaints:
        print(complaint)
    print(f"layers: {count} includes, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
