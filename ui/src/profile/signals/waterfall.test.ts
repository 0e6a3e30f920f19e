// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { costOf, openTo, parentSet, shownInstead, spanDepths, visibleSpans } from "./waterfall";

const PARENT = [-1, 0, 1, 1, 0, -1];

describe("rows of a trace", () => {
  it("are one level deeper than their parents", () => {
    expect([...spanDepths(PARENT)]).toEqual([0, 1, 2, 2, 1, 0]);
    expect([...parentSet(PARENT)]).toEqual([0, 1]);
  });
  it("omit the descendants of a collapsed span", () => {
    expect(visibleSpans(PARENT, new Set([1]))).toEqual([0, 1, 4, 5]);
    expect(visibleSpans(PARENT, new Set([0]))).toEqual([0, 5]);
  });
  it("show the outermost collapsed span in place of its descendants, and expand up to a span", () => {
    expect(shownInstead(PARENT, new Set([0, 1]), 3)).toBe(0);
    expect(shownInstead(PARENT, new Set([1]), 3)).toBe(1);
    expect(shownInstead(PARENT, new Set([3]), 3)).toBe(3);
    expect([...openTo(PARENT, new Set([0, 1, 5]), 3)]).toEqual([5]);
    const closed = new Set([5]);
    expect(openTo(PARENT, closed, 3)).toBe(closed);
  });
  it("never attribute more than the duration", () => {
    const cost = costOf(
      [
        { type: "cpu", unit: "nanoseconds", count: 3, sum: 300 },
        { type: "off_cpu", unit: "nanoseconds", count: 1, sum: 100 },
      ],
      200,
    );
    expect(cost).toEqual({ onCpu: 0.75, offCpu: 0.25, samples: 4 });
    expect(costOf([{ type: "alloc", unit: "bytes", count: 2, sum: 9 }], 10)).toEqual({
      onCpu: 0,
      offCpu: 0,
      samples: 2,
    });
  });
});
