#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds `flarestack check` against another checker: each rule broken once, and one large message for the time.

    tools/interop/checkers.py PROGRAM MESSAGES NAME COMMAND...

MESSAGES is a folder with messages that break a rule each (tools/broken_messages.cc); some that break the wire format
are added here. COMMAND gets the path of a message at its end, prints one finding a line and ends with 1 when there is
one. NAME is how docs/reference/check.md calls it. Exit status 1 when the other one finds what we do not, or take for
no more than odd (info).
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time

TURNS = 3
LARGE_STACKS = 300_000
MUTANTS = 1000
SHOWN_CHARACTERS = 150
SHOWN_MAX = 50


def wire_breaches(clean):
    """What no builder of ours can write."""
    return {
        "wire-unknown-field": clean + b"\x4a\x01x",
        "wire-wire-type": clean + b"\x12\x02\x28\x01",
        "wire-reserved-field": clean + b"\x0a\x04\xc2\x3e\x01x",
        "wire-repeated-singular": clean + b"\x12\x00",
        "wire-non-minimal-varint": clean + b"\x12\x80\x00",
        "wire-invalid-utf8": clean.replace(b"main.c", b"main\xffc"),
    }


def mutants(clean):
    """The clean message with one byte changed, as nobody would have thought of it."""
    rng = random.Random(1)
    messages = {}
    for index in range(MUTANTS):
        message = bytearray(clean)
        message[rng.randrange(len(message))] = rng.randrange(256)
        if bytes(message) != clean:
            messages[f"mutant-{index:03}"] = bytes(message)
    return messages


def write(folder, messages):
    for name, message in messages.items():
        with open(os.path.join(folder, f"{name}.otlp"), "wb") as file:
            file.write(message)


def our_findings(program, paths):
    """{path: {rule: severity}}. A message that is not read at all counts as an error."""
    command = [program, "check", "-n", "0", "--format", "json", *paths]
    report = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    found = {}
    for file in report["files"]:
        found[file["path"]] = {finding["rule"]: finding["severity"] for finding in file.get("findings", [])}
        if "error" in file:
            found[file["path"]]["not read"] = "error"
    return found


def their_findings(command, path):
    """Lines, and whether it came to its end."""
    run = subprocess.run([*command, path], capture_output=True, text=True, errors="replace")
    if run.returncode not in (0, 1):
        return ["crashed: " + run.stderr.strip().split("\n")[0]], False
    return (run.stdout.strip().splitlines() or ["?"]) if run.returncode == 1 else [], True


def compare(program, folder, name, command):
    """Who finds something in which message: {who: [(message, their findings, our rules)]}."""
    paths = sorted(os.path.join(folder, file) for file in os.listdir(folder) if file.endswith(".otlp"))
    ours = our_findings(program, paths)
    rows = {"both": [], "we alone": [], f"{name} alone": [], "neither": []}
    crashes = 0
    for path in paths:
        theirs, came_to_end = their_findings(command, path)
        crashes += not came_to_end
        who = ("both" if ours[path] else f"{name} alone") if theirs else ("we alone" if ours[path] else "neither")
        rows[who].append((os.path.basename(path).removesuffix(".otlp"), theirs, ours[path]))
    print(f"  {len(paths)} messages; a finding by " + ", ".join(f"{who} {len(found)}" for who, found in rows.items()) +
          f"; {name} crashed on {crashes}")
    return rows


def weaker(rows, name):
    """What it finds, and we do not or only as info."""
    return rows[f"{name} alone"] + [row for row in rows["both"] if set(row[2].values()) == {"info"}]


def print_rows(rows):
    for message, theirs, ours in rows[:SHOWN_MAX]:
        print(f"    {message}: {theirs[0][:SHOWN_CHARACTERS]} | we: {', '.join(ours) or 'nothing'}")


def compare_rules(program, folder, name, command):
    print("each rule broken once, and one clean message")
    rows = compare(program, folder, name, command)
    print_rows(rows["both"] + rows[f"{name} alone"])
    # A message that contradicts every layout is refused before any rule is looked at.
    missed = [message for message, _, ours in rows["both"] + rows["we alone"]
              if message.split("-", 1)[1] not in ours and "not read" not in ours]
    if missed:
        print(f"  not found by the rule they break: {', '.join(missed)}")
    return not missed and not weaker(rows, name) and [row[0] for row in rows["neither"]] == ["clean"]


def compare_mutants(program, clean, name, command):
    print("the clean message with one byte changed at random")
    with tempfile.TemporaryDirectory() as folder:
        write(folder, mutants(clean))
        rows = compare(program, folder, name, command)
    print_rows(weaker(rows, name))
    return not weaker(rows, name)


def large_message(program, folder):
    """Random stacks of a service, as a profiler would send them."""
    rng = random.Random(1)
    names = [f"service::module{index % 50}::Function{index}" for index in range(5000)]
    folded, out = os.path.join(folder, "large.folded"), os.path.join(folder, "large.otlp")
    with open(folded, "w", encoding="utf-8") as file:
        for _ in range(LARGE_STACKS):
            stack = ";".join(rng.choice(names) for _ in range(rng.randrange(5, 30)))
            file.write(f"{stack} {rng.randrange(1, 1000)}\n")
    subprocess.run([program, "convert", folded, out], check=True)
    return out


def milliseconds(command):
    """The best of several runs: noise only ever adds time."""
    best = float("inf")
    for _ in range(TURNS):
        start = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        best = min(best, time.perf_counter() - start)
    return best * 1000


def compare_times(program, name, command):
    with tempfile.TemporaryDirectory() as folder:
        path = large_message(program, folder)
        theirs, ours = milliseconds([*command, path]), milliseconds([program, "check", path])
        size = os.path.getsize(path) / 1e6
        print(f"a message of {size:.1f} MB with {LARGE_STACKS} samples, from start to end of the process")
        print(f"  {name} {theirs:.0f} ms, we {ours:.0f} ms, ratio {theirs / ours:.2f}")


def main():
    program, folder, name, *command = sys.argv[1:]
    with open(os.path.join(folder, "clean.otlp"), "rb") as file:
        clean = file.read()
    write(folder, wire_breaches(clean))
    good = compare_rules(program, folder, name, command)
    good &= compare_mutants(program, clean, name, command)
    compare_times(program, name, command)
    print("we find all that it finds, as error or warning" if good else "there are differences")
    sys.exit(0 if good else 1)


main()
