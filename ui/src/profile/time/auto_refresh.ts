// SPDX-License-Identifier: Apache-2.0
//
// When a page refreshes automatically.

// Seconds and labels; 0 is never.
export const REFRESH_INTERVALS: readonly (readonly [number, string])[] = [
  [0, "Off"],
  [5, "5 s"],
  [10, "10 s"],
  [30, "30 s"],
  [60, "1 min"],
  [300, "5 min"],
];

// Parses the stored choice; anything unknown is off.
export const intervalOf = (text: string | null): number =>
  REFRESH_INTERVALS.find(([seconds]) => String(seconds) === text)?.[0] ?? 0;

export interface RefreshState {
  readonly intervalS: number;
  readonly isRelative: boolean; // the range ends now
  readonly isHidden: boolean; // the tab
  readonly isLoading: boolean;
  readonly heldBecause: string; // "" if not held
  readonly lastMs: number;
  readonly nowMs: number;
}

// Returns the milliseconds until the next refresh, or null if none is due. An overdue refresh is due immediately, but
// not while a response is pending.
export function nextRefresh(state: RefreshState): number | null {
  if (state.intervalS === 0 || !state.isRelative || state.isHidden || state.isLoading || state.heldBecause !== "")
    return null;
  return Math.max(0, state.lastMs + state.intervalS * 1000 - state.nowMs);
}
