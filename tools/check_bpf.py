#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_bpf.py OBJECT: checks a BPF object for what the verifiers of older kernels reject.

Up to Linux 6.1, a loop may be closed by a jump only, not by an instruction that falls through to its start. Which of the two
the compiler emits depends on how it places blocks, and newer kernels take both, so that nobody would notice. This walks each
function in the order of the kernel's check_cfg().
"""

import struct
import sys

SYMBOL_TABLE, FUNCTION = 2, 2
LOAD_64 = 0x18
JUMP_CLASSES = (5, 6)
ALWAYS, CALL, EXIT = 0x00, 0x80, 0x90
NEW, OPEN, DONE = 0, 1, 2


def sections(data):
    table, = struct.unpack_from("<Q", data, 0x28)
    count, = struct.unpack_from("<H", data, 0x3C)
    return [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i) for i in range(count)]


def functions(data):
    """Yields the name and the instructions (opcode, registers, offset, immediate) of each function."""
    all_sections = sections(data)
    for section in all_sections:
        if section[1] != SYMBOL_TABLE:
            continue
        names = all_sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], 24):
            name, info, _, index, value, size = struct.unpack_from("<IBBHQQ", data, at)
            if info & 15 != FUNCTION:
                continue
            begin = all_sections[index][4] + value
            end = data.index(b"\0", names + name)
            yield (data[names + name:end].decode(),
                   [struct.unpack_from("<BBhi", data, begin + i) for i in range(0, size, 8)])


def edges(code, at):
    """Returns where the instruction leads, each with whether it may close a loop."""
    opcode, _, offset, _ = code[at]
    if opcode & 7 not in JUMP_CLASSES:
        return [(at + (2 if opcode == LOAD_64 else 1), False)]
    kind = opcode & 0xF0
    if kind == EXIT:
        return []
    if kind == CALL:
        return [(at + 1, False)]
    if kind == ALWAYS:
        return [(at + 1 + offset, True)]
    return [(at + 1, True), (at + 1 + offset, True)]


def bad_loops(code):
    """Returns the instructions that fall through to the start of a loop."""
    state = [NEW] * len(code)
    state[0] = OPEN
    path = [(0, iter(edges(code, 0)))]
    bad = []
    while path:
        at, rest = path[-1]
        for target, may_loop in rest:
            if state[target] == NEW:
                state[target] = OPEN
                path.append((target, iter(edges(code, target))))
                break
            if state[target] == OPEN and not may_loop:
                bad.append(at)
        else:
            state[at] = DONE
            path.pop()
    return bad


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    failures = [f"{name}: instruction {at} falls through to the start of a loop"
                for name, code in functions(data) for at in bad_loops(code)]
    for failure in failures:
        print(f"{sys.argv[1]}: {failure}; Linux 6.1 rejects it", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
