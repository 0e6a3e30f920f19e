// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { joinGaps, lonePoints, piecesOf, stepsJoined } from "./gaps";

const minute = 60e9;

describe("gaps in lines", () => {
  it("are closed between reports that are rarer than steps", () => {
    expect(stepsJoined(10e9, minute)).toBe(18);
    expect(joinGaps([1, null, null, 4, null, 6], 3)).toEqual([1, undefined, undefined, 4, undefined, 6]);
  });
  it("remain if they are longer, and at both ends", () => {
    expect(joinGaps([null, 1, null, null, null, 5, null], 3)).toEqual([null, 1, null, null, null, 5, null]);
    expect(joinGaps([], 3)).toEqual([]);
  });
  it("of up to three steps are closed if the interval is shorter or unknown", () => {
    expect(stepsJoined(minute, 15e9)).toBe(3);
    expect(stepsJoined(minute, 0)).toBe(3);
  });
  it("leave isolated points visible", () => {
    expect(lonePoints([1, null, 2, 3, null, 4])).toEqual([0, 5]);
    expect(lonePoints([1, undefined, 2, null, undefined, 3, undefined])).toEqual([5]);
    expect(lonePoints([null, null])).toEqual([]);
    expect([piecesOf([1, undefined, 2, null, 3, 4, null, 5]), piecesOf([])]).toEqual([2, 0]);
  });
});
