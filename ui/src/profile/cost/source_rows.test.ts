// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Series, SourceAnswer } from "../../api/types";
import { costliestVersion, costsByFile, sourceRows } from "./source_rows";

const row = (
  file: string,
  line: number,
  total: number,
  more = {},
): { function: string; file: string; line: number; self: number; total: number } => ({
  function: "f",
  file,
  line,
  self: 0,
  total,
  ...more,
});

test("lists the costliest file first, with its lines in order", () => {
  const files = costsByFile([
    row("a.cc", 9, 1),
    row("b.cc", 7, 5, { start_line: 3, build_id: "ab" }),
    row("b.cc", 4, 1),
  ]);
  expect(files.map((one) => one.file)).toEqual(["b.cc", "a.cc"]);
  expect(files[0]).toMatchObject({ first: 4, last: 7, start: 3, buildId: "ab", total: 6 });
  expect(files[0]?.rows.map((one) => one.line)).toEqual([4, 7]);
});

test("excludes lines without a number from the file", () => {
  expect(costsByFile([row("", 0, 5)])[0]).toMatchObject({ first: 0, last: 0 });
});

test("joins costs and text", () => {
  const [costs] = costsByFile([row("a.cc", 5, 7), row("a.cc", 90, 2)]);
  const source = {
    file: "a.cc",
    found: true,
    first_line: 4,
    line_count: 6,
    lines: ["int f() {", "  g();", "}"],
  } as unknown as SourceAnswer;
  expect(costs && sourceRows(costs, source)).toEqual([
    { line: 4, text: "int f() {", self: 0, total: 0 },
    { line: 5, text: "  g();", self: 0, total: 7 },
    { line: 6, text: "}", self: 0, total: 0 },
    { line: 90, text: null, self: 0, total: 2 },
  ]);
  expect(costs && sourceRows(costs, null).map((one) => one.text)).toEqual([null, null]);
});

test("links to the costliest version", () => {
  const line = (service: string, version: string, total: number, rest = false): Series["lines"][number] => ({
    labels: { "service.name": service, "service.version": version },
    rest,
    total,
    values: [],
  });
  const series = { lines: [line("a", "1", 3), line("b", "2", 9), line("c", "", 50, true)] } as unknown as Series;
  expect(costliestVersion(series)).toEqual({ service: "b", version: "2" });
  expect(costliestVersion(null)).toEqual({ service: "", version: "" });
});
