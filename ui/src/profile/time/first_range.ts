// SPDX-License-Identifier: Apache-2.0
//
// The time range of a page that was opened without one: the last hour, unless the data is at another time.
import { parseDuration } from "./time_range";

export interface FirstRange {
  readonly from: string;
  readonly to: string;
}

const HOUR_MS = 3_600_000;
const SHORT_RANGES = ["5m", "15m"] as const;

// Returns null if the last hour is right. `oldestMs` is the time of the first data in the last hour, or null if there is
// none; `newestMs` is the time of the newest data overall.
export function firstRange(oldestMs: number | null, newestMs: number, nowMs: number): FirstRange | null {
  if (oldestMs === null)
    return newestMs >= nowMs - HOUR_MS
      ? null
      : { from: String(Math.floor(newestMs - HOUR_MS)), to: String(Math.ceil(newestMs)) };
  const short = SHORT_RANGES.find((text) => oldestMs >= nowMs - (parseDuration(text) ?? 0));
  return short === undefined ? null : { from: `now-${short}`, to: "now" };
}
