#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts pprof profiles with the Collector's translator and with flarestack, and compares the results.

    tools/interop/translator.py PROGRAM TRANSLATOR PPROF...

    ours      our OTLP, converted to pprof by the translator: same stacks and sums as the original?
    theirs    OTLP of the translator: same as the original?
    back      OTLP of the translator, converted to pprof by us: same as that OTLP?

Exits with 1 if `ours` or `back` differs.
"""

import os
import re
import subprocess
import sys
import tempfile


def run(words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


def sample_types(program, path):
    """Returns the types in file order, parsed from the error message that lists them."""
    answer = run([program, "top", "--type", "no such type", path])
    return re.findall(r"[\w.]+/[\w.]+", answer.stderr.split("there is", 1)[-1].splitlines()[0])


def sums(program, path):
    """Returns {sample type: folded stacks}, or None if the file cannot be read."""
    types = sample_types(program, path)
    found = {}
    for name in types:
        folded = run([program, "convert", path, "-", "--to", "folded", "--type", name])
        if folded.returncode != 0:
            return None
        found[name] = sorted(folded.stdout.splitlines())
    return found


def comments(path):
    """Returns the comments that `go tool pprof -comments` prints."""
    return sorted(line for line in run(["go", "tool", "pprof", "-comments", path]).stdout.splitlines() if line.strip())


def compare(program, original, returned):
    before, after = sums(program, original), sums(program, returned)
    if after is None:
        return "cannot be read"
    if sorted(before) != sorted(after):
        return f"sample types {list(after)} instead of {list(before)}"
    if list(before) != list(after):
        return "different order of sample types"
    changed = [name for name in before if before[name] != after[name]]
    if changed:
        return "different stacks or sums of " + ", ".join(changed)
    return "same"


def convert(program, steps, pair):
    """Runs the steps and returns the result of `compare`, or the error of a failed step."""
    for words in steps:
        answer = run(words)
        if answer.returncode != 0:
            return "rejected: " + (answer.stderr.strip().splitlines() or ["?"])[-1][:60]
    return compare(program, *pair)


def main():
    program, translator, *profiles = sys.argv[1:]
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs, one, two = (os.path.join(folder, name) for name in ("ours.otlp", "theirs.otlp", "one.pb.gz", "two.pb.gz"))
        for path in profiles:
            results = {
                "ours": convert(program, [[program, "convert", path, ours], [translator, "to-pprof", ours, one]], (path, one)),
                "theirs": convert(program, [[translator, "to-otlp", path, theirs]], (path, theirs)),
                "back": convert(program, [[program, "convert", theirs, two]], (theirs, two)),
            }
            before = comments(path)
            results["comments"] = "none" if not before else "kept" if before == comments(one) else "not read by the translator"
            failed = failed or results["ours"] != "same" or results["back"] != "same"
            print(os.path.basename(path))
            for name, result in results.items():
                print(f"    {name:<9} {result}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
