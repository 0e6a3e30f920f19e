# SPDX-License-Identifier: Apache-2.0
"""A profiles message as OTLP/JSON, and a conversion of such messages to sets of events.

The dictionary may be in any order, and a server may merge profiles. The events must not change: the same value at the
same time, with the same stack, attributes and link.
"""

from collections import Counter

import otlp_data as data


def message(now):
    """Two resources with several scopes, profiles and sample types, all tables in use."""
    build_id = "0123456789abcdef0123456789abcdef"
    strings = ["", "cpu", "nanoseconds", "samples", "count", "main", "_Zmain", "main.cc", "parse", "inlined",
               "/bin/cart", "process.executable.build_id.htlhash", "thread.id", "profile.frame.type", "heap.limit",
               "By", "kind.list", "wall"]
    attribute_table = [{}, {"keyStrindex": 11, "value": {"stringValue": build_id}},
                       {"keyStrindex": 12, "value": {"intValue": "7"}},
                       {"keyStrindex": 13, "value": {"stringValue": "native"}},
                       {"keyStrindex": 14, "unitStrindex": 15, "value": {"intValue": "9007199254740993"}},
                       {"keyStrindex": 16, "value": data.VALUES["list"]}]
    dictionary = {
        "stringTable": strings,
        "attributeTable": attribute_table,
        "mappingTable": [{}, {"memoryStart": "4096", "memoryLimit": "18446744073709551615", "fileOffset": "512",
                              "filenameStrindex": 10, "attributeIndices": [1]}],
        "functionTable": [{}, {"nameStrindex": 5, "systemNameStrindex": 6, "filenameStrindex": 7, "startLine": "10"},
                          {"nameStrindex": 8, "filenameStrindex": 7}, {"nameStrindex": 9}],
        "locationTable": [{}, {"mappingIndex": 1, "address": "18446744073709551614", "attributeIndices": [3],
                               "lines": [{"functionIndex": 3, "line": "4"},
                                         {"functionIndex": 1, "line": "12", "column": "3"}]},
                          {"mappingIndex": 1, "address": "5000", "lines": [{"functionIndex": 2, "line": "5"}]}],
        "stackTable": [{}, {"locationIndices": [2, 1]}, {"locationIndices": [1]}, {"locationIndices": [1, 1, 1]}],
        "linkTable": [{"traceId": "0" * 32, "spanId": "0" * 16},
                      {"traceId": data.TRACE_ID, "spanId": data.SPAN_IDS[0]}],
    }

    def times(*offsets):
        return [str(now + offset) for offset in offsets]

    def profile(number, type_indices, samples, period=None):
        of_period = {"periodType": {"typeStrindex": 1, "unitStrindex": 2}, "period": str(period)} if period else {}
        return {"sampleType": {"typeStrindex": type_indices[0], "unitStrindex": type_indices[1]}, "samples": samples,
                "timeUnixNano": str(now), "durationNano": "1000000000", "profileId": f"{now:016x}{number:016x}",
                **of_period}

    both = [{"stackIndex": 1, "linkIndex": 1, "attributeIndices": [2, 4], "values": ["10", "-20", "9007199254740993"],
             "timestampsUnixNano": times(1, 2, 3)},
            {"stackIndex": 3, "attributeIndices": [5], "values": ["1"], "timestampsUnixNano": times(4)}]
    only_times = [{"stackIndex": 2, "timestampsUnixNano": times(7, 9)},
                  {"stackIndex": 0, "timestampsUnixNano": times(8)}]
    only_values = [{"stackIndex": 1, "values": ["30"]}, {"stackIndex": 2, "linkIndex": 1, "values": ["40"]}]
    return {"dictionary": dictionary, "resourceProfiles": [
        {"resource": data.cart(), "schemaUrl": "https://opentelemetry.io/schemas/1.37.0", "scopeProfiles": [
            {"scope": data.scope("profiler"), "profiles": [profile(1, (1, 2), both, 10_000_000),
                                                           profile(2, (3, 4), only_times)]},
            {"scope": {"name": "heap"}, "profiles": [profile(3, (17, 2), only_values)]}]},
        {"resource": data.checkout(), "scopeProfiles": [
            {"scope": data.scope("profiler"), "profiles": [profile(4, (1, 2), only_values, 10_000_000)]}]}]}


def events(document, canonical):
    """Counts the events, each as text. `canonical` converts JSON to text."""
    tables = Tables(document.get("dictionary", {}))
    found = Counter()
    for of_resource in document.get("resourceProfiles", []):
        for of_scope in of_resource.get("scopeProfiles", []):
            for profile in of_scope.get("profiles", []):
                series = {"resource": tables.resolved(of_resource.get("resource", {})),
                          "scope": tables.resolved(of_scope.get("scope", {})),
                          "schemas": [of_resource.get("schemaUrl", ""), of_scope.get("schemaUrl", "")],
                          "type": tables.value_type(profile, "sampleType"),
                          "period_type": tables.value_type(profile, "periodType"),
                          "period": int(profile.get("period", 0))}
                for sample in profile.get("samples", []):
                    for event in sample_events(profile, sample):
                        found[canonical({**series, **tables.sample(sample), **event})] += 1
    return found


def sample_events(profile, sample):
    """A value without a time has the start time of its profile, and a time without a value counts as 1."""
    values = [int(value) for value in sample.get("values", [])]
    times = [int(time) for time in sample.get("timestampsUnixNano", [])]
    values = values or [1] * len(times)
    times = times or [int(profile.get("timeUnixNano", 0))] * len(values)
    return [{"value": value, "time": time} for value, time in zip(values, times)]


class Tables:
    """The dictionary of a message, with references resolved."""

    def __init__(self, dictionary):
        self.strings = dictionary.get("stringTable", [])
        self.rows = {name: dictionary.get(f"{name}Table", []) for name in
                     ("attribute", "mapping", "function", "location", "stack", "link")}

    def text(self, entry, member):
        return self.strings[entry[member]] if entry.get(member) else ""

    def value_type(self, profile, member):
        value = profile.get(member, {})
        return [self.text(value, "typeStrindex"), self.text(value, "unitStrindex")]

    def resolved(self, node):
        """Returns a resource, scope or value with string references replaced by text."""
        if isinstance(node, list):
            return [self.resolved(element) for element in node]
        if not isinstance(node, dict):
            return node
        result = {key: self.resolved(value) for key, value in node.items() if not key.endswith("Strindex")}
        if "keyStrindex" in node:
            result["key"] = self.text(node, "keyStrindex")
        if "stringValueStrindex" in node:
            result["stringValue"] = self.text(node, "stringValueStrindex")
        return result

    def attributes(self, entry):
        rows = [self.rows["attribute"][index] for index in entry.get("attributeIndices", [])]
        return sorted(([self.text(row, "keyStrindex"), self.text(row, "unitStrindex"),
                        self.resolved(row.get("value", {}))] for row in rows), key=str)

    def mapping(self, index):
        row = self.rows["mapping"][index] if index else {}
        return [int(row.get(member, 0)) for member in ("memoryStart", "memoryLimit", "fileOffset")] + [
            self.text(row, "filenameStrindex"), self.attributes(row)]

    def line(self, line):
        index = line.get("functionIndex", 0)
        function = self.rows["function"][index] if index else {}
        texts = [self.text(function, member) for member in ("nameStrindex", "systemNameStrindex", "filenameStrindex")]
        return texts + [int(function.get("startLine", 0)), int(line.get("line", 0)), int(line.get("column", 0))]

    def location(self, index):
        row = self.rows["location"][index] if index else {}
        return [self.mapping(row.get("mappingIndex", 0)), int(row.get("address", 0)),
                [self.line(line) for line in row.get("lines", [])], self.attributes(row)]

    def sample(self, sample):
        stack = self.rows["stack"][sample["stackIndex"]] if sample.get("stackIndex") else {}
        link = self.rows["link"][sample["linkIndex"]] if sample.get("linkIndex") else {}
        return {"stack": [self.location(index) for index in stack.get("locationIndices", [])],
                "attributes": self.attributes(sample), "link": [link.get("traceId", ""), link.get("spanId", "")]}
