#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends all four signals through the OpenTelemetry Collector into `flarestack serve`, and compares what arrives.

    tools/interop/collector.py PROGRAM COLLECTOR FILE

    this script, flarestack send --> Collector --> flarestack serve --> /api/v1, /metrics --> compared

Restarts both for each encoding and compression that the Collector's exporters support. FILE is a profile for the
comparison by sums; otlp_data.py and otlp_profile.py generate everything else. Profiles, traces and logs are compared
by content; of metrics only the number of points. Exits with 1 if anything differs.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.parse
from collections import Counter

import catcher
import otlp_data
import otlp_profile
import processes

SIGNALS = ["profiles", "traces", "logs", "metrics"]
REQUESTS = {"profiles": 2, "traces": 1, "logs": 1, "metrics": 1}
HTTP_COMPRESSIONS = ["none", "gzip", "zstd", "deflate", "zlib", "snappy", "x-snappy-framed", "lz4"]
COMPRESSIONS = {"gRPC protobuf": ["none", "gzip", "zstd", "snappy"], "HTTP protobuf": HTTP_COMPRESSIONS,
                "HTTP JSON": HTTP_COMPRESSIONS}
CHOICES = {"stringValue", "boolValue", "intValue", "doubleValue", "arrayValue", "kvlistValue", "bytesValue"}
SHOWN_MAX = 3
SHOWN_BEFORE = 40
SHOWN_CHARACTERS = 200


def normal(node):
    """Normalizes JSON: omits defaults, converts 64-bit numbers to numbers, and sorts attributes by key."""
    if isinstance(node, list):
        return [normal(element) for element in node]
    if not isinstance(node, dict):
        return node
    result = {}
    for key, value in node.items():
        value = normal(value)
        if key == "intValue" or key.endswith("Nano"):
            value = int(value)
        elif key == "doubleValue":
            value = float(value)
        elif key == "attributes":
            value = sorted(value, key=lambda row: json.dumps(row, sort_keys=True))
        if key in CHOICES or value not in ("", 0, [], {}):
            result[key] = value
    return result


def canonical(node):
    return json.dumps(normal(node), sort_keys=True, ensure_ascii=False)


def items(document, name, item_name):
    """Returns each span or log record as text, with its resource and scope."""
    found = Counter()
    for of_resource in document.get(f"resource{name}", []):
        for of_scope in of_resource.get(f"scope{name}", []):
            for item in of_scope.get(item_name, []):
                found[canonical({"resource": of_resource.get("resource", {}), "scope": of_scope.get("scope", {}),
                                 "schemas": [of_resource.get("schemaUrl", ""), of_scope.get("schemaUrl", "")],
                                 "item": item})] += 1
    return found


def point_count(document):
    return sum(len(data["dataPoints"]) for of_resource in document["resourceMetrics"]
               for of_scope in of_resource["scopeMetrics"] for metric in of_scope["metrics"]
               for data in metric.values() if "dataPoints" in data)


def output(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def read(url):
    status, body = processes.http(url)
    return json.loads(body) if status == 200 else {"status": status, "body": body}


def differences(sent, stored):
    """Returns items that exist only on one side. Shows pairs of them from shortly before the first difference."""
    lost, added = sorted((sent - stored).elements()), sorted((stored - sent).elements())
    lines = []
    for mine, theirs in zip(lost, added):
        start = max(0, len(os.path.commonprefix([mine, theirs])) - SHOWN_BEFORE)
        lines.append(f"sent ...{mine[start:][:SHOWN_CHARACTERS]} but stored ...{theirs[start:][:SHOWN_CHARACTERS]}")
    lines += [f"not stored: {text[:SHOWN_CHARACTERS]}" for text in lost[len(added):]]
    return lines + [f"not sent: {text[:SHOWN_CHARACTERS]}" for text in added[len(lost):]]


def exporter(encoding, compression, serve):
    if encoding == "gRPC protobuf":
        return {"otlp_grpc": {"endpoint": serve.grpc, "compression": compression, "tls": "{insecure: true}"}}
    return http_exporter(serve.otlp_http, compression, "json" if encoding == "HTTP JSON" else "proto")


def http_exporter(url, compression, encoding):
    return {"otlp_http": {"endpoint": url, "compression": compression, "encoding": encoding}}


class Exchange:
    """One server, one Collector, and the data sent through them."""

    def __init__(self, program, serve, collector, folder, profile_path):
        self.program, self.serve, self.collector = program, serve, collector
        self.folder, self.profile_path = folder, profile_path
        self.now = time.time_ns() - 60_000_000_000
        self.sent = {"traces": otlp_data.traces(self.now), "logs": otlp_data.logs(self.now),
                     "metrics": otlp_data.metrics(self.now), "profiles": otlp_profile.message(self.now)}

    def send(self, encoding):
        for signal in ("traces", "logs", "metrics"):
            body = json.dumps(self.sent[signal]).encode()
            status, body = processes.http(f"http://{self.collector.http}/v1/{signal}", body)
            if status != 200:
                raise RuntimeError(f"the Collector rejected {signal}: {status} {body}")
        path = os.path.join(self.folder, "profile.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.sent["profiles"], file)
        endpoint = f"grpc://{self.collector.grpc}" if encoding == "gRPC protobuf" else f"http://{self.collector.http}"
        for arguments in ([path], ["--now", self.profile_path]):
            output([self.program, "send", "--endpoint", endpoint, *arguments])

    def has_arrived(self):
        """Returns whether the server has accepted or rejected each request, or the Collector has dropped it."""
        requests = Counter({signal: len(self.refusals(signal)) for signal in SIGNALS})
        for (name, labels), value in self.serve.counters().items():
            if name == "otlp_requests_total":
                requests[labels.split('"')[1]] += value
        return all(requests[signal] >= count for signal, count in REQUESTS.items())

    def refusals(self, signal):
        return [line for line in self.collector.log().splitlines()
                if "Exporting failed" in line and f'"otelcol.signal": "{signal}"' in line]

    def compare(self):
        found = {"profiles": self.compare_profiles(), "traces": self.compare_traces(), "logs": self.compare_logs(),
                 "metrics": self.compare_metrics()}
        for (name, labels), value in self.serve.counters().items():
            if name in ("otlp_requests_failed_total", "otlp_items_rejected_total", "otlp_times_restamped_total"):
                found[labels.split('"')[1]].append(f"{name}{{{labels}}} is {value}")
        return found

    def compare_profiles(self):
        query = urllib.parse.urlencode({"format": "otlp-json", "q": '{host.name="web-1"}'})
        stored = otlp_profile.events(read(f"{self.serve.api}/api/v1/export?{query}"), canonical)
        query = urllib.parse.urlencode({"format": "otlp-json", "q": '{service.name="checkout",service.version="1.2"}'})
        stored += otlp_profile.events(read(f"{self.serve.api}/api/v1/export?{query}"), canonical)
        return differences(otlp_profile.events(self.sent["profiles"], canonical), stored) + self.compare_sums()

    def compare_sums(self):
        """Compares the profile from the file by stacks and sums, because its times were shifted."""
        convert = [self.program, "convert", self.profile_path, "-", "--to"]
        header = output([*convert, "csv"]).split("\n")[0]
        lines = []
        for column in header.split(",")[1:]:
            sample_type = column.replace("/", ":")
            sent = output([*convert, "folded", "--type", column.split("/")[0]])
            query = urllib.parse.urlencode({"format": "folded", "type": sample_type,
                                            "q": '{service.name!~"cart|checkout"}'})
            _, stored = processes.http(f"{self.serve.api}/api/v1/export?{query}")
            lines += differences(Counter(sent.splitlines()), Counter(stored.splitlines()))
        return lines

    def compare_traces(self):
        stored = read(f"{self.serve.api}/api/v1/trace/{otlp_data.TRACE_ID}?format=otlp")
        return differences(items(self.sent["traces"], "Spans", "spans"), items(stored, "Spans", "spans"))

    def compare_logs(self):
        stored = read(f"{self.serve.api}/api/v1/logs?trace={otlp_data.TRACE_ID}&format=otlp")
        return differences(items(self.sent["logs"], "Logs", "logRecords"), items(stored, "Logs", "logRecords"))

    def compare_metrics(self):
        stored = self.serve.counters().get(("otlp_items_accepted_total", 'signal="metrics"'), 0)
        sent = point_count(self.sent["metrics"])
        return [] if stored == sent else [f"{sent} points sent, {stored} stored"]


def run(programs, profile_path, encoding, compression):
    program, collector_program = programs
    with tempfile.TemporaryDirectory() as folder, processes.Serve(program, folder) as serve, processes.Collector(
            collector_program, exporter(encoding, compression, serve), folder) as collector:
        exchange = Exchange(program, serve, collector, folder, profile_path)
        exchange.send(encoding)
        processes.wait_for(exchange.has_arrived)
        found = exchange.compare()
        for signal in SIGNALS:
            found[signal] += [f"the Collector: {line}" for line in exchange.refusals(signal)]
        return found


def print_layout(program, collector_program):
    """Prints which profiles layout the Collector writes, from the bytes of one request."""
    with tempfile.TemporaryDirectory() as folder, catcher.Catcher() as receiver, processes.Collector(
            collector_program, http_exporter(receiver.url, "none", "proto"), folder) as collector:
        sent, caught = os.path.join(folder, "sent.json"), os.path.join(folder, "caught.otlp")
        with open(sent, "w", encoding="utf-8") as file:
            json.dump(otlp_profile.message(time.time_ns()), file)
        output([program, "send", "--endpoint", f"http://{collector.http}", sent])
        processes.wait_for(lambda: receiver.bodies)
        with open(caught, "wb") as file:
            file.write(receiver.bodies[0])
        layout = output([program, "check", "--layout", caught]).split(": ")[-1].strip()
        document = json.loads(output([program, "convert", caught, "-", "--to", "otlp-json"]))
    references = "keyStrindex" in json.dumps(document["resourceProfiles"][0]["resource"])
    print(f"layout of its profiles: opentelemetry-proto {layout}, attributes of resources "
          f"{'as references into the string table' if references else 'as plain text'}\n")


def print_row(encoding, compression, words):
    print(f"{encoding:<14} {compression:<16}" + "".join(f" {word:<9}" for word in words).rstrip(), flush=True)


def main():
    program, collector_program, profile_path = sys.argv[1:]
    differing = 0
    print_layout(program, collector_program)
    print_row("exporter", "compression", SIGNALS)
    combinations = [(encoding, compression) for encoding, compressions in COMPRESSIONS.items()
                    for compression in compressions]
    for encoding, compression in combinations:
        found = run((program, collector_program), profile_path, encoding, compression)
        words = ["differs" if found[signal] else "ok" for signal in SIGNALS]
        differing += words.count("differs")
        print_row(encoding, compression, words)
        for signal in SIGNALS:
            for line in found[signal][:SHOWN_MAX]:
                print(f"  {signal}: {line}")
    print("ok: the stored profiles, traces and logs equal those sent; of metrics only the points were counted")
    print(f"{len(combinations)} combinations of 4 signals: {differing} differ")
    sys.exit(1 if differing else 0)


main()
