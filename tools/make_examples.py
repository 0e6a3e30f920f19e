#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes testdata/examples/: one minute of an invented shop service, in three formats.

The text below defines the service, its call tree and its weights; nothing was recorded. The same text gives the same
profiles on every machine. This script uses only the standard library, so the examples come from a writer that shares no
code with the program that reads them.

    tools/make_examples.py [FOLDER]
"""

import gzip
import hashlib
import os
import random
import struct
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

BINARY = "/usr/local/bin/checkout"
KERNEL = "[kernel.kallsyms]"
BUILD_ID = "5f1c0d7e9ab3c2464c8f21d0e7a95b3c6d120f84"
KERNEL_BUILD_ID = "c07b1e5d33a94f68a2d0915be47c8f10326d5a9b"
START_NS = 1_772_438_400_000_000_000  # 2026-03-02 08:00:00 UTC
DURATION_NS = 60 * 10**9
PERIOD_NS = 10_000_000

# Name, file, first line.
FUNCTIONS = """
runtime.goexit                            /usr/local/go/src/runtime/asm_amd64.s       1594
runtime.main                              /usr/local/go/src/runtime/proc.go            146
runtime.mcall                             /usr/local/go/src/runtime/asm_amd64.s        428
runtime.park_m                            /usr/local/go/src/runtime/proc.go           3400
runtime.schedule                          /usr/local/go/src/runtime/proc.go           3302
runtime.findRunnable                      /usr/local/go/src/runtime/proc.go           2672
runtime.gcBgMarkWorker                    /usr/local/go/src/runtime/mgc.go            1198
runtime.gcDrain                           /usr/local/go/src/runtime/mgcmark.go        1041
runtime.scanobject                        /usr/local/go/src/runtime/mgcmark.go        1294
runtime.greyobject                        /usr/local/go/src/runtime/mgcmark.go        1424
runtime.mallocgc                          /usr/local/go/src/runtime/malloc.go          871
runtime.nextFreeFast                      /usr/local/go/src/runtime/malloc.go          853
runtime.memmove                           /usr/local/go/src/runtime/memmove_amd64.s     36
net/http.(*conn).serve                    /usr/local/go/src/net/http/server.go        1835
net/http.serverHandler.ServeHTTP          /usr/local/go/src/net/http/server.go        2925
encoding/json.Unmarshal                   /usr/local/go/src/encoding/json/decode.go     96
encoding/json.(*decodeState).object       /usr/local/go/src/encoding/json/decode.go    597
encoding/json.Marshal                     /usr/local/go/src/encoding/json/encode.go    156
regexp.(*Regexp).MatchString              /usr/local/go/src/regexp/regexp.go           531
regexp.(*Regexp).doMatch                  /usr/local/go/src/regexp/exec.go             518
regexp.(*Regexp).doExecute                /usr/local/go/src/regexp/exec.go             525
regexp.(*Regexp).backtrack                /usr/local/go/src/regexp/backtrack.go        314
regexp.(*Regexp).tryBacktrack             /usr/local/go/src/regexp/backtrack.go        121
regexp.(*bitState).shouldVisit            /usr/local/go/src/regexp/backtrack.go        100
regexp.(*bitState).push                   /usr/local/go/src/regexp/backtrack.go        111
regexp.(*inputString).step                /usr/local/go/src/regexp/regexp.go           398
syscall.write                             /usr/local/go/src/syscall/zsyscall_linux.go  945
syscall.read                              /usr/local/go/src/syscall/zsyscall_linux.go  721
main.main                                 /src/checkout/main.go                         21
main.reportHealth                         /src/checkout/health.go                       14
checkout.(*Server).ServeHTTP              /src/checkout/server.go                       48
checkout.(*Server).placeOrder             /src/checkout/order.go                        33
checkout.(*Server).showCart               /src/checkout/cart.go                         27
checkout.(*Cart).total                    /src/checkout/cart.go                         88
checkout.(*Cart).lineTotal                /src/checkout/cart.go                        104
checkout.roundToCent                      /src/checkout/money.go                        19
coupon.(*Book).apply                      /src/checkout/coupon/book.go                  61
coupon.(*Rule).matches                    /src/checkout/coupon/rule.go                  40
tax.(*Table).rateFor                      /src/checkout/tax/table.go                    22
payment.(*Client).charge                  /src/checkout/payment/client.go               57
payment.sign                              /src/checkout/payment/sign.go                 12
crypto/sha256.block                       /usr/local/go/src/crypto/sha256/sha256block_amd64.s  220
store.(*Orders).insert                    /src/checkout/store/orders.go                 35
entry_SYSCALL_64                          -                                              0
do_syscall_64                             -                                              0
ksys_write                                -                                              0
tcp_sendmsg                               -                                              0
ksys_read                                 -                                              0
tcp_recvmsg                               -                                              0
"""

# The call tree, by indentation: callers are above their callees. The number is the self count. "~" marks a function that
# the compiler inlined into the one above, "k" a kernel function.
TREE = """
runtime.goexit
  net/http.(*conn).serve 3
    syscall.read 2
      k entry_SYSCALL_64 1
        k do_syscall_64 2
          k ksys_read 3
            k tcp_recvmsg 14
    net/http.serverHandler.ServeHTTP
      checkout.(*Server).ServeHTTP 4
        checkout.(*Server).placeOrder 6
          encoding/json.Unmarshal 5
            encoding/json.(*decodeState).object 27
              runtime.mallocgc 12
                ~ runtime.nextFreeFast 7
          coupon.(*Book).apply 9
            ~ coupon.(*Rule).matches 11
              regexp.(*Regexp).MatchString 2
                ~ regexp.(*Regexp).doMatch 4
                  regexp.(*Regexp).doExecute 8
                    regexp.(*Regexp).backtrack 21
                      runtime.mallocgc 6
                      regexp.(*Regexp).tryBacktrack 143
                        ~ regexp.(*bitState).shouldVisit 58
                        ~ regexp.(*bitState).push 19
                        regexp.(*inputString).step 34
          checkout.(*Cart).total 7
            ~ checkout.(*Cart).lineTotal 13
              ~ checkout.roundToCent 16
            tax.(*Table).rateFor 18
          payment.(*Client).charge 4
            ~ payment.sign 3
              crypto/sha256.block 31
            syscall.write 3
              k entry_SYSCALL_64 1
                k do_syscall_64 2
                  k ksys_write 2
                    k tcp_sendmsg 17
          store.(*Orders).insert 8
            encoding/json.Marshal 15
              runtime.memmove 9
            syscall.write 2
              k entry_SYSCALL_64 1
                k do_syscall_64 1
                  k ksys_write 3
                    k tcp_sendmsg 11
        checkout.(*Server).showCart 3
          checkout.(*Cart).total 4
            ~ checkout.(*Cart).lineTotal 5
              ~ checkout.roundToCent 4
          encoding/json.Marshal 12
            runtime.mallocgc 5
  runtime.gcBgMarkWorker 1
    runtime.gcDrain 6
      runtime.scanobject 38
        ~ runtime.greyobject 17
runtime.mcall
  runtime.park_m
    runtime.schedule 3
      runtime.findRunnable 10
runtime.main
  main.main
    main.reportHealth 2
"""


class Frame:
    def __init__(self, name, is_inlined, is_kernel):
        self.name, self.is_inlined, self.is_kernel = name, is_inlined, is_kernel


def read_functions():
    functions = {}
    for row in FUNCTIONS.split("\n"):
        if row:
            name, file, line = row.split()
            functions[name] = ("" if file == "-" else file, int(line))
    return functions


def read_tree():
    """Returns rows (frames from the root, count)."""
    rows, path = [], []
    for row in TREE.split("\n"):
        words = row.split()
        if not words:
            continue
        depth = (len(row) - len(row.lstrip())) // 2
        mark = words.pop(0) if words[0] in ("~", "k") else ""
        path = path[:depth] + [Frame(words[0], mark == "~", mark == "k")]
        if len(words) == 2:
            rows.append((path, int(words[1])))
    return rows


def spread(text, size):
    """Returns a pseudo-random number below `size` that depends only on the text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % size


class Program:
    """Assigns addresses to functions, and lines to calls."""

    def __init__(self, functions):
        self.functions = functions
        self.bases = {}
        text, kernel = 0x401000, 0xFFFFFFFF81000000
        for name, (file, _) in functions.items():
            if file:
                self.bases[name], text = text, text + 0x400
            else:
                self.bases[name], kernel = kernel, kernel + 0x10000

    def line(self, name, callee):
        file, start = self.functions[name]
        return start + 2 + spread(name + ">" + callee, 25) if file else 0

    def locations(self, frames):
        """Returns (address, is_kernel, ((name, line), ...)), leaf first, with the innermost inlined function first."""
        result, lines = [], []
        for frame, callee in reversed(list(zip(frames, [frame.name for frame in frames[1:]] + [""]))):
            lines.append((frame.name, self.line(frame.name, callee)))
            if not frame.is_inlined:
                inside = 4 * spread(repr(lines), 200)
                result.append((self.bases[frame.name] + inside, frame.is_kernel, tuple(lines)))
                lines = []
        return result


# A minimal protobuf encoder.


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def number_field(field, number):
    return varint(field << 3) + varint(number) if number else b""


def fixed64_field(field, number):
    return varint(field << 3 | 1) + struct.pack("<Q", number)


def bytes_field(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


def text_field(field, text):
    return bytes_field(field, text.encode())


def packed_field(field, numbers):
    return bytes_field(field, b"".join(map(varint, numbers))) if numbers else b""


# The reserved link, with ids of the length that strict readers expect.
NO_LINK = bytes_field(1, bytes(16)) + bytes_field(2, bytes(8))


class Table:
    """Deduplicated entries with an index each."""

    def __init__(self, *reserved):
        self.entries, self.indices = [], {}
        for entry in reserved:
            self.add(entry)

    def add(self, entry):
        index = self.indices.setdefault(entry, len(self.entries))
        if index == len(self.entries):
            self.entries.append(entry)
        return index


def cpu_events(rows, rng):
    """Returns (frames, request) in time order; a request is a number or None."""
    events = []
    for frames, count in rows:
        serves = any(frame.name == "checkout.(*Server).ServeHTTP" for frame in frames)
        for _ in range(count):
            events.append((frames, int(rng.random() * 24) if serves else None))
    for at in range(len(events) - 1, 0, -1):  # shuffle, identical in every Python version
        other = int(rng.random() * (at + 1))
        events[at], events[other] = events[other], events[at]
    return events


def route_of(frames):
    names = [frame.name for frame in frames]
    return "POST /orders" if "checkout.(*Server).placeOrder" in names else "GET /cart"


def make_pprof(program, events):
    strings, locations, functions, samples = Table(""), Table(), Table(), {}
    s = strings.add

    def label(key, text="", number=0, unit=""):
        return bytes_field(3, number_field(1, s(key)) + number_field(2, s(text)) + number_field(3, number) +
                           number_field(4, s(unit)))

    types = [("samples", "count"), ("cpu", "nanoseconds")]
    out = b"".join(bytes_field(1, number_field(1, s(t)) + number_field(2, s(u))) for t, u in types)
    for frames, request in events:
        key = (tuple(program.locations(frames)),
               (route_of(frames), 1 + request % 4) if request is not None else None)
        samples[key] = samples.get(key, 0) + 1
    for (stack, labels), count in samples.items():
        message = packed_field(1, [1 + locations.add(location) for location in stack])
        message += packed_field(2, [count, count * PERIOD_NS])
        if labels is not None:
            message += label("route", text=labels[0]) + label("cart_bytes", number=512 * labels[1], unit="bytes")
        out += bytes_field(2, message)
    flags = b"".join(number_field(field, 1) for field in (7, 8, 9, 10))
    out += bytes_field(3, number_field(1, 1) + number_field(2, 0x400000) + number_field(3, 0x800000) +
                       number_field(5, s(BINARY)) + number_field(6, s(BUILD_ID)) + flags)
    out += bytes_field(3, number_field(1, 2) + number_field(2, 0xFFFFFFFF81000000) +
                       number_field(3, 0xFFFFFFFFA0000000) + number_field(5, s(KERNEL)) + number_field(7, 1))
    for index, (address, is_kernel, lines) in enumerate(locations.entries):
        message = number_field(1, index + 1) + number_field(2, 2 if is_kernel else 1) + number_field(3, address)
        for name, line in lines:
            message += bytes_field(4, number_field(1, 1 + functions.add(name)) + number_field(2, line))
        out += bytes_field(4, message)
    for index, name in enumerate(functions.entries):
        file, start = program.functions[name]
        out += bytes_field(5, number_field(1, index + 1) + number_field(2, s(name)) + number_field(3, s(name)) +
                           number_field(4, s(file)) + number_field(5, start))
    period_type = number_field(1, s("cpu")) + number_field(2, s("nanoseconds"))
    comment = s("an invented profile, made by tools/make_examples.py")
    out += b"".join(text_field(6, text) for text in strings.entries)
    out += number_field(9, START_NS) + number_field(10, DURATION_NS) + bytes_field(11, period_type)
    out += number_field(12, PERIOD_NS) + packed_field(13, [comment])
    return gzip.compress(out, compresslevel=9, mtime=0)


def any_value(value):
    return text_field(1, value) if isinstance(value, str) else varint(3 << 3) + varint(value)


class OtlpTables:
    def __init__(self):
        self.strings, self.functions, self.stacks = Table(""), Table(b""), Table(b"")
        self.mappings, self.locations, self.links, self.attributes = Table(b""), Table(b""), Table(NO_LINK), Table(b"")

    def attribute(self, key, value, unit=""):
        return self.attributes.add(number_field(1, self.strings.add(key)) + bytes_field(2, any_value(value)) +
                                   number_field(3, self.strings.add(unit)))

    def mapping(self, is_kernel):
        s = self.strings.add
        build_id = KERNEL_BUILD_ID if is_kernel else BUILD_ID
        # The file is invented, and so is its hash.
        file_hash = hashlib.sha256(build_id.encode()).hexdigest()[:32]
        attributes = [self.attribute("process.executable.build_id.gnu", build_id),
                      self.attribute("process.executable.build_id.htlhash", file_hash)]
        start, limit = (0xFFFFFFFF81000000, 0xFFFFFFFFA0000000) if is_kernel else (0x400000, 0x800000)
        return self.mappings.add(number_field(1, start) + number_field(2, limit) +
                                 number_field(4, s(KERNEL if is_kernel else BINARY)) + packed_field(5, attributes))

    def location(self, program, location):
        address, is_kernel, lines = location
        message = number_field(1, self.mapping(is_kernel)) + number_field(2, address)
        for name, line in lines:
            file, start = program.functions[name]
            function = self.functions.add(number_field(1, self.strings.add(name)) +
                                          number_field(3, self.strings.add(file)) + number_field(4, start))
            message += bytes_field(3, number_field(1, function) + number_field(2, line))
        frame_type = self.attribute("profile.frame.type", "kernel" if is_kernel else "go")
        return self.locations.add(message + packed_field(4, [frame_type]))

    def link(self, request):
        if request is None:
            return 0
        trace = hashlib.sha256(b"trace %d" % request).digest()[:16]
        span = hashlib.sha256(b"span %d" % request).digest()[:8]
        return self.links.add(bytes_field(1, trace) + bytes_field(2, span))

    def encode(self):
        tables = [self.mappings, self.locations, self.functions, self.links]
        out = b"".join(bytes_field(field, entry) for field, table in enumerate(tables, 1) for entry in table.entries)
        out += b"".join(text_field(5, text) for text in self.strings.entries)
        out += b"".join(bytes_field(6, entry) for entry in self.attributes.entries)
        return out + b"".join(bytes_field(7, entry) for entry in self.stacks.entries)


def make_otlp(program, events, rng):
    tables, samples = OtlpTables(), {}
    for position, (frames, request) in enumerate(events):
        now = START_NS + int((position + rng.random()) * DURATION_NS / len(events))
        stack = tables.stacks.add(packed_field(
            1, [tables.location(program, location) for location in program.locations(frames)]))
        thread = 4100 + (request or 0) % 4
        attributes = [tables.attribute("thread.id", thread), tables.attribute("thread.name", "checkout")]
        if request is not None:
            attributes.append(tables.attribute("http.route", route_of(frames).split()[1]))
        key = (stack, tuple(attributes), tables.link(request))
        samples.setdefault(key, []).append(now)
    s = tables.strings.add
    profile = bytes_field(1, number_field(1, s("samples")) + number_field(2, s("count")))
    for (stack, attributes, link), times in samples.items():
        stamps = b"".join(struct.pack("<Q", time) for time in times)
        profile += bytes_field(2, number_field(1, stack) + packed_field(2, attributes) + number_field(3, link) +
                               bytes_field(5, stamps))
    profile += fixed64_field(3, START_NS) + number_field(4, DURATION_NS)
    profile += bytes_field(5, number_field(1, s("cpu")) + number_field(2, s("nanoseconds")))
    profile += number_field(6, PERIOD_NS) + bytes_field(7, hashlib.sha256(b"checkout profile").digest()[:16])
    resource = b"".join(bytes_field(1, text_field(1, key) + bytes_field(2, any_value(value))) for key, value in [
        ("service.name", "checkout"), ("service.version", "1.4.2"), ("service.namespace", "shop"),
        ("deployment.environment.name", "production"), ("host.name", "shop-7"), ("process.pid", 4100),
        ("process.executable.name", "checkout"), ("process.runtime.name", "go")])
    scope = text_field(1, "flarestack.example") + text_field(2, "1")
    scope_profiles = bytes_field(1, scope) + bytes_field(2, profile)
    return (bytes_field(1, bytes_field(1, resource) + bytes_field(2, scope_profiles)) +
            bytes_field(2, tables.encode()))


def make_folded(rows):
    lines = []
    for frames, count in rows:
        lines.append(";".join(frame.name + ("_[k]" if frame.is_kernel else "") for frame in frames) + f" {count}")
    return "\n".join(sorted(lines)) + "\n"


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "testdata", "examples")
    program, rows, rng = Program(read_functions()), read_tree(), random.Random(20260302)
    events = cpu_events(rows, rng)
    files = {
        "checkout.pb.gz": make_pprof(program, events),
        "checkout.otlp": make_otlp(program, events, rng),
        "checkout.folded": make_folded(rows).encode(),
    }
    os.makedirs(folder, exist_ok=True)
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
        print(f"{os.path.join(folder, name)}: {len(content)} bytes")


if __name__ == "__main__":
    main()
