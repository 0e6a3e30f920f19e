// SPDX-License-Identifier: Apache-2.0
//
// The relative change of a line: the second half of the observed time against the first. If data starts or ends within
// the range, the rest is not observed; including it would show a rise of everything.

const STEPS_MIN = 8;

export interface StepRange {
  readonly first: number;
  readonly end: number; // excluded
}

// The steps between the first and the last with data in any line. Those two are excluded, because they are partial.
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

// Relative to the first half; null if there are too few steps.
export function change(values: readonly number[], observed: StepRange): number | null {
  const count = observed.end - observed.first;
  if (count < STEPS_MIN) return null;
  const half = Math.floor(count / 2);
  const mean = (from: number): number => values.slice(from, from + half).reduce((all, value) => all + value, 0) / half;
  const before = mean(observed.first);
  return before <= 0 ? null : mean(observed.end - half) / before - 1;
}
