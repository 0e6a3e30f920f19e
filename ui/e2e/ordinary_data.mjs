// SPDX-License-Identifier: Apache-2.0
//
// The data of an ordinary service over any time: CPU and heap profiles, a counter, traces and logs, once per interval.
// All values are constant, so that a page that sums incorrectly shows a different number.
import { sendOtlp } from "./program.mjs";

export const CORES = 0.5;
export const HEAP_BYTES = 100 * 2 ** 20;
export const REQUESTS_A_SECOND = 4;

const nanos = (ms) => `${Math.round(ms)}000000`;
const text = (key, value) => ({ key, value: { stringValue: value } });
const RESOURCE = {
  attributes: [text("service.name", "shop"), text("service.version", "1.2"), text("service.instance.id", "a")],
};
const hex = (number, digits) => number.toString(16).padStart(digits, "0");

// Strings, functions and stacks: main > serve > parse, and main > serve.
const STRINGS = ["", "cpu", "nanoseconds", "inuse_space", "bytes", "main", "serve", "parse", "/build/shop/src/parse.c"];
const DICTIONARY = {
  stringTable: STRINGS,
  mappingTable: [{}],
  linkTable: [{}],
  attributeTable: [{}],
  functionTable: [
    {},
    { nameStrindex: 5, filenameStrindex: 8 },
    { nameStrindex: 6, filenameStrindex: 8 },
    { nameStrindex: 7, filenameStrindex: 8 },
  ],
  locationTable: [
    {},
    { lines: [{ functionIndex: 1, line: "30" }] },
    { lines: [{ functionIndex: 2, line: "20" }] },
    { lines: [{ functionIndex: 3, line: "7" }] },
  ],
  stackTable: [{}, { locationIndices: [3, 2, 1] }, { locationIndices: [2, 1] }],
};

function profilesAt(ms, intervalMs) {
  const cost = intervalMs * 1e6 * CORES;
  const when = { timeUnixNano: nanos(ms), durationNano: nanos(intervalMs) };
  return [
    {
      ...when,
      sampleType: { typeStrindex: 1, unitStrindex: 2 },
      samples: [
        { stackIndex: 1, values: [String(cost * 0.75)] },
        { stackIndex: 2, values: [String(cost * 0.25)] },
      ],
    },
    {
      ...when,
      sampleType: { typeStrindex: 3, unitStrindex: 4 },
      samples: [{ stackIndex: 1, values: [String(HEAP_BYTES)] }],
    },
  ];
}

const spanAt = (ms, i) => ({
  traceId: hex(i + 1, 32),
  spanId: hex(i + 1, 16),
  name: "GET /cart",
  kind: 2,
  startTimeUnixNano: nanos(ms),
  endTimeUnixNano: nanos(ms + 120),
});
const recordAt = (ms, i) => ({
  timeUnixNano: nanos(ms + 60),
  severityNumber: i % 10 === 0 ? 17 : 9,
  severityText: i % 10 === 0 ? "ERROR" : "INFO",
  body: { stringValue: `cart ${i} is shown` },
  traceId: hex(i + 1, 32),
  spanId: hex(i + 1, 16),
});

// Sends `count` intervals that end now. Returns the times of the first and the last.
export async function sendOrdinaryData(server, { intervalMs, count }) {
  const end = Date.now() - 1000;
  const times = Array.from({ length: count }, (_, i) => end - (count - i) * intervalMs);
  const profiles = {
    resourceProfiles: [
      { resource: RESOURCE, scopeProfiles: [{ profiles: times.flatMap((ms) => profilesAt(ms, intervalMs)) }] },
    ],
    dictionary: DICTIONARY,
  };
  const answer = await fetch(`${server.otlp}/v1development/profiles`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(profiles),
  });
  if (!answer.ok) throw new Error(`cannot send profiles: ${await answer.text()}`);
  const points = times.map((ms, i) => ({
    startTimeUnixNano: nanos(times[0]),
    timeUnixNano: nanos(ms),
    asInt: String(Math.round((REQUESTS_A_SECOND * i * intervalMs) / 1000)),
  }));
  const requests = {
    name: "http.server.requests",
    unit: "{request}",
    sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: points },
  };
  await sendOtlp(server, "metrics", {
    resourceMetrics: [{ resource: RESOURCE, scopeMetrics: [{ metrics: [requests] }] }],
  });
  await sendOtlp(server, "traces", {
    resourceSpans: [{ resource: RESOURCE, scopeSpans: [{ spans: times.map(spanAt) }] }],
  });
  await sendOtlp(server, "logs", {
    resourceLogs: [{ resource: RESOURCE, scopeLogs: [{ logRecords: times.map(recordAt) }] }],
  });
  return { from: times[0], to: end };
}
