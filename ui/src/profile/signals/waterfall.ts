// SPDX-License-Identifier: Apache-2.0
//
// The rows of a trace: the depth of each span, and which spans are visible if some are collapsed. Spans are in tree
// order, parents before their children.

export function spanDepths(parent: readonly number[]): Uint16Array {
  const depth = new Uint16Array(parent.length);
  parent.forEach((above, i) => {
    if (above >= 0 && above < i) depth[i] = (depth[above] ?? 0) + 1;
  });
  return depth;
}

export function visibleSpans(parent: readonly number[], closed: ReadonlySet<number>): number[] {
  const hidden = new Uint8Array(parent.length);
  const rows: number[] = [];
  parent.forEach((above, i) => {
    if (above >= 0 && above < i && (hidden[above] === 1 || closed.has(above))) hidden[i] = 1;
    else rows.push(i);
  });
  return rows;
}

// The span itself if visible, otherwise the collapsed span that hides it.
export function shownInstead(parent: readonly number[], closed: ReadonlySet<number>, span: number): number {
  let shown = span;
  for (let above = parent[span] ?? -1; above >= 0; above = parent[above] ?? -1) {
    if (closed.has(above)) shown = above;
  }
  return shown;
}

// Without the collapsed spans that hide this one.
export function openTo(parent: readonly number[], closed: ReadonlySet<number>, span: number): ReadonlySet<number> {
  const open = new Set(closed);
  for (let above = parent[span] ?? -1; above >= 0; above = parent[above] ?? -1) open.delete(above);
  return open.size === closed.size ? closed : open;
}

// Spans with children.
export function parentSet(parent: readonly number[]): ReadonlySet<number> {
  return new Set(parent.filter((above) => above >= 0));
}

export interface SpanCost {
  readonly onCpu: number; // fractions of the duration
  readonly offCpu: number;
  readonly samples: number;
}

const IS_CPU = /^(cpu|process_cpu|samples)$/;
const IS_WAIT = /^(off_?cpu|offcpu|wait|block|lock)/;

// Splits the duration of a span by its samples. With several threads they can exceed the duration; both parts are then
// scaled down.
export function costOf(
  types: readonly { readonly type: string; readonly unit: string; readonly count: number; readonly sum: number }[],
  duration: number,
): SpanCost {
  let cpu = 0;
  let wait = 0;
  let samples = 0;
  for (const { type, unit, count, sum } of types) {
    samples += count;
    if (unit !== "nanoseconds") continue;
    if (IS_CPU.test(type)) cpu += sum;
    else if (IS_WAIT.test(type)) wait += sum;
  }
  const all = Math.max(duration, cpu + wait, 1);
  return { onCpu: cpu / all, offCpu: wait / all, samples };
}
