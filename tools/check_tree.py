#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the files of the tree: README per folder, files per folder, size, white space, licence line, mutexes with
annotations, tests that sleep.

tools/long_files.txt lists the files that may be long. For data (testdata/, fuzz/corpus/, bench/results/), only the size
is checked.
"""

import collections
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINES_MAX = 700
FILES_MAX = 40  # per folder, so that a listing fits on a screen
BYTES_MAX = 1 << 20
LICENCE = "SPDX-License-Identifier: Apache-2.0"
# Code that runs in the kernel calls kernel helpers that are restricted to GPL programs.
KERNEL_LICENCE = "SPDX-License-Identifier: GPL-2.0 OR Apache-2.0"
KERNEL_FOLDER = "src/record/bpf/"
LICENSED_NAME = re.compile(r"\.(h|cc|c|sh|py|ts|tsx)$")
CPP_NAME = re.compile(r"\.(h|cc|c)$")
TEST_NAME = re.compile(r"^tests/.*\.(h|cc)$|^src/.*(_test\.cc$|/testing/.*\.(h|cc)$)")
CODE_NAME = re.compile(r"\.(h|cc|c|sh|py|ts|tsx|css|cmake)$")
OUR_CODE = ("src/", "tests/", "bench/", "fuzz/", "tools/")
DATA = ("testdata/", "fuzz/corpus/", "bench/results/")
# clang checks what base::Mutex guards, and cannot check the mutexes of the standard library.
BARE_MUTEX = re.compile(
    r"\bstd::((recursive_|timed_|recursive_timed_|shared_|shared_timed_)?mutex|lock_guard|unique_lock|scoped_lock|"
    r"shared_lock|condition_variable(_any)?)\b")
MAY_USE_BARE_MUTEX = ("src/base/mutex.h", "src/base/mutex_test.cc")
# A test that sleeps is slow, and fails on a machine that is slower than its author's. Wait for what must happen instead.
SLEEP = re.compile(r"\bsleep_(for|until)\b|\b(u|nano)sleep\(|(?<![\w.])sleep\(")
# Why these tests may sleep.
MAY_SLEEP = {
    "src/record/runtime/java/java_walk_test.cc": "spreads samples over the time of another process",
    "src/record/runtime/v8/v8_names_test.cc": "spreads samples over the time of another process",
    "tests/recorder/record_accuracy_test.cc": "in a program that is recorded",
    "tests/recorder/record_choice_test.cc": "in programs that are recorded",
    "tests/recorder/record_command_test.cc": "in a program that is recorded",
    "tests/recorder/record_jit_test.cc": "in a program that is recorded",
}
NOT_OURS = {".git", "build", "node_modules", "__pycache__"}


def tree_files():
    """Returns all files that are or could be committed; walks the tree if git is not available."""
    try:
        listing = subprocess.run(
            ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            capture_output=True, check=True).stdout
        names = [os.fsdecode(name) for name in listing.split(b"\0") if name]
        return sorted(name for name in names if os.path.isfile(os.path.join(ROOT, name)))
    except (OSError, subprocess.CalledProcessError):
        names = []
        for directory, folders, files in os.walk(ROOT):
            folders[:] = [folder for folder in folders if folder not in NOT_OURS]
            names += [os.path.relpath(os.path.join(directory, name), ROOT) for name in files]
        return sorted(names)


def exempt_paths():
    with open(os.path.join(ROOT, "tools", "long_files.txt"), encoding="utf-8") as lines:
        rows = [line.split(":")[0].strip() for line in lines if line.strip() and not line.startswith("#")]
    return tuple(rows)


def is_exempt(name, exempt):
    return any(name == path or (path.endswith("/") and name.startswith(path)) for path in exempt)


def check_text(name, text):
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if line.endswith((" ", "\t", "\r")):
            yield f"{name}:{number}: trailing white space"
        if "\t" in line and CPP_NAME.search(name):
            yield f"{name}:{number}: TAB"
    if text and not text.endswith("\n"):
        yield f"{name}: no newline at the end of the file"
    is_script = lines[0].startswith("#!")
    if LICENSED_NAME.search(name) or is_script:
        first = lines[1] if is_script and len(lines) > 1 else lines[0]
        licence = KERNEL_LICENCE if name.startswith(KERNEL_FOLDER) else LICENCE
        if licence not in first:
            yield f"{name}: the first line must contain {licence}"


def lines_of_code(text):
    for number, line in enumerate(text.split("\n"), 1):
        yield number, line.split("//")[0]


def check_mutexes(name, text):
    if not CPP_NAME.search(name) or not name.startswith(OUR_CODE) or name in MAY_USE_BARE_MUTEX:
        return
    for number, line in lines_of_code(text):
        if found := BARE_MUTEX.search(line):
            yield f"{name}:{number}: {found.group()}: use base/mutex.h, whose annotations clang checks"


def check_sleep(name, text):
    if not TEST_NAME.search(name) or name in MAY_SLEEP:
        return
    for number, line in lines_of_code(text):
        if found := SLEEP.search(line):
            yield f"{name}:{number}: {found.group()}: use base/testing/eventually.h, or list the file with its reason in MAY_SLEEP"


def check_file(name, exempt):
    path = os.path.join(ROOT, name)
    if os.path.getsize(path) > BYTES_MAX and not is_exempt(name, exempt):
        yield f"{name}: larger than 1 MiB"
        return
    if name.startswith(DATA):
        return
    with open(path, "rb") as file:
        raw = file.read()
    if b"\0" in raw:
        return
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        yield f"{name}: not UTF-8"
        return
    if CODE_NAME.search(name) and text.count("\n") > LINES_MAX and not is_exempt(name, exempt):
        yield f"{name}: {text.count(chr(10))} lines, more than {LINES_MAX}"
    yield from check_text(name, text)
    yield from check_mutexes(name, text)
    yield from check_sleep(name, text)


def check_readmes():
    source = os.path.join(ROOT, "src")
    for folder in sorted(os.listdir(source)) if os.path.isdir(source) else []:
        path = os.path.join(source, folder)
        if os.path.isdir(path) and not os.path.isfile(os.path.join(path, "README.md")):
            yield f"src/{folder}: README.md is missing"


def check_folders(names):
    files = collections.Counter(os.path.dirname(name) for name in names if not name.startswith(DATA))
    for folder, count in sorted(files.items()):
        if count > FILES_MAX:
            yield f"{folder}: {count} files, more than {FILES_MAX}; split it by subject"


def main():
    exempt = exempt_paths()
    names = tree_files()
    complaints = list(check_readmes()) + list(check_folders(names))
    for name in names:
        if not os.path.islink(os.path.join(ROOT, name)):
            complaints += check_file(name, exempt)
    for complaint in complaints:
        print(complaint)
    print(f"tree: {len(names)} files, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
