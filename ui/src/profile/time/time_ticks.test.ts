// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { clockLabel, timeTicks } from "./time_ticks";

const start = new Date(2026, 4, 4, 10, 2, 30).getTime(); // local time
const minute = 60_000;

describe("ticks of a time axis", () => {
  it("are at round local times, as many as fit", () => {
    expect(timeTicks(start, start + 60 * minute, 7, "local").map((tick) => tick.label)).toEqual([
      "10:10",
      "10:20",
      "10:30",
      "10:40",
      "10:50",
      "11:00",
    ]);
    expect(timeTicks(start, start + minute, 4, "local").map((tick) => tick.label)).toEqual([
      "10:02:30",
      "10:02:45",
      "10:03:00",
      "10:03:15",
      "10:03:30",
    ]);
  });
  it("are at round UTC times if UTC is selected", () => {
    const ticks = timeTicks(Date.UTC(2026, 4, 4, 10, 2, 30), Date.UTC(2026, 4, 4, 11, 2, 30), 7, "utc");
    expect(ticks.map((tick) => tick.label)).toEqual(["10:10", "10:20", "10:30", "10:40", "10:50", "11:00"]);
  });
  it("include the day if the range has several", () => {
    expect(timeTicks(start, start + 3 * 24 * 60 * minute, 6, "local").map((tick) => tick.label)).toContain(
      "05-05 00:00",
    );
    expect(clockLabel(start, 24 * 60 * minute, 7 * 24 * 60 * minute, "local")).toBe("05-04");
  });
  it("lie in the range; an empty range has none", () => {
    for (const span of [7, 900, 12_345, 98_765_432, 1e11]) {
      const ticks = timeTicks(start, start + span, 8, "local");
      expect(ticks.length).toBeLessThanOrEqual(9);
      expect(ticks.every((tick) => tick.ms >= start && tick.ms <= start + span)).toBe(true);
    }
    expect(timeTicks(start, start, 8, "local")).toEqual([]);
  });
});
