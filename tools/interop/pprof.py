#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares our reports with `go tool pprof` on the same files. The numbers must be equal.

    tools/interop/pprof.py PROGRAM FILE...

Compares for each sample type: -top (self and total of each function), -peek (the cost of each call edge) and -traces
(each stack). In addition to the given files, compares profiles of random stacks with much recursion. Exits with 1 if
anything differs.
"""

import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter

UNITS = {"nanoseconds": "ns", "bytes": "B", "count": "count"}
ALL_NODES = ["-nodecount=1000000", "-nodefraction=0", "-edgefraction=0"]
NUMBER = r"(-?[\d.]+)[a-zA-Z]*"
INLINE = re.compile(r" \((partial-)?inline\)$")


def ours(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def pprof(report, type_name, unit, path):
    command = ["go", "tool", "pprof", *report, *ALL_NODES, "-symbolize=none", f"-sample_index={type_name}",
               f"-unit={UNITS[unit]}", path]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def value(text):
    return int(float(text))


def name(text):
    return INLINE.sub("", text.rstrip())


def without_zeros(rows):
    return {key: row for key, row in rows.items() if any(row if isinstance(row, tuple) else (row,))}


def their_top(lines):
    rows, is_body = {}, False
    for line in lines:
        found = re.match(rf"\s*{NUMBER}\s+\S+%\s+\S+%\s+{NUMBER}\s+\S+%\s+(.*)", line) if is_body else None
        if found:
            rows[name(found[3])] = (value(found[1]), value(found[2]))
        is_body = is_body or "flat%" in line
    return without_zeros(rows)


def their_peek(lines):
    edges, callers, node = {}, [], None
    for line in lines:
        if line.startswith("---"):
            callers, node = [], None
            continue
        edge = re.match(rf"\s*{NUMBER}\s+\S+%\s+\|   (.*)", line)
        if edge and node is None:
            callers.append((name(edge[2]), value(edge[1])))
        elif edge:
            edges[(node, name(edge[2]))] = value(edge[1])
        elif re.match(r".*\| (\S.*)", line) and "context" not in line:
            node = name(re.match(r".*?\| (\S.*)", line)[1])
            edges.update({(caller, node): amount for caller, amount in callers})
    return without_zeros(edges)


def their_traces(lines):
    stacks, stack, amount, is_body = Counter(), [], 0, False

    def finish():
        if stack:
            stacks[";".join(reversed(stack))] += amount

    for line in lines:
        if line.startswith("---"):
            finish()
            stack, is_body = [], True
        elif is_body and (leaf := re.match(rf"\s*{NUMBER}   (\S.*)", line)) and not stack:
            amount = value(leaf[1])
            stack.append(name(leaf[2]))
        elif is_body and stack and line.startswith("             "):
            stack.append(name(line.strip()))
    finish()
    return without_zeros(stacks)


def our_top(program, type_name, path):
    report = json.loads(ours(program, "top", "-n", "0", "--type", type_name, "--format", "json", path))
    return report["unit"], without_zeros({row["function"]: (row["self"], row["total"]) for row in report["rows"]})


def our_peek(program, type_name, path):
    report = json.loads(ours(program, "peek", ".", path, "-n", "0", "--type", type_name, "--format", "json"))
    return without_zeros({(row["function"], callee["function"]): callee["value"]
                          for row in report["rows"] for callee in row["callees"]})


def our_traces(program, type_name, path):
    rows = Counter()
    for line in ours(program, "convert", "--type", type_name, path, "-", "--to", "folded").splitlines():
        stack, amount = line.rsplit(" ", 1)
        rows[stack] += int(amount)
    return without_zeros(rows)


def compare(label, mine, theirs):
    differing = sorted((key for key in mine.keys() | theirs.keys() if mine.get(key) != theirs.get(key)), key=str)
    print(f"  {label:<8} {len(mine):>7} rows, {len(differing)} differ")
    for key in differing[:5]:
        print(f"    {key}: flarestack {mine.get(key)}, pprof {theirs.get(key)}")
    return not differing


def compare_file(program, path, label):
    good = True
    header = ours(program, "convert", path, "-", "--to", "csv").splitlines()[0]
    for column in header.split(",")[1:]:
        type_name, unit = column.rsplit("/", 1)
        print(f"{label}, {column}")
        if not our_traces(program, type_name, path):
            continue
        unit, top = our_top(program, type_name, path)
        good &= compare("-top", top, their_top(pprof(["-top"], type_name, unit, path)))
        good &= compare("-peek", our_peek(program, type_name, path), their_peek(pprof(["-peek", "."], type_name, unit, path)))
        good &= compare("-traces", our_traces(program, type_name, path),
                        their_traces(pprof(["-traces"], type_name, unit, path)))
    return good


def random_profile(program, seed, folder):
    rng = random.Random(seed)
    lines = [";".join(f"f{rng.randrange(12)}" for _ in range(rng.randrange(1, 15))) + f" {rng.randrange(1, 1000)}\n"
             for _ in range(300)]
    folded, out = f"{folder}/{seed}.folded", f"{folder}/{seed}.pb.gz"
    with open(folded, "w", encoding="utf-8") as file:
        file.writelines(lines)
    ours(program, "convert", folded, out)
    return out


def main():
    program, paths = sys.argv[1], sys.argv[2:]
    good = True
    for path in paths:
        good &= compare_file(program, path, path.rsplit("/", 1)[-1])
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(5):
            good &= compare_file(program, random_profile(program, seed, folder), f"random stacks {seed}")
    print("no differences" if good else "there are differences")
    sys.exit(0 if good else 1)


main()
