// SPDX-License-Identifier: Apache-2.0
//
// Calendar arithmetic without times: the grid of a month, and steps between days.
import { fieldsOf, msOf, type TimeZone } from "./time_zone";

export interface CalendarDay {
  readonly year: number;
  readonly month: number; // 1 to 12
  readonly day: number;
}

const DAYS_OF_WEEK = 7;

// Computed in UTC, where each day has 24 hours.
const toCount = ({ year, month, day }: CalendarDay): number => Date.UTC(year, month - 1, day) / 86_400_000;

function fromCount(count: number): CalendarDay {
  const { year, month, day } = fieldsOf(count * 86_400_000, "utc");
  return { year, month, day };
}

export const compareDays = (a: CalendarDay, b: CalendarDay): number => toCount(a) - toCount(b);
export const addDays = (day: CalendarDay, count: number): CalendarDay => fromCount(toCount(day) + count);

// The same day of another month, or the last day of that month.
export function addMonths({ year, month, day }: CalendarDay, count: number): CalendarDay {
  const index = year * 12 + month - 1 + count;
  const first = { year: Math.floor(index / 12), month: (((index % 12) + 12) % 12) + 1, day: 1 };
  const last = fromCount(toCount({ ...first, month: first.month + 1 }) - 1);
  return { ...first, day: Math.min(day, last.day) };
}

// 0 is Monday.
export const weekdayOf = (day: CalendarDay): number =>
  (((toCount(day) + 3) % DAYS_OF_WEEK) + DAYS_OF_WEEK) % DAYS_OF_WEEK;

// The weeks, starting on Monday, that contain a day of the month, filled up with days of adjacent months.
export function weeksOf(year: number, month: number): CalendarDay[][] {
  const first = { year, month, day: 1 };
  const start = addDays(first, -weekdayOf(first));
  const weeks: CalendarDay[][] = [];
  for (let day = start; weeks.length === 0 || day.month === month; day = addDays(day, DAYS_OF_WEEK)) {
    weeks.push(Array.from({ length: DAYS_OF_WEEK }, (_, i) => addDays(day, i)));
  }
  return weeks;
}

export function dayOf(ms: number, zone: TimeZone): CalendarDay {
  const { year, month, day } = fieldsOf(ms, zone);
  return { year, month, day };
}

const MIDNIGHT = { hour: 0, minute: 0, second: 0, milli: 0 };
export const startOf = (day: CalendarDay, zone: TimeZone): number => msOf({ ...day, ...MIDNIGHT }, zone);
export const endOf = (day: CalendarDay, zone: TimeZone): number => startOf(addDays(day, 1), zone) - 1000;
