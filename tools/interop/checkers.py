#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `flarestack check` with another checker: each rule broken once, and the time for one large message.

    tools/interop/checkers.py PROGRAM MESSAGES NAME COMMAND...

MESSAGES is a folder with messages that each break one rule (tools/broken_messages.cc); this script adds some that break
the wire format. COMMAND gets the path of a message as its last argument, prints one finding per line, and exits with 1
if there are any. NAME is its name in docs/reference/check.md. Exits with 1 if the other checker finds something that
`flarestack check` misses or reports only as info.
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
    """Returns messages with faults that our encoders cannot produce."""
    return {
        "wire-unknown-field": clean + b"\x4a\x01x",
        "wire-wire-type": clean + b"\x12\x02\x28\x01",
        "wire-reserved-field": clean + b"\x0a\x04\xc2\x3e\x01x",
        "wire-repeated-singular": clean + b"\x12\x00",
        "wire-non-minimal-varint": clean + b"\x12\x80\x00",
        "wire-invalid-utf8": clean.replace(b"main.c", b"main\xffc"),
    }


def mutants(clean):
    """Returns copies of the clean message, each with one random byte changed."""
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
    """Returns {path: {rule: severity}}. An unreadable message counts as an error."""
    command = [program, "check", "-n", "0", "--format", "json", *paths]
    report = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    found = {}
    for file in report["files"]:
        found[file["path"]] = {finding["rule"]: finding["severity"] for finding in file.get("findings", [])}
        if "error" in file:
            found[file["path"]]["not read"] = "error"
    return found


def their_findings(command, path):
    """Returns the findings, and whether the checker ran to completion."""
    run = subprocess.run([*command, path], capture_output=True, text=True, errors="replace")
    if run.returncode not in (0, 1):
        return ["crashed: " + run.stderr.strip().split("\n")[0]], False
    return (run.stdout.strip().splitlines() or ["?"]) if run.returncode == 1 else [], True


def compare(program, folder, name, command):
    """Returns which checker has findings for which messages: {who: [(message, their findings, our rules)]}."""
    paths = sorted(os.path.join(folder, file) for file in os.listdir(folder) if file.endswith(".otlp"))
    ours = our_findings(program, paths)
    rows = {"both": [], "only flarestack": [], f"only {name}": [], "neither": []}
    crashes = 0
    for path in paths:
        theirs, came_to_end = their_findings(command, path)
        crashes += not came_to_end
        who = ("both" if ours[path] else f"only {name}") if theirs else ("only flarestack" if ours[path] else "neither")
        rows[who].append((os.path.basename(path).removesuffix(".otlp"), theirs, ours[path]))
    print(f"  {len(paths)} messages; findings from " + ", ".join(f"{who} {len(found)}" for who, found in rows.items()) +
          f"; {name} crashed on {crashes}")
    return rows


def weaker(rows, name):
    """Returns the messages for which we report nothing, or only info, but the other checker does."""
    return rows[f"only {name}"] + [row for row in rows["both"] if set(row[2].values()) == {"info"}]


def print_rows(rows):
    for message, theirs, ours in rows[:SHOWN_MAX]:
        print(f"    {message}: {theirs[0][:SHOWN_CHARACTERS]} | flarestack: {', '.join(ours) or 'nothing'}")


def compare_rules(program, folder, name, command):
    print("each rule broken once, and one clean message")
    rows = compare(program, folder, name, command)
    print_rows(rows["both"] + rows[f"only {name}"])
    # A message that contradicts every layout is rejected before any rule is checked.
    missed = [message for message, _, ours in rows["both"] + rows["only flarestack"]
              if message.split("-", 1)[1] not in ours and "not read" not in ours]
    if missed:
        print(f"  not found by the rule that they break: {', '.join(missed)}")
    return not missed and not weaker(rows, name) and [row[0] for row in rows["neither"]] == ["clean"]


def compare_mutants(program, clean, name, command):
    print("the clean message with one byte changed at random")
    with tempfile.TemporaryDirectory() as folder:
        write(folder, mutants(clean))
        rows = compare(program, folder, name, command)
    print_rows(weaker(rows, name))
    return not weaker(rows, name)


def large_message(program, folder):
    """Writes random stacks of a service, similar to those of a profiler, and returns the path."""
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
    """Returns the minimum of several runs, because noise only adds time."""
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
        print(f"  {name} {theirs:.0f} ms, flarestack {ours:.0f} ms, ratio {theirs / ours:.2f}")


def main():
    program, folder, name, *command = sys.argv[1:]
    with open(os.path.join(folder, "clean.otlp"), "rb") as file:
        clean = file.read()
    write(folder, wire_breaches(clean))
    good = compare_rules(program, folder, name, command)
    good &= compare_mutants(program, clean, name, command)
    compare_times(program, name, command)
    print(f"flarestack reports everything that {name} finds, as error or warning" if good else "there are differences")
    sys.exit(0 if good else 1)


main()
