// SPDX-License-Identifier: Apache-2.0
//
// How much a line rose: the second half of the time that was observed against the first. Where data begins or ends
// within the range, the rest was not observed, and comparing with it would show a rise of everything.

const STEPS_MIN = 8;

export interface StepRange {
  readonly first: number;
  readonly end: number; // excluded
}

// The steps between the first and the last with data in any line, without those two, which are observed in part.
export function observedSteps(lines: readonly { readonly values: readonly number[] }[]): StepRange {
  let first = Number.POSITIVE_INFINITY;
  let last = -1;
  for (const { values } of lines) {
    const begin = values.findIndex((value) => value !== 0);
    if (begin < 0) continue;
    first = Math.min(first, begin);
    let end = values.length;
    while (values[end - 1] === 0) end--;
    last = Math.max(last, end - 1);
  }
  return last < 0 ? { first: 0, end: 0 } : { first: first + 1, end: Math.max(first + 1, last) };
}

// As a part of the first half; null if too little was observed.
export function change(values: readonly number[], observed: StepRange): number | null {
  const count = observed.end - observed.first;
  if (count < STEPS_MIN) return null;
  const half = Math.floor(count / 2);
  const mean = (from: number): number => values.slice(from, from + half).reduce((all, value) => all + value, 0) / half;
  const before = mean(observed.first);
  return before <= 0 ? null : mean(observed.end - half) / before - 1;
}
