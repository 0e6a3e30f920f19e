// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { fieldsOf, formatDateTime, msOf, offsetMs, parseDateTime } from "./time_zone";

const NOON = Date.UTC(2026, 4, 4, 12, 30, 15, 250);

describe("times in a zone", () => {
  it("survive a round trip, in both zones", () => {
    for (const zone of ["utc", "local"] as const) {
      expect(msOf(fieldsOf(NOON, zone), zone)).toBe(NOON);
      expect(parseDateTime(formatDateTime(NOON, zone), zone)).toBe(NOON);
    }
    expect(formatDateTime(NOON, "utc")).toBe("2026-05-04 12:30:15.250");
    expect(formatDateTime(NOON - 250, "utc")).toBe("2026-05-04 12:30:15");
  });
  it("may omit trailing zeros", () => {
    expect(parseDateTime("2026-05-04", "utc")).toBe(Date.UTC(2026, 4, 4));
    expect(parseDateTime(" 2026-05-04 10:05 ", "utc")).toBe(Date.UTC(2026, 4, 4, 10, 5));
    expect(parseDateTime("2026-05-04T10:05:06.5", "utc")).toBe(Date.UTC(2026, 4, 4, 10, 5, 6, 500));
  });
  it("are rejected if invalid or with an explicit zone", () => {
    for (const text of [
      "2026-02-30",
      "2026-13-01",
      "2026-05-04 25:00",
      "2026-05-04 10:61",
      "2026-05-04T10:00:00Z",
      "now-1h",
      "1794784000",
      "",
    ]) {
      expect(parseDateTime(text, "utc"), text).toBeNull();
    }
  });
  it("differ by the offset of the zone", () => {
    expect(offsetMs(NOON, "utc")).toBe(0);
    const local = fieldsOf(NOON, "local");
    expect(
      Date.UTC(local.year, local.month - 1, local.day, local.hour, local.minute, local.second, local.milli) - NOON,
    ).toBe(offsetMs(NOON, "local"));
  });
});
