// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { decodeFlame } from "../profile/flame/flame_decoder";
import { encodeFlame } from "../profile/flame/flame_encoder.testing";
import { layOut } from "../profile/flame/flame_layout";
import { timeTree } from "../profile/flame/time_tree";
import { cull, DrawList, nodeAt, OWN_COLOR, RUN, type Viewport } from "./flame_cull";

const wide = (children: number): string =>
  ["0 - 0", ...Array.from({ length: children }, (_, i) => `1 f${i} 1`)].join("\n");
const of = (lines: string) => layOut(decodeFlame(encodeFlame({ lines })));
const view = (more: Partial<Viewport>): Viewport => ({
  from: 0,
  to: 100,
  widthPx: 1000,
  firstRow: 0,
  lastRow: 9,
  boxPxMin: 1,
  ...more,
});

describe("cull", () => {
  it("returns each visible box once, within the screen", () => {
    const layout = of("0 - 0\n1 a 10\n2 b 50\n1 c 40");
    const list = new DrawList();
    cull(layout, new Uint8Array(4), 9, view({}), list);
    expect([...list.node.subarray(0, list.count)].sort()).toEqual([0, 1, 2, 3]);
    cull(layout, new Uint8Array(4), 9, view({ from: 60, to: 100 }), list);
    expect([...list.node.subarray(0, list.count)]).toEqual([0, 3]);
    expect([...list.left.subarray(0, list.count)]).toEqual([0, 0]);
    expect([...list.width.subarray(0, list.count)]).toEqual([1000, 1000]);
  });

  it("merges tiny boxes without changing the covered width", () => {
    const layout = of(wide(10_000));
    const list = new DrawList();
    cull(layout, new Uint8Array(10_001), 9, view({ to: 10_000, widthPx: 500 }), list);
    expect([...list.node.subarray(0, list.count)]).toEqual([0, RUN]);
    expect(list.width[1]).toBeCloseTo(500);
    expect(list.color[1]).toBe(9);
  });

  it("keeps every box that is large enough, regardless of its neighbours", () => {
    let state = 5;
    const random = (): number => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return state / 4294967296;
    };
    const lines = ["0 - 0", ...Array.from({ length: 3000 }, (_, i) => `1 f${i} ${Math.floor(Math.exp(random() * 8))}`)];
    const layout = of(lines.join("\n"));
    const list = new DrawList();
    const to = layout.width[0] ?? 1;
    cull(layout, new Uint8Array(3001), 9, view({ from: 0, to, widthPx: 900, firstRow: 1 }), list);
    const drawn = new Set([...list.node.subarray(0, list.count)].filter((node) => node !== RUN));
    for (let node = 1; node <= 3000; ++node) {
      if (((layout.width[node] ?? 0) * 900) / to >= 1) expect(drawn.has(node), `node ${node}`).toBe(true);
    }
    const covered = [...list.width.subarray(0, list.count)].reduce((sum, width) => sum + width, 0);
    expect(covered).toBeGreaterThan(870);
    expect(covered).toBeLessThanOrEqual(900.5);
  });

  it("keeps the name and colour of a single narrow box", () => {
    const list = new DrawList();
    // Two boxes of a hundredth of a pixel far apart, and three adjacent ones.
    const layout = of("0 - 0\n1 - 40000\n1 a 1\n1 - 40000\n1 b 1\n1 - 20000\n1 c 30\n1 d 30\n1 e 30");
    cull(layout, new Uint8Array([0, 0, 5, 0, 6, 0, 7, 7, 7]), 9, view({ to: 100_092, firstRow: 1 }), list);
    expect([...list.color.subarray(0, list.count)]).toEqual([0, 5, 0, 6, 0, 9]);
  });

  it("keeps a caller above each box of a timeline, however narrow", () => {
    const time = Array.from({ length: 40 }, (_, i) => 1000 * Math.floor(i / 2) + 3 * (i % 2));
    const layout = layOut(
      timeTree(
        {
          unit: "nanoseconds",
          functions: ["main", "a"],
          function_types: ["go", "go"],
          function_modules: ["", ""],
          stacks: [[0, 1], [0]],
          events: { time, value: time.map(() => 1), lane: time.map(() => 0), stack: time.map((_, i) => i % 2) },
        },
        0,
        0,
        20_000,
      ),
    );
    const list = new DrawList();
    cull(
      layout,
      new Uint8Array(layout.tree.count).fill(5),
      OWN_COLOR,
      view({ to: 20_000, widthPx: 300, firstRow: 1 }),
      list,
    );
    const covered = (row: number): Set<number> =>
      new Set(
        Array.from({ length: list.count }, (_, i) => i)
          .filter((i) => list.row[i] === row)
          .map((i) => Math.floor(list.left[i] ?? 0)),
      );
    expect(covered(2).size).toBe(20);
    for (const pixel of covered(2)) expect(covered(1).has(pixel), `pixel ${pixel}`).toBe(true);
    expect(new Set(list.color.subarray(0, list.count))).toEqual(new Set([5]));
    expect(nodeAt(layout, 1, 500)).toBe(-1); // nothing was sampled there
  });

  it("returns only visible rows, and grows its list on demand", () => {
    const layout = of(wide(9000));
    const list = new DrawList();
    cull(layout, new Uint8Array(9001), 0, view({ to: 9000, widthPx: 18_000, firstRow: 1 }), list);
    expect(list.count).toBe(9000);
    cull(layout, new Uint8Array(9001), 0, view({ lastRow: 0 }), list);
    expect(list.count).toBe(1);
  });

  it("returns boxes row by row, from left to right, with the colours of their nodes", () => {
    const list = new DrawList();
    cull(of("0 - 0\n1 a 50\n2 d 10\n1 b 25\n1 c 25"), new Uint8Array([2, 1, 3, 2, 1]), 9, view({}), list);
    const column = (of: ArrayLike<number>) => Array.from(of).slice(0, list.count);
    expect([column(list.row), column(list.node), column(list.color)]).toEqual([
      [0, 1, 1, 1, 2],
      [0, 1, 3, 4, 2],
      [2, 1, 2, 1, 3],
    ]);
  });

  it("finds the box below the pointer", () => {
    const layout = of("0 - 0\n1 a 10\n2 b 50\n1 c 40");
    expect(nodeAt(layout, 1, 30)).toBe(1);
    expect(nodeAt(layout, 2, 49)).toBe(2);
    expect(nodeAt(layout, 2, 55)).toBe(-1);
    expect(nodeAt(layout, 1, 60)).toBe(3);
    expect(nodeAt(layout, 7, 0)).toBe(-1);
  });
});
