// SPDX-License-Identifier: Apache-2.0
//
// The visible part of a trace, in nanoseconds from its start. In the URL it is "FROM-TO", or absent for the whole trace.

export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

const SHARE_MIN = 1e-5; // of the whole: shorter windows are below the clock resolution

const lengthMin = (whole: number): number => Math.max(1, whole * SHARE_MIN);

export const isWhole = (part: TimeWindow, whole: number): boolean => part.from <= 0 && part.to >= whole;

// Clamps to the whole, in order, and not too short.
export function clampWindow(from: number, to: number, whole: number): TimeWindow {
  const least = Math.min(whole, lengthMin(whole));
  const start = Math.min(Math.max(0, Math.min(from, to)), whole - least);
  return { from: start, to: Math.max(Math.min(whole, Math.max(from, to)), start + least) };
}

// Zooms by a factor around the middle.
export function scaleWindow(part: TimeWindow, factor: number, whole: number): TimeWindow {
  const length = Math.min(whole, Math.max(lengthMin(whole), (part.to - part.from) * factor));
  return moveWindow({ from: 0, to: length }, (part.from + part.to - length) / 2, whole);
}

// Moves the window and keeps its length.
export function moveWindow(part: TimeWindow, by: number, whole: number): TimeWindow {
  const length = part.to - part.from;
  const from = Math.min(Math.max(0, part.from + by), whole - length);
  return { from, to: from + length };
}

// Moves one edge, at most up to the other.
export function moveEdge(part: TimeWindow, edge: "from" | "to", at: number, whole: number): TimeWindow {
  const least = lengthMin(whole);
  if (edge === "from") return { from: Math.min(Math.max(0, at), part.to - least), to: part.to };
  return { from: part.from, to: Math.max(Math.min(whole, at), part.from + least) };
}

// A span with a margin on both sides.
export function windowAround(start: number, duration: number, whole: number): TimeWindow {
  const room = Math.max(duration * 0.1, lengthMin(whole));
  return clampWindow(Math.max(0, start - room), Math.min(whole, start + duration + room), whole);
}

export function parseWindow(text: string, whole: number): TimeWindow {
  const match = /^(\d+)-(\d+)$/.exec(text);
  const from = Number(match?.[1]);
  const to = Number(match?.[2]);
  return match === null || from >= to || from >= whole
    ? { from: 0, to: whole }
    : clampWindow(from, Math.min(to, whole), whole);
}

export const formatWindow = (part: TimeWindow, whole: number): string =>
  isWhole(part, whole) ? "" : `${Math.round(part.from)}-${Math.round(part.to)}`;

export interface Placed {
  readonly left: number; // fractions of the window, 0 to 1
  readonly width: number;
  readonly isBefore: boolean; // entirely left of the window
  readonly isAfter: boolean;
}

// The position of an interval in the window, clipped at its edges.
export function placeIn(part: TimeWindow, start: number, duration: number): Placed {
  const length = Math.max(1, part.to - part.from);
  const from = Math.min(Math.max(start, part.from), part.to);
  const to = Math.max(Math.min(start + duration, part.to), part.from);
  return {
    left: (from - part.from) / length,
    width: Math.max(0, to - from) / length,
    isBefore: start + duration < part.from,
    isAfter: start > part.to,
  };
}

const UNITS: readonly (readonly [number, string])[] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];

// Labels of evenly spaced ticks, in one unit and with enough digits to distinguish them.
export function windowTicks(part: TimeWindow, count: number): string[] {
  const step = (part.to - part.from) / (count - 1);
  const [size, unit] = UNITS.find(([least]) => part.to >= least) ?? [1, "ns"];
  const decimals = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step / size)) + 1));
  return Array.from(
    { length: count },
    (_, i) => `${String(Number(((part.from + i * step) / size).toFixed(decimals)))} ${unit}`,
  );
}
