// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Diff } from "../../api/types";
import { changeText, diffTotal } from "./diff_total";

const side = (total: number, seconds: number): Diff["before"] => ({ total, events: 100, seconds, instances: 1 });
const diff = (patch: Partial<Diff>): Diff =>
  ({
    unit: "nanoseconds",
    norm: "rate",
    before: side(10e9, 20),
    after: side(14e9, 20),
    total_ratio: 1.4,
    total_significant: true,
    total_probability: 0.00001,
    ...patch,
  }) as Diff;

test("shows CPU time in cores, with the change", () => {
  const total = diffTotal(diff({}));
  expect([total.before, total.after, changeText(total.change), total.chance]).toEqual([
    "0.5 cores",
    "0.7 cores",
    "+40.0 %",
    "p < 0.001",
  ]);
});

test("compares sides of different duration per second", () => {
  expect(diffTotal(diff({ norm: "share", after: side(7e9, 10), total_ratio: 1 })).change).toBeCloseTo(0.4, 5);
});

test("shows raw values without normalization, and for files without a duration", () => {
  expect(diffTotal(diff({ norm: "none" })).before).toBe("10 s");
  const files = diffTotal(
    diff({ unit: "bytes", before: side(1024, 0), after: side(2048, 0), total_significant: false }),
  );
  expect([files.before, files.after, changeText(files.change), files.chance]).toEqual([
    "1 KiB",
    "2 KiB",
    "+100.0 %",
    "within noise",
  ]);
});

test("reports no change for a new function", () => {
  expect(changeText(diffTotal(diff({ before: side(0, 20) })).change)).toBe("new");
});
