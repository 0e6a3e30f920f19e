// SPDX-License-Identifier: Apache-2.0
//
// Gaps in a line chart. Points with a few empty steps between them are connected, because senders report less often
// than a chart has steps, and one report may be late. Longer gaps remain.

export type Joined = number | null | undefined; // null breaks a line, undefined is skipped

// Points up to this many intervals apart are connected, as in query/metric_interval.h.
const INTERVALS_JOINED = 3;

// Maximum distance of connected points, in steps.
export function stepsJoined(stepNanos: number, intervalNanos: number): number {
  return Math.max(1, Math.round((INTERVALS_JOINED * Math.max(stepNanos, intervalNanos)) / stepNanos));
}

export function joinGaps(values: readonly (number | null)[], stepsMax: number): Joined[] {
  const joined: Joined[] = [...values];
  let last = -1;
  values.forEach((value, i) => {
    if (value === null) return;
    if (last >= 0 && i - last <= stepsMax) joined.fill(undefined, last + 1, i);
    last = i;
  });
  return joined;
}

// Runs of connected points, as [position of the first, number of points].
function runsOf(values: readonly Joined[]): [number, number][] {
  const runs: [number, number][] = [];
  let isOpen = false;
  values.forEach((value, i) => {
    const last = runs.at(-1);
    if (value === null) isOpen = false;
    else if (value !== undefined && isOpen && last !== undefined) ++last[1];
    else if (value !== undefined) isOpen = runs.push([i, 1]) > 0;
  });
  return runs;
}

// Points without a line, which are drawn as dots to be visible.
export function lonePoints(values: readonly Joined[]): number[] {
  return runsOf(values)
    .filter(([, points]) => points === 1)
    .map(([first]) => first);
}

// Number of lines drawn: runs of at least two points.
export function piecesOf(values: readonly Joined[]): number {
  return runsOf(values).filter(([, points]) => points > 1).length;
}
