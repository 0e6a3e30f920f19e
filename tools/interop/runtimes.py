#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records one run of a program with our recorder and with the profiler of its runtime, and compares the two.

    tools/interop/runtimes.py --header
    tools/interop/runtimes.py FLARESTACK FOLDER LANGUAGE RUNTIME [PROFILER]

    LANGUAGE  python, java or node
    RUNTIME   its program
    PROFILER  for python: py-spy

Both programs of tools/runtimes/programs are recorded: `shares` burns known shares of its time, `busy` does what servers do.
FOLDER has the compiled Java programs; the recordings go there. Compared are samples of the program's functions, not of the start
of the runtime, and frames that have a source: not what the runtime generates or has built in. Prints a row per program and
profiler:

    ours, theirs  samples
    self          agreement of the innermost functions: 100 % minus the total variation distance of their shares
    stacks        the same for whole stacks, from the innermost function to main()
    known         samples of the other profiler whose whole stack we recorded too
    furthest      the function whose share with its callees differs most, and by how much

Two profilers without any error agree less than completely, because each has other samples: `of` is the agreement to expect
of them. Exit status 1 if an agreement is more than TOLERANCE below that.
"""

import os
import random
import re
import subprocess
import sys
from collections import Counter

import oracles

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "runtimes"))
import measure  # noqa: E402  the folder is in the path only now

FREQUENCY_HZ = 499
FUNCTIONS = {"shares": {*measure.SHARES, "by_line", "byLine"}, "busy": {"serve"}}  # one of them is in each compared stack
BUSY_SECONDS = "4"  # of CPU time
TOLERANCE = 0.2  # the known differences explain less
DRAWS = 20
ROW = "{:8} {:10} {:7} {:24} {:>6} {:>6}  {:>6} {:>6}  {:>6} {:>6}  {:>6}  {}"
NOTES = """
Time in native functions belongs to the function of the language that called them. Known differences:
  py-spy               samples elapsed time, so a function that waits for its CPU has more; stops the process for each sample
  JFR ExecutionSample  samples elapsed time, and threads only while they run Java code: our samples in native methods, the VM,
                       its compilers and collectors are not compared
  JFR CPUTimeSample    samples CPU time, also in native methods (JDK 25); it drops samples that it cannot unwind
  node --cpu-prof      samples elapsed time; its (idle), (program) and (garbage collector), and our samples of the collector,
                       are not compared; a function that is inlined may count for its caller; its signal often arrives
                       when a system call returns: cpuUsage() of `shares` takes 0.6 % of the time by a stopwatch"""


class Oracle:
    def __init__(self, name, read, sees=lambda frames, frame_type: True):
        self.name = name
        self.read = read  # returns {stack: weight} and the number of samples
        self.sees = sees  # which of our stacks


def is_in_java(frames, frame_type):
    return frames[-1].type == frame_type


def is_not_in_collector(frames, _):
    return not any(re.search(r"Heap::CollectGarbage|Scavenger|MarkCompact|garbage", frame.name) for frame in frames)


def counted(stacks):
    return stacks, sum(stacks.values())


class Run:
    """Of one program under one runtime."""

    def __init__(self, language, runtime, program, folder, profiler):
        self.language = language
        self.runtime = runtime
        self.program = program
        self.folder = os.path.join(folder, f"{language}-{measure.version_of(language, runtime)}-{program}")
        self.classes = folder
        self.profiler = profiler
        os.makedirs(self.folder, exist_ok=True)
        for name in os.listdir(self.folder):
            os.remove(self.path(name))

    def path(self, name):
        return os.path.join(self.folder, name)

    def source(self, ending):
        return os.path.join(measure.PROGRAMS, self.program + ending)

    def python(self):
        raw = self.path("py-spy.raw")
        command = [self.profiler, "record", "--rate", str(FREQUENCY_HZ), "--format", "raw", "--output", raw, "--",
                   self.runtime, self.source(".py")]
        return command, [Oracle("py-spy", lambda: counted(oracles.read_py_spy(raw)))]

    def java(self):
        recording = self.path("recording.jfr")
        period = f"{1000 // FREQUENCY_HZ}ms"
        settings = ["jdk.ExecutionSample#enabled=true", f"jdk.ExecutionSample#period={period}"]
        major = int(measure.version_of("java", self.runtime).partition(".")[0])
        if major >= 25:
            settings += ["jdk.CPUTimeSample#enabled=true", f"jdk.CPUTimeSample#throttle={period}"]
        command = [self.runtime, "-Xmx64m", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints",
                   "-XX:FlightRecorderOptions=stackdepth=200", "-Xlog:jfr*=off",
                   f"-XX:StartFlightRecording=filename={recording},{','.join(settings)}", "-cp", self.classes,
                   self.program.capitalize()]
        jfr = os.path.join(os.path.dirname(os.path.realpath(self.runtime)), "jfr")

        def read(event):
            return lambda: counted(oracles.read_jfr(jfr, recording, event))

        found = [Oracle("JFR ExecutionSample", read("jdk.ExecutionSample"), is_in_java)]
        if major >= 25:
            found.append(Oracle("JFR CPUTimeSample", read("jdk.CPUTimeSample")))
        return command, found

    def node(self):
        command = [self.runtime, "--cpu-prof", "--cpu-prof-interval", str(1000000 // FREQUENCY_HZ), "--cpu-prof-dir",
                   self.folder, self.source(".js")]
        return command, [Oracle("node --cpu-prof", lambda: oracles.read_cpu_profiles(self.folder), is_not_in_collector)]

    def record(self, flarestack):
        """Our stacks with their counts, and what to compare them with."""
        command, found = getattr(self, self.language)()
        if self.program == "busy":
            command = command + [BUSY_SECONDS]
        recording, json_path = self.path("recording.otlp"), self.path("recording.json")
        said = subprocess.run([flarestack, "record", "-F", str(FREQUENCY_HZ), "-n", "0", "-o", recording, "--"] + command,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if said.returncode != 0:
            raise SystemExit(f"{' '.join(command)}: record ended with {said.returncode}: {said.stdout.strip()[-300:]}")
        subprocess.run([flarestack, "convert", recording, json_path, "--progress", "none"], check=True)
        return measure.Profile(json_path), found


def has_source(language, frame):
    """Code that HotSpot generates has no class, a built-in function of V8 no line."""
    return {"java": "." in frame.name, "node": frame.line > 0}.get(language, True)


def of_language(profile, language, sees):
    """Stacks of the language's frames, for what the oracle sees."""
    frame_type = measure.LANGUAGES[language].frame_type
    stacks = Counter()
    for frames, count in profile.stacks:
        names = tuple(oracles.function(frame.name) for frame in frames
                      if frame.type == frame_type and has_source(language, frame))
        if names and sees(frames, frame_type):
            stacks[names] += count
    return stacks


def of_program(stacks, program):
    return Counter({stack: count for stack, count in stacks.items() if FUNCTIONS[program] & set(stack)})


def shares(counts):
    total = sum(counts.values())
    return {key: count / total for key, count in counts.items()}


def agreement(ours, theirs):
    """100 % minus the total variation distance."""
    one, other = shares(ours), shares(theirs)
    return sum(min(share, other.get(key, 0)) for key, share in one.items())


def expected_agreement(ours, theirs, sizes):
    """Of two profilers that sample the same run, which is taken to be the mean of both profiles."""
    one, other = shares(ours), shares(theirs)
    mean = {key: (one.get(key, 0) + other.get(key, 0)) / 2 for key in {*one, *other}}
    dice = random.Random(1)
    keys, weights = list(mean), list(mean.values())
    draws = [agreement(*(Counter(dice.choices(keys, weights, k=size)) for size in sizes)) for _ in range(DRAWS)]
    return sum(draws) / DRAWS


def by_leaf(stacks):
    found = Counter()
    for stack, count in stacks.items():
        found[stack[-1]] += count
    return found


def furthest(ours, theirs):
    """The function whose share in total differs most."""
    def totals(stacks):
        found = Counter()
        for stack, share in shares(stacks).items():
            for name in set(stack):
                found[name] += share
        return found

    one, other = totals(ours), totals(theirs)
    name = max({*one, *other}, key=lambda name: abs(one[name] - other[name]))
    return f"{name} {one[name]:.1%} and {other[name]:.1%}"


def compare(run, profile, oracle):
    """Prints a row and returns whether the two agree."""
    ours = of_program(of_language(profile, run.language, oracle.sees), run.program)
    all_theirs, all_count = oracle.read()
    theirs = of_program(all_theirs, run.program)
    our_count = sum(ours.values())
    their_count = round(all_count * sum(theirs.values()) / max(sum(all_theirs.values()), 1))
    if not ours or not theirs:
        print(f"{run.language} {run.program}: no samples of {'the recorder' if theirs else oracle.name}")
        return False
    sizes = (our_count, their_count)
    found = []
    for one, other in ((by_leaf(ours), by_leaf(theirs)), (ours, theirs)):
        found.append((agreement(one, other), expected_agreement(one, other, sizes)))
    known = sum(share for stack, share in shares(theirs).items() if stack in ours)
    print(ROW.format(run.language, measure.version_of(run.language, run.runtime), run.program, oracle.name, our_count,
                     their_count, *(f"{share:.1%}" for pair in found for share in pair), f"{known:.1%}",
                     furthest(ours, theirs)), flush=True)
    return all(value >= expected - TOLERANCE for value, expected in found)


def main():
    if sys.argv[1:] == ["--header"]:
        print(ROW.format("runtime", "version", "program", "compared with", "ours", "theirs", "self", "of", "stacks", "of", "known",
                         "furthest: ours and theirs"))
        return 0
    if sys.argv[1:] == ["--notes"]:
        print(NOTES)
        return 0
    flarestack, folder, language, runtime, *profiler = sys.argv[1:]
    agree = True
    for program in ("shares", "busy"):
        run = Run(language, runtime, program, folder, *(profiler or [""]))
        profile, found = run.record(flarestack)
        for oracle in found:
            agree = compare(run, profile, oracle) and agree
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
