// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { addDays, addMonths, compareDays, dayOf, endOf, startOf, weekdayOf, weeksOf } from "./calendar";

const day = (year: number, month: number, of: number) => ({ year, month, day: of });

describe("calendar", () => {
  it("covers the month with weeks from Monday to Sunday, and no more", () => {
    const may = weeksOf(2026, 5); // starts on a Friday
    expect(may).toHaveLength(5);
    expect(may[0]?.[0]).toEqual(day(2026, 4, 27));
    expect(may[0]?.[4]).toEqual(day(2026, 5, 1));
    expect(may.at(-1)?.[6]).toEqual(day(2026, 5, 31));
    expect(weeksOf(2027, 2)).toHaveLength(4); // starts on a Monday and has four weeks
    expect(weeksOf(2026, 8)).toHaveLength(6);
    expect(weeksOf(2026, 12).at(-1)?.[6]).toEqual(day(2027, 1, 3));
  });
  it("steps across the ends of months and years", () => {
    expect(addDays(day(2024, 2, 28), 1)).toEqual(day(2024, 2, 29));
    expect(addDays(day(2026, 1, 1), -1)).toEqual(day(2025, 12, 31));
    expect(addMonths(day(2026, 3, 31), -1)).toEqual(day(2026, 2, 28));
    expect(addMonths(day(2026, 12, 15), 1)).toEqual(day(2027, 1, 15));
    expect(addMonths(day(2026, 1, 15), -1)).toEqual(day(2025, 12, 15));
    expect(weekdayOf(day(1970, 1, 1))).toBe(3);
    expect(weekdayOf(day(1969, 12, 28))).toBe(6);
    expect(compareDays(day(2026, 3, 1), day(2026, 2, 28))).toBe(1);
  });
  it("returns the start and end of a day", () => {
    expect(startOf(day(2026, 5, 4), "utc")).toBe(Date.UTC(2026, 4, 4));
    expect(endOf(day(2026, 5, 31), "utc")).toBe(Date.UTC(2026, 4, 31, 23, 59, 59));
    for (const zone of ["utc", "local"] as const)
      expect(dayOf(startOf(day(2026, 3, 29), zone), zone)).toEqual(day(2026, 3, 29));
  });
});
