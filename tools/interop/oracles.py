# SPDX-License-Identifier: Apache-2.0
"""What the runtimes' own profilers recorded, as {stack: count}; a stack is its functions, outermost first.

Functions have no module, class or arguments: each profiler writes those differently.
"""

import glob
import json
import os
import re
import subprocess
from collections import Counter


NOT_CODE = {"(idle)", "(program)", "(garbage collector)"}  # of V8


def function(name):
    """Without what stands before it, and without the number that the JVM gives to a hidden class."""
    name = re.sub(r"/0x[0-9a-f]+|(?<=.)\(.*", "", name).rpartition(".")[2]
    return "(anonymous)" if name in ("", "<anonymous>") else name


def read_py_spy(path):
    """The format `raw`: a folded stack and a count per line."""
    stacks = Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            stack, _, count = line.rstrip("\n").rpartition(" ")
            names = [re.sub(r" \([^()]*:\d+\)$", "", frame) for frame in stack.split(";")]
            stacks[tuple(function(name) for name in names)] += int(count)
    return stacks


def read_jfr(jfr, path, event):
    """Events of a flight recording. Skips truncated stacks: their outermost frames are missing."""
    said = subprocess.run([jfr, "print", "--json", "--stack-depth", "200", "--events", event, path], capture_output=True,
                          text=True, check=True).stdout
    stacks = Counter()
    for entry in json.loads(said)["recording"]["events"]:
        trace = entry["values"].get("stackTrace")
        if trace and not trace["truncated"]:
            stacks[tuple(frame["method"]["name"] for frame in reversed(trace["frames"]))] += 1
    return stacks


def read_cpu_profiles(folder):
    """Those of all threads: {stack: microseconds}, and the number of samples. Built-in functions are no frames."""
    stacks = Counter()
    count = 0
    for path in glob.glob(os.path.join(folder, "*.cpuprofile")):
        with open(path, encoding="utf-8") as file:
            profile = json.load(file)
        nodes = {node["id"]: node for node in profile["nodes"]}
        parents = {child: node["id"] for node in profile["nodes"] for child in node.get("children", [])}
        known = {}

        def stack_of(node):
            if node not in known:
                frame = nodes[node]["callFrame"]
                callers = stack_of(parents[node]) if node in parents else ()
                known[node] = callers + (function(frame["functionName"]),) if frame["url"] else callers
            return known[node]

        for node, delta in zip(profile["samples"], profile["timeDeltas"]):
            if nodes[node]["callFrame"]["functionName"] not in NOT_CODE:
                stacks[stack_of(node)] += max(delta, 0)
                count += 1
    return stacks, count
