#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Says which C++ files can be compiled as one.

    join_groups.py SIZE FILE...

prints a row "NUMBER FILE" for each file. Files of one number share no name that one of them keeps to itself (in an
unnamed namespace, by `using`, by #define) and another one has or uses, so their joined text means what they mean alone. At most
SIZE files get one number. It goes by how our files are formatted: what stands in a namespace begins at the left.
"""

import functools
import os
import re
import sys

WORD = re.compile(r"(?<![\w.>:])[A-Za-z_]\w*")
TYPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:struct|class|union|enum(?:\s+class)?)\s+(?:\[\[\w+\]\]\s*)?(\w+)")
ALIAS = re.compile(r"^using\s+(?:namespace\s+)?(?:[\w:]*::)?(\w+)")
MACRO = re.compile(r"^#\s*define\s+(\w+)")
# A function or a variable: the last word before the first bracket, brace, equals sign or semicolon.
OTHER = re.compile(r"^[A-Za-z_\[][^({=;]*?[\s&*>](\w+)\s*(?:\[[^\]]*\])*\s*[({=;]")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.DOTALL)
NOT_A_DECLARATION = {"namespace", "return", "public", "private", "protected", "extern"}


def own_names(text):
    """What a file declares at the left of a line."""
    names = set()
    for line in text.splitlines():
        if not line or line[0] in " \t})":
            continue
        if line.split(None, 1)[0] in NOT_A_DECLARATION:
            continue
        for pattern in (MACRO, TYPE, ALIAS, OTHER):
            match = pattern.match(line)
            if match:
                if "::" + match.group(1) not in line.split("(")[0] or pattern is ALIAS:
                    names.add(match.group(1))
                break
    return names


@functools.lru_cache(maxsize=None)
def words_of_header(path):
    """What a header and those of its folder that it includes use: a private name before them would be in their way."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    words = set(WORD.findall(COMMENT_OR_TEXT.sub(" ", text)))
    for header in headers_of_folder(path, text):
        words |= words_of_header(header)
    return words


def headers_of_folder(path, text):
    """Included ones of the same folder below src/, as other namespaces have names of their own."""
    below, _, rest = path.rpartition("/src/")
    folder = rest.split("/")[0]
    found = (f"{below}/src/{name}" for name in INCLUDE.findall(text) if name.startswith(folder + "/"))
    return [name for name in found if name != path and os.path.isfile(name)]


def read(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    has_own_testing = "/testing/" in text
    in_headers = [words_of_header(os.path.abspath(header)) for header in headers_of_folder(os.path.abspath(path), text)]
    text = COMMENT_OR_TEXT.sub(" ", text)
    own, used = own_names(text), set(WORD.findall(text)).union(*in_headers)
    # `testing::` is GoogleTest's unless a header of ours brings a namespace of that name, and there are several.
    if has_own_testing:
        own.add("<testing>")
    if "testing" in used:
        used.add("<testing>")
    return own, used


def main():
    size = int(sys.argv[1])
    groups = []  # [own names, used words, files]
    for path in sys.argv[2:]:
        own, used = read(path)
        for group in groups:
            if len(group[2]) < size and not (own & group[1]) and not (used & group[0]):
                break
        else:
            group = [set(), set(), []]
            groups.append(group)
        group[0] |= own
        group[1] |= used
        group[2].append(path)
    for number, group in enumerate(groups):
        for path in group[2]:
            print(number, path)


if __name__ == "__main__":
    main()
