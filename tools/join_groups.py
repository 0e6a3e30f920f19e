#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Groups C++ files that can be compiled together.

    join_groups.py SIZE FILE...

prints a row "GROUP FILE" for each file. If a file of a group has a private name (in an unnamed namespace, by `using`,
by #define), no other file of the group defines or uses that name with another meaning. So the joined text means the same
as the separate files. A group has at most SIZE files. Relies on our formatting: declarations in a namespace are not indented.
"""

import functools
import os
import re
import sys

WORD = re.compile(r"(?<![\w.>:])[A-Za-z_]\w*")
TYPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:struct|class|union|enum(?:\s+class)?)\s+(?:\[\[\w+\]\]\s*)?(\w+)")
MACRO = re.compile(r"^#\s*define\s+(\w+)")
# `using a::b;`, `using b = a;`, `namespace b = a;`: repeating the same one is harmless.
TAKEN = re.compile(r"^using\s+(?:namespace\s+)?[\w:]*::(\w+);|^(?:using|namespace)\s+(\w+)\s*=")
# A function or a variable: the last word before the first bracket, brace, equals sign or semicolon.
OTHER = re.compile(r"^[A-Za-z_\[][^({=;]*?[\s&*>](\w+)\s*(?:\[[^\]]*\])*\s*[({=;]")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.DOTALL)
NAMESPACE_FOR_TESTS = re.compile(r"^namespace (flarestack::\w+(?:::\w+)*::testing) {", re.MULTILINE)
NOT_A_DECLARATION = {"namespace", "return", "public", "private", "protected", "extern"}
# Begin and end of an unnamed namespace, after comments are removed.
BEGIN = "namespace {"
END = "}}"


def own_names(text):
    """Returns the private names of a file, each with its meaning if other files may declare the same, or with an empty text."""
    names = {}
    is_private = False
    for line in text.splitlines():
        if line in (BEGIN, END):
            is_private = line == BEGIN
        if not line or line[0] in " \t})":
            continue
        if match := TAKEN.match(line):
            names[match.group(1) or match.group(2)] = re.sub(r"(?<!\w)::", "", line)
        elif match := MACRO.match(line):
            names[match.group(1)] = ""
        elif (is_private or line.startswith("static ")) and line.split(None, 1)[0] not in NOT_A_DECLARATION:
            for pattern in (TYPE, OTHER):
                if match := pattern.match(line):
                    if "::" + match.group(1) not in line.split("(")[0]:
                        names[match.group(1)] = ""
                    break
    return names


@functools.lru_cache(maxsize=None)
def words_of_header(path):
    """Returns the words that a header and its includes of the same folder use: a private name defined before would clash."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    words = set(WORD.findall(COMMENT_OR_TEXT.sub(" ", text)))
    for header in headers_of_folder(path, text):
        words |= words_of_header(header)
    return words


def headers_of_folder(path, text):
    """Returns the included headers of the same folder below src/. Other folders have other namespaces."""
    below, _, rest = path.rpartition("/src/")
    folder = rest.split("/")[0]
    found = (f"{below}/src/{name}" for name in INCLUDE.findall(text) if name.startswith(folder + "/"))
    return [name for name in found if name != path and os.path.isfile(name)]


def namespaces_for_tests(path, text):
    """Returns the nested testing namespaces that the included headers open, as one text."""
    root = os.path.abspath(path).rpartition("/src/")[0] or os.getcwd()
    found = set()
    for header in INCLUDE.findall(text):
        if "/testing/" in header and os.path.isfile(f"{root}/src/{header}"):
            with open(f"{root}/src/{header}", encoding="utf-8") as file:
                found.update(NAMESPACE_FOR_TESTS.findall(file.read()))
    return ",".join(sorted(found))


def read(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    in_headers = [words_of_header(os.path.abspath(header)) for header in headers_of_folder(os.path.abspath(path), text)]
    deep = namespaces_for_tests(path, text)
    text = COMMENT_OR_TEXT.sub(" ", re.sub("^}  // namespace$", END, text, flags=re.MULTILINE))
    own, used = own_names(text), set(WORD.findall(text)).union(*in_headers)
    # The meaning of `testing::`, because several folders have a namespace of that name.
    if deep:
        own["<testing>"] = deep
    if re.search(r"(?<![\w:])testing::", text):
        used.add("<testing>")
    return own, used


def can_join(own, used, group_own, group_used):
    for name, meaning in own.items():
        if name in group_own:
            if meaning == "" or meaning != group_own[name]:
                return False
        elif name in group_used:
            return False
    return not any(name in used for name in group_own if name not in own)


def main():
    size = int(sys.argv[1])
    groups = []  # [own names, used words, files]
    for path in sys.argv[2:]:
        own, used = read(path)
        for group in groups:
            if len(group[2]) < size and can_join(own, used, group[0], group[1]):
                break
        else:
            group = [{}, set(), []]
            groups.append(group)
        group[0].update(own)
        group[1] |= used
        group[2].append(path)
    for number, group in enumerate(groups):
        for path in group[2]:
            print(number, path)


if __name__ == "__main__":
    main()
