// SPDX-License-Identifier: Apache-2.0
//
// Where an axis of time has its marks: at whole minutes, hours or days of the local clock, and as many as there is room for.

export interface TimeTick {
  readonly ms: number;
  readonly label: string;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500], ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND), ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR), ...[1, 2, 7, 14, 28, 91, 182, 364].map((count) => count * DAY),
];

const two = (value: number): string => String(value).padStart(2, "0");

// A clock with as many digits as tell the marks apart: the day, where they are more than a day and a half apart in all.
export function clockLabel(ms: number, stepMs: number, spanMs: number): string {
  const date = new Date(ms);
  const day = `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  if (stepMs >= DAY) return day;
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (stepMs < SECOND) return `${clock}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`;
  if (stepMs < MINUTE) return `${clock}:${two(date.getSeconds())}`;
  return spanMs > 36 * HOUR ? `${day} ${clock}` : clock;
}

export function timeTicks(fromMs: number, toMs: number, countMax: number): TimeTick[] {
  const span = toMs - fromMs;
  if (!(span > 0) || countMax < 1) return [];
  const step = STEPS.find((ms) => span / ms <= countMax) ?? Math.ceil(span / countMax / DAY) * DAY;
  const offset = new Date(fromMs).getTimezoneOffset() * MINUTE; // marks are round for those who read them
  const ticks: TimeTick[] = [];
  for (let ms = Math.ceil((fromMs - offset) / step) * step + offset; ms <= toMs; ms += step) ticks.push({ ms, label: clockLabel(ms, step, span) });
  return ticks;
}
