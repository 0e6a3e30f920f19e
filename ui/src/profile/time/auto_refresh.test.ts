// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { intervalOf, nextRefresh, type RefreshState } from "./auto_refresh";

const STATE: RefreshState = {
  intervalS: 10,
  isRelative: true,
  isHidden: false,
  isLoading: false,
  heldBecause: "",
  lastMs: 1000,
  nowMs: 4000,
};

describe("automatic refresh", () => {
  it("is due one interval after the last one", () => {
    expect(nextRefresh(STATE)).toBe(7000);
  });
  it("is due immediately when overdue", () => {
    expect(nextRefresh({ ...STATE, nowMs: 60_000 })).toBe(0);
  });
  it.each([
    { intervalS: 0 },
    { isRelative: false },
    { isHidden: true },
    { isLoading: true },
    { heldBecause: "zoomed" },
  ])("waits with %o", (change) => {
    expect(nextRefresh({ ...STATE, ...change })).toBeNull();
  });
  it("is off for unknown intervals", () => {
    expect([intervalOf("30"), intervalOf("7"), intervalOf(null), intervalOf("")]).toEqual([30, 0, 0, 0]);
  });
});
