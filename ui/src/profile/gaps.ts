// SPDX-License-Identifier: Apache-2.0
//
// Where a line over steps of time is broken. A few empty steps between two points are joined, because senders report
// less often than a chart has steps, and one report may be late; a longer silence stays a gap.

export type Joined = number | null | undefined; // null breaks a line, undefined is passed over

// Points this many intervals apart still belong together, as in query/metric_interval.h.
const INTERVALS_JOINED = 3;

// How many steps two joined points may be apart.
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

// Runs of points without a break between them, as [position of the first, number of points].
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

// Points that no line goes to: they are drawn as dots, or they could not be seen.
export function lonePoints(values: readonly Joined[]): number[] {
  return runsOf(values)
    .filter(([, points]) => points === 1)
    .map(([first]) => first);
}

// How many lines are drawn: runs of two points at least.
export function piecesOf(values: readonly Joined[]): number {
  return runsOf(values).filter(([, points]) => points > 1).length;
}
