// SPDX-License-Identifier: Apache-2.0
//
// Ticks of a time axis: at whole minutes, hours or days of the selected time zone, as many as fit.
import { fieldsOf, offsetMs, type TimeZone, two } from "./time_zone";

export interface TimeTick {
  readonly ms: number;
  readonly label: string;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 28, 91, 182, 364].map((count) => count * DAY),
];

// Formats with as many digits as distinguish the ticks; with the day if they span more than a day and a half.
export function clockLabel(ms: number, stepMs: number, spanMs: number, zone: TimeZone): string {
  const at = fieldsOf(ms, zone);
  const day = `${two(at.month)}-${two(at.day)}`;
  if (stepMs >= DAY) return day;
  const clock = `${two(at.hour)}:${two(at.minute)}`;
  if (stepMs < SECOND) return `${clock}:${two(at.second)}.${String(at.milli).padStart(3, "0")}`;
  if (stepMs < MINUTE) return `${clock}:${two(at.second)}`;
  return spanMs > 36 * HOUR ? `${day} ${clock}` : clock;
}

export function timeTicks(fromMs: number, toMs: number, countMax: number, zone: TimeZone): TimeTick[] {
  const span = toMs - fromMs;
  if (!(span > 0) || countMax < 1) return [];
  const step = STEPS.find((ms) => span / ms <= countMax) ?? Math.ceil(span / countMax / DAY) * DAY;
  const offset = offsetMs(fromMs, zone); // ticks are round in this zone
  const ticks: TimeTick[] = [];
  for (let ms = Math.ceil((fromMs + offset) / step) * step - offset; ms <= toMs; ms += step)
    ticks.push({ ms, label: clockLabel(ms, step, span, zone) });
  return ticks;
}
