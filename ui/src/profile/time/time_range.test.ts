// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { describeRange, msToNanos, nanosToMs, parseTime } from "./time_range";

describe("times in links", () => {
  it("are relative, dates, or Unix times", () => {
    const now = 1_794_784_000_000;
    expect(parseTime("now-1h", now)).toBe(now - 3_600_000);
    expect(parseTime("2026-05-04T10:00:00Z", now)).toBe(Date.UTC(2026, 4, 4, 10));
    expect(parseTime("1794784000", now)).toBe(now);
    expect(parseTime("1794784000000", now)).toBe(now);
    expect(parseTime("1794784000000000000", now)).toBe(now);
    expect(parseTime("yesterday", now)).toBeNull();
    expect(nanosToMs(msToNanos(now))).toBe(now);
    expect(describeRange("now-1h", "now", now, "utc")).toBe("Last hour");
    expect(describeRange("2026-05-04T10:00:00Z", "2026-05-05T11:30:00Z", now, "utc")).toBe(
      "2026-05-04 10:00:00 – 2026-05-05 11:30:00",
    );
  });
});
