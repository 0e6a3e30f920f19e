// SPDX-License-Identifier: Apache-2.0
//
// The time zone of all pages: that of the browser, unless the user selects UTC.
import { signal } from "@preact/signals";
import { formatClock, formatDay } from "../profile/time/time_range";
import type { TimeZone } from "../profile/time/time_zone";
import { recall, remember } from "./storage";

const KEY = "flarestack.zone";

export const timeZone = signal<TimeZone>(recall(KEY) === "utc" ? "utc" : "local");

export function setTimeZone(zone: TimeZone): void {
  timeZone.value = zone;
  remember(KEY, zone);
}

// Components that call these rerender when the zone changes.
export const clock = (ms: number, withMillis = false): string => formatClock(ms, timeZone.value, withMillis);
export const day = (ms: number): string => formatDay(ms, timeZone.value);
