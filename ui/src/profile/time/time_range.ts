// SPDX-License-Identifier: Apache-2.0
//
// Times in links: "now", "now-1h", RFC 3339, or digits: seconds to nanoseconds since the epoch. Nanoseconds do not fit
// a number, so times of the API stay text and are converted to milliseconds only for display.

import { fieldsOf, type TimeZone, two } from "./time_zone";

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

export function parseDuration(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/.exec(text);
  const unit = UNIT_MS[match?.[2] ?? ""];
  return unit === undefined ? null : Number(match?.[1]) * unit;
}

// Milliseconds since the epoch, or null if it is not a time.
export function parseTime(text: string, nowMs: number): number | null {
  if (text === "now") return nowMs;
  const relative = /^now([+-])(.+)$/.exec(text);
  if (relative !== null) {
    const offset = parseDuration(relative[2] ?? "");
    return offset === null ? null : relative[1] === "-" ? nowMs - offset : nowMs + offset;
  }
  if (/^\d+$/.test(text)) {
    const value = Number(text);
    if (text.length <= 10) return value * 1000;
    if (text.length <= 13) return value;
    if (text.length <= 16) return value / 1000;
    return value / 1e6;
  }
  const parsed = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(parsed) ? null : parsed;
}

export const nanosToMs = (nanos: string): number => Number(nanos.slice(0, -3)) / 1000;
export const msToNanos = (ms: number): string => `${Math.round(ms * 1000)}000`;

export interface RangeMs {
  readonly from: number;
  readonly to: number;
}

export function rangeOf(from: string, to: string, nowMs: number): RangeMs {
  const end = parseTime(to, nowMs) ?? nowMs;
  return { from: parseTime(from, nowMs) ?? end - 3_600_000, to: end };
}

export function formatClock(ms: number, zone: TimeZone, withMillis = false): string {
  const { hour, minute, second, milli } = fieldsOf(ms, zone);
  const text = `${two(hour)}:${two(minute)}:${two(second)}`;
  return withMillis ? `${text}.${String(milli).padStart(3, "0")}` : text;
}

export function formatDay(ms: number, zone: TimeZone): string {
  const { year, month, day } = fieldsOf(ms, zone);
  return `${year}-${two(month)}-${two(day)}`;
}

export function formatAgo(ms: number, nowMs: number): string {
  const seconds = Math.round((nowMs - ms) / 1000);
  if (seconds < 5) return "just now";
  if (seconds < 90) return `${seconds} s ago`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 129_600) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86_400)} d ago`;
}

const PRESETS: readonly (readonly [string, string])[] = [
  ["now-5m", "Last 5 minutes"],
  ["now-15m", "Last 15 minutes"],
  ["now-1h", "Last hour"],
  ["now-3h", "Last 3 hours"],
  ["now-12h", "Last 12 hours"],
  ["now-24h", "Last 24 hours"],
  ["now-7d", "Last 7 days"],
];

export const RANGE_PRESETS = PRESETS;

export function describeRange(from: string, to: string, nowMs: number, zone: TimeZone): string {
  const preset = to === "now" ? PRESETS.find(([start]) => start === from) : undefined;
  if (preset !== undefined) return preset[1];
  const back = to === "now" ? /^now-(.+)$/.exec(from)?.[1] : undefined;
  if (back !== undefined) return `Last ${back}`;
  const range = rangeOf(from, to, nowMs);
  const isOneDay = formatDay(range.from, zone) === formatDay(range.to, zone);
  const start = `${formatDay(range.from, zone)} ${formatClock(range.from, zone)}`;
  const end = `${isOneDay ? "" : `${formatDay(range.to, zone)} `}${formatClock(range.to, zone)}`;
  return `${start} – ${end}`;
}
