// SPDX-License-Identifier: Apache-2.0
//
// A range as it is typed into the time picker: relative, or a date and a clock of the zone that is shown. Links have
// relative times and points in time, so a zone is never part of them.
import { parseTime } from "./time_range";
import { formatDateTime, parseDateTime, type TimeZone } from "./time_zone";

export interface RangeDraft {
  readonly from: string;
  readonly to: string;
}

const isRelative = (text: string): boolean => text.startsWith("now");

// A time of a link as text for people.
export function draftOf(text: string, zone: TimeZone): string {
  const ms = isRelative(text) ? null : parseTime(text, 0);
  return ms === null ? text : formatDateTime(ms, zone);
}

// A typed time as a link has it; null for what is no time.
export function linkTimeOf(text: string, zone: TimeZone): string | null {
  const typed = text.trim();
  const ms = parseDateTime(typed, zone);
  if (ms !== null) return String(ms);
  return parseTime(typed, 0) === null ? null : typed;
}

// The same points in time, in another zone.
export function inZone(draft: RangeDraft, before: TimeZone, after: TimeZone): RangeDraft {
  const convert = (text: string): string => {
    const ms = parseDateTime(text, before);
    return ms === null ? text : formatDateTime(ms, after);
  };
  return { from: convert(draft.from), to: convert(draft.to) };
}

// What the link gets; times that were not changed stay as exact as they were. `error` says what is wrong.
export function applyDraft(
  draft: RangeDraft,
  link: RangeDraft,
  zone: TimeZone,
  nowMs: number,
): { readonly range: RangeDraft | null; readonly error: string } {
  const from = draft.from === draftOf(link.from, zone) ? link.from : linkTimeOf(draft.from, zone);
  const to = draft.to === draftOf(link.to, zone) ? link.to : linkTimeOf(draft.to, zone);
  if (from === null || to === null)
    return {
      range: null,
      error: `${from === null ? "From" : "To"}: use a date and time such as 2026-05-04 10:00, or now-2h`,
    };
  const start = parseTime(from, nowMs);
  const end = parseTime(to, nowMs);
  if (start === null || end === null || start >= end) return { range: null, error: "From must be before To" };
  return { range: { from, to }, error: "" };
}
