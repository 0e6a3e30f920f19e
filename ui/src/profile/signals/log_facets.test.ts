// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import type { FacetCounts, LogRecord, LogVolume } from "../../api/types";
import { facetCount, facetsOf, facetsOfAll, patternOf, regexOfPattern, severityName } from "./log_facets";

const record = (service: string, severity: number, body: unknown): LogRecord => ({
  id: "",
  time: "0",
  severity,
  severity_text: "",
  service,
  body,
  attributes: {},
  trace_id: "",
  span_id: "",
});

it("counts services, severities and patterns, most frequent or most severe first", () => {
  const facets = facetsOf([
    record("cart", 9, "order 17 placed in 12.5 ms"),
    record("cart", 9, "order 9 placed in 3 ms"),
    record("bank", 17, "card refused: code 51"),
    record("bank", 13, { not: "a text" }),
  ]);
  expect(facets.services).toEqual([
    { value: "bank", count: 2 },
    { value: "cart", count: 2 },
  ]);
  expect(facets.severities).toEqual([
    { value: "error", count: 1 },
    { value: "warn", count: 1 },
    { value: "info", count: 2 },
  ]);
  expect(facets.patterns).toEqual([
    { value: "order # placed in # ms", count: 2 },
    { value: "card refused: code #", count: 1 },
  ]);
});

it.each([
  [0, "trace"],
  [1, "trace"],
  [4, "trace"],
  [5, "debug"],
  [9, "info"],
  [13, "warn"],
  [16, "warn"],
  [17, "error"],
  [21, "fatal"],
  [24, "fatal"],
])("severity %i is %s", (severity, name) => {
  expect(severityName(severity)).toBe(name);
});

it("matches the records of a pattern, and no others", () => {
  for (const body of ["took 57 ms (limit: 20 ms)", "trace 4bf92f3577b34da6 at 10:22:01.5", "a/b? [c] 1,000 times"]) {
    const regex = new RegExp(regexOfPattern(patternOf(body)).slice(1, -1));
    expect(regex.test(body), body).toBe(true);
    expect(regex.test(`x${body}`)).toBe(false);
  }
});

it("uses the counts of the server if available, and marks lower bounds", () => {
  const values = (value: string, count: number): FacetCounts => ({ values: [{ value, count }], other: 0 });
  const volume: LogVolume = {
    start: "0",
    step: 1,
    count: 40_000,
    lines: [],
    facets: {
      services: values("cart", 40_000),
      severities: values("info", 40_000),
      patterns: values("order #", 39_000),
    },
  };
  expect(facetsOfAll(volume)).toMatchObject({
    services: [{ value: "cart", count: 40_000 }],
    isOfAll: true,
    count: 40_000,
    isCapped: false,
  });
  expect(facetsOfAll({ ...volume, meta: { partial: true } })?.isCapped).toBe(true);
  expect([facetCount("10k", true), facetCount("7", false)]).toEqual(["10k+", "7"]);
  expect(facetsOfAll(null)).toBeNull();
  const { facets: _, ...without } = volume;
  expect(facetsOfAll(without)).toBeNull();
});
