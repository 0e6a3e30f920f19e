// SPDX-License-Identifier: Apache-2.0
//
// When a page asks for new data by itself.

// Seconds and names; 0 is never.
export const REFRESH_INTERVALS: readonly (readonly [number, string])[] = [
  [0, "Off"],
  [5, "5 s"],
  [10, "10 s"],
  [30, "30 s"],
  [60, "1 min"],
  [300, "5 min"],
];

// What somebody chose once; anything else is off.
export const intervalOf = (text: string | null): number =>
  REFRESH_INTERVALS.find(([seconds]) => String(seconds) === text)?.[0] ?? 0;

export interface RefreshState {
  readonly intervalS: number;
  readonly isRelative: boolean; // the range ends now
  readonly isHidden: boolean; // the tab
  readonly isLoading: boolean;
  readonly heldBecause: string; // "" where nothing is
  readonly lastMs: number;
  readonly nowMs: number;
}

// Milliseconds until then; null while there is nothing to wait for. A time that has passed meanwhile is made up at
// once, and an answer that takes longer than the interval is waited for.
export function nextRefresh(state: RefreshState): number | null {
  if (state.intervalS === 0 || !state.isRelative || state.isHidden || state.isLoading || state.heldBecause !== "")
    return null;
  return Math.max(0, state.lastMs + state.intervalS * 1000 - state.nowMs);
}
