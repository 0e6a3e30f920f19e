// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { childrenOf, layOut, nodeName } from "./flame_layout";
import { type TimeSamples, timeTree } from "./time_tree";

// Lines "time lane stack", each with value 10.
function of(lines: readonly string[]): TimeSamples {
  const functions: string[] = [];
  const stacks: number[][] = [];
  const events = { time: [] as number[], value: [] as number[], lane: [] as number[], stack: [] as number[] };
  for (const line of lines) {
    const [time, lane, stack] = line.split(" ");
    stacks.push(
      (stack ?? "")
        .split(";")
        .map((name) => (functions.includes(name) ? functions.indexOf(name) : functions.push(name) - 1)),
    );
    events.time.push(Number(time));
    events.value.push(10);
    events.lane.push(Number(lane));
    events.stack.push(stacks.length - 1);
  }
  return {
    unit: "nanoseconds",
    functions,
    function_types: functions.map(() => "native"),
    function_modules: functions.map(() => "shop"),
    stacks,
    events,
  };
}

function text(samples: TimeSamples, lane = 0): string[] {
  const layout = layOut(timeTree(samples, lane, 0, 100));
  return [...layout.width].map(
    (width, i) => `${layout.tree.depth[i]} ${nodeName(layout, i) || "-"} ${layout.x[i]}+${width}`,
  );
}

describe("timeline", () => {
  it("draws one box while a function stays on the stack", () => {
    expect(text(of(["0 0 main;a", "10 0 main;a", "20 0 main;b"]))).toEqual([
      "0 - 0+100",
      "1 main 0+30",
      "2 a 0+20",
      "2 b 20+10",
    ]);
  });
  it("leaves time without samples empty", () => {
    expect(text(of(["20 0 main", "60 0 main;a"]))).toEqual([
      "0 - 0+100",
      "1 - 0+20",
      "1 main 20+10",
      "1 - 30+30",
      "1 main 60+10",
      "2 a 60+10",
    ]);
  });
  it("draws no box for time without samples, at any width", () => {
    const layout = layOut(timeTree(of(["20 0 main", "60 0 main;a"]), 0, 0, 100));
    const rowOf = (row: number): string[] =>
      [...layout.rowNodes.subarray(layout.rowStart[row], layout.rowStart[row + 1])].map((node) =>
        nodeName(layout, node),
      );
    expect([rowOf(1), rowOf(2)]).toEqual([["main", "main"], ["a"]]);
    expect(childrenOf(layout, 0).map((node) => nodeName(layout, node))).toEqual(["main", "main"]);
  });
  it("keeps type and module of frames, for the same colours as in a flame graph", () => {
    const { frames } = timeTree(of(["0 0 main;a"]), 0, 0, 100);
    expect([frames.name, frames.type, frames.module]).toEqual([
      ["", "main", "a"],
      ["", "native", "native"],
      ["", "shop", "shop"],
    ]);
  });
  it("closes small gaps of the profiler's clock, and never overlaps", () => {
    expect(text(of(["0 0 main", "12 0 main", "17 0 main"]))).toEqual(["0 - 0+100", "1 main 0+27"]);
  });
  it("contains only one lane", () => {
    expect(text(of(["0 0 a", "10 1 b"]), 1)).toEqual(["0 - 0+100", "1 - 0+10", "1 b 10+10"]);
  });
  it("covers exactly the range", () => {
    const samples = of(Array.from({ length: 50 }, (_, i) => `${i * 2} ${i % 3} f${i % 5};g${i % 2};h`));
    for (const lane of [0, 1, 2]) {
      const layout = layOut(timeTree(samples, lane, 0, 120));
      expect(layout.width[0]).toBe(120);
      expect([...(layout.tree.self[0] ?? [])].every((value) => value >= 0)).toBe(true);
    }
  });
});
