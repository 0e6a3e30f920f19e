// SPDX-License-Identifier: Apache-2.0
//
// A range as typed into the time picker: relative, or date and time in the selected zone. Links have relative times or
// points in time, and never a zone.
import { parseTime } from "./time_range";
import { formatDateTime, parseDateTime, type TimeZone } from "./time_zone";

export interface RangeDraft {
  readonly from: string;
  readonly to: string;
}

const isRelative = (text: string): boolean => text.startsWith("now");

// Formats a time of a link for display.
export function draftOf(text: string, zone: TimeZone): string {
  const ms = isRelative(text) ? null : parseTime(text, 0);
  return ms === null ? text : formatDateTime(ms, zone);
}

// Converts a typed time to the form of a link; null if it is not a time.
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

// The range for the link; unchanged times keep their precision. `error` is set if the input is invalid.
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
