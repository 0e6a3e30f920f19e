// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { costOf, parentSet, spanDepths, visibleSpans } from "./waterfall";

const PARENT = [-1, 0, 1, 1, 0, -1];

describe("the rows of a trace", () => {
  it("are as deep as their parents say", () => {
    expect([...spanDepths(PARENT)]).toEqual([0, 1, 2, 2, 1, 0]);
    expect([...parentSet(PARENT)]).toEqual([0, 1]);
  });
  it("leave out what is below a closed span", () => {
    expect(visibleSpans(PARENT, new Set([1]))).toEqual([0, 1, 4, 5]);
    expect(visibleSpans(PARENT, new Set([0]))).toEqual([0, 5]);
  });
  it("never claim more than the whole time", () => {
    const cost = costOf([{ type: "cpu", unit: "nanoseconds", count: 3, sum: 300 }, { type: "off_cpu", unit: "nanoseconds", count: 1, sum: 100 }], 200);
    expect(cost).toEqual({ onCpu: 0.75, offCpu: 0.25, samples: 4 });
    expect(costOf([{ type: "alloc", unit: "bytes", count: 2, sum: 9 }], 10)).toEqual({ onCpu: 0, offCpu: 0, samples: 2 });
  });
});
