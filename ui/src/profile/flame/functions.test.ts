// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { decodeFlame } from "./flame_decoder";
import { encodeFlame } from "./flame_encoder.testing";
import { type FlameLayout, layOut } from "./flame_layout";
import { costOfFunctions, type Neighbour, neighboursOf } from "./functions";

const LAYOUT = layOut(
  decodeFlame(
    encodeFlame({
      lines: `
        0 - 0
        1 main 1
        2 walk 2
        3 walk 3
        4 leaf 4
        3 leaf 5
        2 leaf 6
        2 many*3 7
      `,
    }),
  ),
);

const name = (layout: FlameLayout, frame: number): string => layout.tree.frames.name[frame] ?? "";
const text = (rows: readonly Neighbour[]): string[] =>
  rows.map(({ frame, value }) => `${name(LAYOUT, frame)} ${value}`);
const frameOf = (wanted: string): number => LAYOUT.tree.frames.name.indexOf(wanted);

describe("functions of a flame graph", () => {
  it("count recursion once, and skip folded nodes", () => {
    expect(costOfFunctions(LAYOUT).map(({ frame, self, total }) => `${name(LAYOUT, frame)} ${self} ${total}`)).toEqual([
      "leaf 15 15",
      "walk 5 14",
      "main 1 28",
    ]);
  });

  it("have callers and callees", () => {
    expect(text(neighboursOf(LAYOUT, frameOf("walk")).callers)).toEqual(["main 14"]);
    expect(text(neighboursOf(LAYOUT, frameOf("walk")).callees)).toEqual(["leaf 9", "walk 7"]);
    expect(text(neighboursOf(LAYOUT, frameOf("leaf")).callers)).toEqual(["walk 9", "main 6"]);
    expect(neighboursOf(LAYOUT, frameOf("main")).callers).toEqual([]);
  });
});
