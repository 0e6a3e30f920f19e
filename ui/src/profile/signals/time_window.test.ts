// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import {
  clampWindow,
  formatWindow,
  isWhole,
  moveEdge,
  moveWindow,
  parseWindow,
  placeIn,
  scaleWindow,
  windowAround,
  windowTicks,
} from "./time_window";

const WHOLE = 1_000_000;

describe("time window of a trace", () => {
  it("stays within the trace and keeps its length when moved", () => {
    expect(moveWindow({ from: 100, to: 300 }, -500, WHOLE)).toEqual({ from: 0, to: 200 });
    expect(moveWindow({ from: 100, to: 300 }, 2 * WHOLE, WHOLE)).toEqual({ from: WHOLE - 200, to: WHOLE });
  });
  it("is never empty or reversed, however it is dragged", () => {
    expect(clampWindow(600, 200, WHOLE)).toEqual({ from: 200, to: 600 });
    expect(clampWindow(500, 500, WHOLE)).toEqual({ from: 500, to: 510 });
    expect(clampWindow(-50, 200, WHOLE)).toEqual({ from: 0, to: 200 });
    expect(moveEdge({ from: 100, to: 300 }, "from", 900, WHOLE)).toEqual({ from: 290, to: 300 });
    expect(moveEdge({ from: 100, to: 300 }, "to", -1, WHOLE)).toEqual({ from: 100, to: 110 });
    expect(moveEdge({ from: 100, to: 300 }, "to", 2 * WHOLE, WHOLE)).toEqual({ from: 100, to: WHOLE });
  });
  it("is in the URL unless it is the whole trace", () => {
    expect(formatWindow({ from: 0, to: WHOLE }, WHOLE)).toBe("");
    expect(formatWindow({ from: 10.4, to: 900 }, WHOLE)).toBe("10-900");
    expect(parseWindow("10-900", WHOLE)).toEqual({ from: 10, to: 900 });
    for (const text of ["", "900-10", "5", "a-b", `${2 * WHOLE}-${3 * WHOLE}`])
      expect(isWhole(parseWindow(text, WHOLE), WHOLE), text).toBe(true);
  });
  it("fits a span with a margin, even one without duration", () => {
    expect(windowAround(1000, 500, WHOLE)).toEqual({ from: 950, to: 1550 });
    expect(windowAround(0, 0, WHOLE)).toEqual({ from: 0, to: 10 });
  });
  it("zooms around its middle, and out to the whole", () => {
    expect(scaleWindow({ from: 400, to: 800 }, 0.5, WHOLE)).toEqual({ from: 500, to: 700 });
    expect(scaleWindow({ from: 0, to: 400 }, 2, WHOLE)).toEqual({ from: 0, to: 800 });
    expect(scaleWindow({ from: 400, to: 800 }, 1e9, WHOLE)).toEqual({ from: 0, to: WHOLE });
  });
  it("has distinct tick labels", () => {
    expect(windowTicks({ from: 0, to: 80e6 }, 5)).toEqual(["0 ms", "20 ms", "40 ms", "60 ms", "80 ms"]);
    expect(windowTicks({ from: 12_345_000, to: 12_346_000 }, 5)).toEqual([
      "12.345 ms",
      "12.34525 ms",
      "12.3455 ms",
      "12.34575 ms",
      "12.346 ms",
    ]);
  });
  it("clips spans at its edges, and reports on which side the others are", () => {
    const window = { from: 100, to: 300 };
    expect(placeIn(window, 50, 100)).toEqual({ left: 0, width: 0.25, isBefore: false, isAfter: false });
    expect(placeIn(window, 200, 900)).toEqual({ left: 0.5, width: 0.5, isBefore: false, isAfter: false });
    expect(placeIn(window, 10, 20)).toMatchObject({ width: 0, isBefore: true });
    expect(placeIn(window, 301, 20)).toMatchObject({ width: 0, isAfter: true });
  });
});
