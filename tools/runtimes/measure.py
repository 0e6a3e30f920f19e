#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records a program under one runtime and compares the profile with how the program is built.

    tools/runtimes/measure.py FLARESTACK FOLDER LANGUAGE FROM RUNTIME

    LANGUAGE  python, java or node
    FROM      where the runtime comes from, for the table
    RUNTIME   its program, or a command that starts it

The program (tools/runtimes/programs/) burns 3 seconds of CPU time: 10 % in ten(), 20 % in twenty() in a thread, 30 % in
thirty() that a sort calls back, and 40 % in forty() below a recursion of 20 calls. A fourth second is spread over the
lines of one function. FOLDER has the compiled Java program; the recording and the output go there. Prints a row:

    complete  stacks that are unwound to the outermost frame, and that have each caller of those functions
    named     frames of the language that have a name
    shares    whether the four shares are within the error of sampling
    lines     whether the lines of the function have their shares and no sample has a wrong line

A runtime that the recorder does not support has `rejected` and the recorder's reason. Exit status 1 if anything is wrong.
"""

import json
import math
import os
import re
import shlex
import subprocess
import sys

FREQUENCY_HZ = 499
SECONDS = 4  # of CPU time
SHARES = {"ten": 0.1, "twenty": 0.2, "thirty": 0.3, "forty": 0.4}
RECURSION = 20
DEVIATIONS = 4  # of the binomial distribution
COMPLETE_MIN = 0.98
NAMED_MIN = 0.95
FOUND_MIN = 0.9
UNKNOWN_LINES_MAX = 0.03
WITHOUT_GIL = "import sysconfig; print(sysconfig.get_config_var('Py_GIL_DISABLED'))"
PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
ROW = "{:7} {:10} {:26} {:>7} {:>8} {:>7} {:6} {:5}  {}"


class Language:
    def __init__(self, source, frame_type, command, root, between):
        self.path = os.path.join(PROGRAMS, source)
        self.frame_type = frame_type
        self.command = command  # after the runtime
        self.root = root  # the outermost function of the main thread
        self.between = re.compile(between)  # what the sort is called


LANGUAGES = {
    "python": Language("shares.py", "cpython", ["{source}"], "<module>", r"sort|Vectorcall|PyObject_Call|!0x"),
    "java": Language("Shares.java", "jvm", ["-Xmx64m", "-cp", "{folder}", "Shares"], "main", r"sort"),
    "node": Language("shares.js", "v8js", ["{source}"], "(anonymous)", r"[sS]ort"),
}


class Frame:
    def __init__(self, name, line, frame_type):
        self.name = name
        self.line = line
        self.type = frame_type

    @property
    def function(self):
        """Without its module and class."""
        return self.name.rpartition(".")[2]

    def is_unnamed(self):
        return re.match(r"<(python|java|javascript) 0x|\[jit\]", self.name) is not None


class Profile:
    """Stacks of an OTLP/JSON file, root first, and how often each was sampled."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        self.dictionary = document["dictionary"]
        self.strings = self.dictionary["stringTable"]
        self.stacks = []  # (frames, count)
        for profile in (profile for of_resource in document["resourceProfiles"]
                        for of_scope in of_resource["scopeProfiles"] for profile in of_scope["profiles"]):
            if self.strings[profile["sampleType"]["typeStrindex"]] != "samples":
                continue
            for sample in profile["samples"]:
                count = sum(map(int, sample["values"])) if "values" in sample else len(sample["timestampsUnixNano"])
                self.stacks.append((self.frames(sample.get("stackIndex", 0)), count))

    def frames(self, stack_index):
        found = []
        for index in self.dictionary["stackTable"][stack_index].get("locationIndices", []):
            location = self.dictionary["locationTable"][index]
            frame_type = self.attribute(location, "profile.frame.type")
            for line in location.get("lines", []):
                function = self.dictionary["functionTable"][line.get("functionIndex", 0)]
                found.append(Frame(self.strings[function.get("nameStrindex", 0)], int(line.get("line", 0)), frame_type))
        return found[::-1]

    def attribute(self, location, key):
        for index in location.get("attributeIndices", []):
            attribute = self.dictionary["attributeTable"][index]
            if self.strings[attribute.get("keyStrindex", 0)] == key:
                return attribute["value"].get("stringValue", "")
        return ""


class Result:
    def __init__(self, language, profile):
        self.language = language
        self.stacks = [(frames, count) for frames, count in profile.stacks if is_of_program(frames)]
        self.samples = sum(count for _, count in self.stacks)
        self.notes = []
        self.complete = self.complete_share()
        self.named = self.named_share()

    def complete_share(self):
        complete = 0
        for frames, count in self.stacks:
            names = [frame.function for frame in frames]
            burner = next((name for name in names if name in SHARES), None)
            if not frames[0].name.startswith("[truncated") and (burner is None or self.has_callers(burner, frames)):
                complete += count
        return complete / max(self.samples, 1)

    def has_callers(self, burner, frames):
        root = self.language.root
        callers = {"ten": [root, "main", "ten", "burn"], "twenty": [["in_thread", "inThread"], "twenty", "burn"],
                   "thirty": [root, "main", self.language.between, ["by_price", "byPrice"], "thirty", "burn"],
                   "forty": [root, "main"] + ["descend"] * RECURSION + ["forty", "burn"]}[burner]
        if root == "main" and callers[0] == root:
            callers = callers[1:]
        is_exact = sum(frame.function == "descend" for frame in frames) == callers.count("descend")
        # A sample between the call and the first instruction of burn() is right too.
        return is_exact and (has_in_order(frames, callers) or
                             (has_in_order(frames, callers[:-1]) and frames[-1].function == burner))

    def named_share(self):
        named = total = 0
        for frames, count in self.stacks:
            for frame in frames:
                if frame.type == self.language.frame_type or frame.is_unnamed():
                    total += count
                    named += 0 if frame.is_unnamed() else count
        return named / max(total, 1)

    def are_shares_right(self):
        counts = {name: 0 for name in SHARES}
        by_line = 0
        for frames, count in self.stacks:
            functions = {frame.function for frame in frames}
            for name in SHARES:
                counts[name] += count if name in functions else 0
            by_line += count if functions & {"by_line", "byLine"} else 0
        found = (sum(counts.values()) + by_line) / (SECONDS * FREQUENCY_HZ)
        if found < FOUND_MIN:
            self.notes.append(f"{found:.0%} of the CPU time has these functions")
        return self.compare(counts, SHARES) and found >= FOUND_MIN

    def are_lines_right(self):
        with open(self.language.path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        shares = {}
        for number, text in enumerate(lines, 1):
            if marked := re.search(r"(\d+) % of by_?line", text, re.IGNORECASE):
                shares[number] = int(marked[1]) / 100
        burn_begin = next(number for number, text in enumerate(lines, 1) if re.search(r"(def|function|void) burn\(", text))
        burn_end = next(number for number, text in enumerate(lines, 1) if "burn ends" in text)
        counts = {number: 0 for number in shares}
        stray = {}
        for frames, count in self.stacks:
            for frame in frames:
                if frame.type != self.language.frame_type:
                    continue
                if frame.function in ("by_line", "byLine"):
                    counts[frame.line] = counts.get(frame.line, 0) + count
                elif frame.function == "burn" and not burn_begin <= frame.line <= burn_end:
                    stray[frame.line] = stray.get(frame.line, 0) + count
        unknown = counts.pop(0, 0) + stray.pop(0, 0)
        if unknown > 0:
            self.notes.append(f"{unknown / self.samples:.1%} without a line")
        others = {line: count for line, count in counts.items() if line not in shares}
        if others or stray:
            self.notes.append(f"other lines {sorted({**others, **stray}.items())}")
        return (self.compare({line: counts[line] for line in shares}, shares) and not others and not stray
                and unknown <= UNKNOWN_LINES_MAX * self.samples)

    def compare(self, counts, shares):
        total = sum(counts.values())
        is_right = total > 0
        for key, share in shares.items():
            if abs(counts[key] - share * total) > DEVIATIONS * math.sqrt(share * (1 - share) * total) + 1:
                is_right = False
                self.notes.append(f"{key}: {counts[key] / max(total, 1):.1%} instead of {share:.0%}")
        return is_right


def is_of_program(frames):
    """Not while exec replaces the program or after its memory is gone."""
    functions = {frame.name for frame in frames}
    return bool(frames) and not functions & {"do_exit", "bprm_execve", "[exec]"}


def has_in_order(frames, callers):
    """Whether the frames, root first, have these functions in this order."""
    rest = iter(frames)
    for caller in callers:
        if isinstance(caller, re.Pattern):
            is_it = lambda frame, caller=caller: caller.search(frame.name)
        else:
            is_it = lambda frame, caller=caller: frame.function in (caller if isinstance(caller, list) else [caller])
        if not any(is_it(frame) for frame in rest):
            return False
    return True


def version_of(language, runtime):
    """A Python without GIL has a t."""
    flag = "-version" if language == "java" else "--version"
    version = re.search(r"\d+(\.\d+)+(_\d+)?|\d+", said_by(runtime + [flag]))[0]
    if language == "python" and said_by(runtime + ["-c", WITHOUT_GIL]).strip() == "1":
        version += "t"
    return version


def said_by(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True).stdout


def record(flarestack, folder, language, runtime):
    """The profile, and what the recorder reported."""
    recording = os.path.join(folder, "recording.otlp")
    json_path = os.path.join(folder, "recording.json")
    command = runtime + [part.format(source=language.path, folder=folder) for part in language.command]
    run = subprocess.run([flarestack, "record", "-F", str(FREQUENCY_HZ), "-n", "0", "-o", recording, "--"] + command,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: record ended with {run.returncode}: {run.stderr.strip()[-300:]}")
    subprocess.run([flarestack, "convert", recording, json_path, "--progress", "none"], check=True)
    return Profile(json_path), run.stderr


def main():
    if sys.argv[1:] == ["--header"]:
        print(ROW.format("runtime", "version", "from", "samples", "complete", "named", "shares", "lines", "note"))
        return 0
    flarestack, folder, name, source = sys.argv[1:5]
    runtime = shlex.split(sys.argv[5])
    language = LANGUAGES[name]
    profile, said = record(flarestack, folder, language, runtime)
    result = Result(language, profile)
    row = [name, version_of(name, runtime), source, result.samples, f"{result.complete:.1%}"]
    if rejected := re.search(r"no names of functions: (?:/\S*: )?([^;\n]*)", said):
        print(ROW.format(*row, "-", "-", "-", f"rejected: {rejected[1]}"))
        return 0 if result.complete >= COMPLETE_MIN else 1
    shares, lines = result.are_shares_right(), result.are_lines_right()
    print(ROW.format(*row, f"{result.named:.1%}", "yes" if shares else "no", "yes" if lines else "no",
                     "; ".join(result.notes)).rstrip())
    is_right = shares and lines and result.complete >= COMPLETE_MIN and result.named >= NAMED_MIN
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
