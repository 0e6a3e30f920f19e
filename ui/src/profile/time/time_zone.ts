// SPDX-License-Identifier: Apache-2.0
//
// Formats and parses points in time, in the time zone of the browser or in UTC.

export type TimeZone = "local" | "utc";

export interface TimeFields {
  readonly year: number;
  readonly month: number; // 1 to 12
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly milli: number;
}

export const two = (value: number): string => String(value).padStart(2, "0");

export function fieldsOf(ms: number, zone: TimeZone): TimeFields {
  const date = new Date(ms);
  if (zone === "utc") {
    return {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
      second: date.getUTCSeconds(),
      milli: date.getUTCMilliseconds(),
    };
  }
  return {
    year: date.getFullYear(),
    month: date.getMonth() + 1,
    day: date.getDate(),
    hour: date.getHours(),
    minute: date.getMinutes(),
    second: date.getSeconds(),
    milli: date.getMilliseconds(),
  };
}

export function msOf({ year, month, day, hour, minute, second, milli }: TimeFields, zone: TimeZone): number {
  return zone === "utc"
    ? Date.UTC(year, month - 1, day, hour, minute, second, milli)
    : new Date(year, month - 1, day, hour, minute, second, milli).getTime();
}

// Offset from UTC.
export const offsetMs = (ms: number, zone: TimeZone): number =>
  zone === "utc" ? 0 : 0 - new Date(ms).getTimezoneOffset() * 60_000;

export function formatDateTime(ms: number, zone: TimeZone): string {
  const { year, month, day, hour, minute, second, milli } = fieldsOf(ms, zone);
  const fraction = milli === 0 ? "" : `.${String(milli).padStart(3, "0")}`;
  return `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}:${two(second)}${fraction}`;
}

const DATE_TIME = /^(\d{4})-(\d\d?)-(\d\d?)(?:[ T](\d\d?):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?)?$/;

// Parses "2026-05-04", "2026-05-04 10:00" and similar text without a zone; null for anything else, and for invalid days.
export function parseDateTime(text: string, zone: TimeZone): number | null {
  const match = DATE_TIME.exec(text.trim());
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const fields = { year, month, day, hour, minute, second, milli: Number((match[7] ?? "0").padEnd(3, "0")) };
  const ms = msOf(fields, zone);
  const back = fieldsOf(ms, zone);
  return back.month === month && back.day === day && minute < 60 && second < 60 && hour < 24 ? ms : null;
}
