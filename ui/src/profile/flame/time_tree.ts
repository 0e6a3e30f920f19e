// SPDX-License-Identifier: Apache-2.0
//
// Samples of one lane (a thread) in time order, as a tree with the usual layout: the width of a node is the time during
// which its function was on the stack without interruption. Time without samples is a gap: it has a width but no box.
import { type FlameTree, FRAME_GAP } from "./flame_decoder";

export interface TimeSamples {
  readonly unit: string;
  readonly functions: readonly string[];
  readonly function_types: readonly string[]; // of frames
  readonly function_modules: readonly string[];
  readonly stacks: readonly (readonly number[])[]; // functions, root first
  readonly events: {
    readonly time: readonly number[];
    readonly value: readonly number[];
    readonly lane: readonly number[];
    readonly stack: readonly number[];
  };
}

interface Stretch {
  readonly start: number;
  end: number;
  readonly stack: readonly number[];
}

// A sample lasts as long as its value, or until the next one. Small gaps between samples are closed, because the clock
// of a profiler is not exact.
function stretchesOf(samples: TimeSamples, lane: number): Stretch[] {
  const { time, value, lane: lanes, stack } = samples.events;
  const out: Stretch[] = [];
  const isTime = samples.unit === "nanoseconds";
  time.forEach((start, i) => {
    if (lanes[i] !== lane) return;
    const length = isTime ? Math.max(1, value[i] ?? 1) : 1_000_000;
    const before = out.at(-1);
    if (before !== undefined && before.end > start - length) before.end = start;
    const entry = { start, end: start + length, stack: samples.stacks[stack[i] ?? 0] ?? [] };
    if (before !== undefined && before.start === before.end) out.pop();
    out.push(entry);
  });
  return out;
}

class Builder {
  readonly depth: number[] = [];
  readonly frame: number[] = [];
  readonly self: number[] = [];

  add(depth: number, frame: number, self: number): number {
    this.depth.push(depth);
    this.frame.push(frame);
    return this.self.push(self) - 1;
  }

  // Adds the children at `depth` of the stretches [first, last), which all start at or after `start`. Returns the time
  // they cover.
  children(stretches: readonly Stretch[], first: number, last: number, start: number, depth: number): number {
    let at = start;
    for (let i = first; i < last; ) {
      const stretch = stretches[i];
      const name = stretch?.stack[depth - 1];
      if (stretch === undefined || name === undefined) {
        ++i;
        continue;
      }
      let behind = i + 1;
      while (
        behind < last &&
        stretches[behind]?.stack[depth - 1] === name &&
        stretches[behind]?.start === stretches[behind - 1]?.end
      )
        ++behind;
      if (stretch.start > at) this.add(depth, 0, stretch.start - at);
      const end = stretches[behind - 1]?.end ?? stretch.end;
      const node = this.add(depth, name + 1, 0);
      this.self[node] = end - stretch.start - this.children(stretches, i, behind, stretch.start, depth + 1);
      at = end;
      i = behind;
    }
    return at - start;
  }
}

// Times are relative to the same start as those of the events; the root covers `from` to `to`.
export function timeTree(samples: TimeSamples, lane: number, from: number, to: number): FlameTree {
  const stretches = stretchesOf(samples, lane);
  const builder = new Builder();
  const root = builder.add(0, 0, 0);
  builder.self[root] = Math.max(0, to - from - builder.children(stretches, 0, stretches.length, from, 1));
  const names = ["", ...samples.functions];
  const empty = names.map(() => "");
  const flags = new Uint8Array(names.length);
  flags[0] = FRAME_GAP;
  return {
    type: "time",
    unit: "nanoseconds",
    path: [],
    count: builder.depth.length,
    depth: Uint16Array.from(builder.depth),
    frame: Uint32Array.from(builder.frame),
    self: [Float64Array.from(builder.self)],
    folded: new Map(),
    probability: null,
    frames: {
      name: names,
      file: empty,
      module: ["", ...samples.function_modules],
      type: ["", ...samples.function_types],
      line: new Int32Array(names.length),
      flags,
    },
  };
}
