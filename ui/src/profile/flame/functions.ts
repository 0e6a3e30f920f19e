// SPDX-License-Identifier: Apache-2.0
//
// Costs, callers and callees of functions, computed from a flame graph without a server. A recursive function counts
// once per stack, at its outermost frame.
import type { FlameLayout } from "./flame_layout";

export interface FunctionCost {
  readonly frame: number;
  readonly self: number;
  readonly total: number;
}

export interface Neighbour {
  readonly frame: number;
  readonly value: number;
}

export interface Neighbours {
  readonly callers: readonly Neighbour[];
  readonly callees: readonly Neighbour[];
}

const isFunction = (layout: FlameLayout, node: number): boolean =>
  !layout.tree.folded.has(node) && layout.tree.frames.name[layout.tree.frame[node] ?? 0] !== "";

// Largest self value first.
export function costOfFunctions(layout: FlameLayout): FunctionCost[] {
  const { tree } = layout;
  const count = tree.frames.name.length;
  const self = new Float64Array(count);
  const total = new Float64Array(count);
  const until = new Uint32Array(count); // end of the last outermost subtree of the function
  const isSeen = new Uint8Array(count);
  for (let node = 0; node < tree.count; ++node) {
    if (!isFunction(layout, node)) continue;
    const frame = tree.frame[node] ?? 0;
    isSeen[frame] = 1;
    self[frame] = (self[frame] ?? 0) + (tree.self[0]?.[node] ?? 0);
    if (node < (until[frame] ?? 0)) continue;
    until[frame] = layout.end[node] ?? 0;
    total[frame] = (total[frame] ?? 0) + (layout.total[0]?.[node] ?? 0);
  }
  const rows: FunctionCost[] = [];
  for (let frame = 0; frame < count; ++frame) {
    if (isSeen[frame] === 1) rows.push({ frame, self: self[frame] ?? 0, total: total[frame] ?? 0 });
  }
  return rows.sort((a, b) => b.self - a.self || b.total - a.total);
}

export function neighboursOf(layout: FlameLayout, frame: number): Neighbours {
  const { tree } = layout;
  const callers = new Map<number, number>();
  const callees = new Map<number, { value: number; until: number }>();
  let until = 0;
  for (let node = 0; node < tree.count; ++node) {
    const parent = layout.parent[node] ?? -1;
    const value = layout.total[0]?.[node] ?? 0;
    const own = tree.frame[node] ?? 0;
    if (own === frame && node >= until) {
      until = layout.end[node] ?? 0;
      if (parent >= 0 && isFunction(layout, parent)) add(callers, tree.frame[parent] ?? 0, value);
    }
    if (parent >= 0 && tree.frame[parent] === frame && isFunction(layout, node)) {
      const known = callees.get(own) ?? { value: 0, until: 0 };
      if (node >= known.until) callees.set(own, { value: known.value + value, until: layout.end[node] ?? 0 });
    }
  }
  return {
    callers: sorted([...callers]),
    callees: sorted([...callees].map(([callee, known]) => [callee, known.value])),
  };
}

const add = (sums: Map<number, number>, key: number, value: number): void =>
  void sums.set(key, (sums.get(key) ?? 0) + value);

const sorted = (pairs: readonly (readonly [number, number])[]): Neighbour[] =>
  pairs.map(([frame, value]) => ({ frame, value })).sort((a, b) => b.value - a.value);
