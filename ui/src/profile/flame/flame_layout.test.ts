// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { decodeFlame } from "./flame_decoder";
import { encodeFlame } from "./flame_encoder.testing";
import {
  ancestorsOf,
  childrenOf,
  findByHash,
  findWidestByName,
  layOut,
  nodeHash,
  nodeName,
  pathNames,
  pathsIn,
  withoutEmptyRoot,
} from "./flame_layout";
import { EMPTY_PATH, hashPath, parsePathHash, pathHashText } from "./path_hash";

function randomTree(seed: number, count: number): string {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state / 4294967296;
  };
  const lines = ["0 - 0"];
  let depth = 0;
  for (let i = 1; i < count; ++i) {
    depth = Math.max(1, Math.min(depth + 1, Math.floor(random() * (depth + 3))));
    lines.push(`${depth} f${Math.floor(random() * 40)} ${Math.floor(random() * 1000)}`);
  }
  return lines.join("\n");
}

const of = (lines: string, path: string[] = []) => layOut(decodeFlame(encodeFlame({ lines, path })));

describe("flame graph layout", () => {
  it("places children inside their parent, side by side, and drops nothing", () => {
    for (let seed = 1; seed <= 20; ++seed) {
      const layout = of(randomTree(seed, 400));
      const self = layout.tree.self[0] ?? new Float64Array();
      expect(layout.total[0]?.[0]).toBe(self.reduce((sum, value) => sum + value, 0));
      for (let node = 0; node < layout.tree.count; ++node) {
        const left = layout.x[node] ?? 0;
        const right = left + (layout.width[node] ?? 0);
        let at = left;
        for (const child of childrenOf(layout, node)) {
          expect(layout.x[child]).toBe(at);
          expect(layout.parent[child]).toBe(node);
          at += layout.width[child] ?? 0;
        }
        expect(at).toBeLessThanOrEqual(right);
        expect(right - at).toBeCloseTo(self[node] ?? 0, 6);
      }
    }
  });

  it("lists each node once in its row, from left to right", () => {
    const layout = of(randomTree(7, 500));
    expect(new Set(layout.rowNodes).size).toBe(layout.tree.count);
    for (let row = 0; row < layout.rowCount; ++row) {
      const nodes = [...layout.rowNodes.subarray(layout.rowStart[row], layout.rowStart[row + 1])];
      expect(nodes.every((node) => layout.tree.depth[node] === row)).toBe(true);
      const starts = nodes.map((node) => layout.x[node] ?? 0);
      expect(starts).toEqual([...starts].sort((a, b) => a - b));
    }
  });

  it("keeps removed functions visible in a comparison, and scales the later side", () => {
    const tree = decodeFlame(encodeFlame({ lines: "0 - 0 0\n1 gone 10 0\n1 came 0 40" }));
    expect([...layOut(tree, "union", 2).width]).toEqual([45, 5, 40]);
    expect([...layOut(tree, "before", 2).width]).toEqual([10, 10, 0]);
    expect([...layOut(tree, "after", 2).width]).toEqual([80, 0, 80]);
  });

  it("finds a node by its path, or the widest one with its name", () => {
    const layout = of("0 - 0\n1 a 1\n2 b 2\n1 b 9\n2 c 1");
    expect(findByHash(layout, nodeHash(layout, 2))).toBe(2);
    expect(pathNames(layout, 4)).toEqual(["b", "c"]);
    expect(findByHash(layout, pathHashText(hashPath(["no"])))).toBe(-1);
    expect(findByHash(layout, "nonsense")).toBe(-1);
    expect(findWidestByName(layout, "b")).toBe(3);
    expect(ancestorsOf(layout, 4).map((node) => nodeName(layout, node))).toEqual(["", "b", "c"]);
  });

  it("tests whether it has a path", () => {
    const isIn = pathsIn(of("0 b 2\n1 c 9\n1 (other)*3 1", ["a"]));
    const paths = [["a", "b"], ["a", "b", "c"], ["a"], ["b", "c"]];
    expect(paths.map((names) => isIn(pathHashText(hashPath(names))))).toEqual([true, true, false, false]);
    expect(isIn("nonsense")).toBe(false);
  });

  it("removes an unnamed root above a single node", () => {
    const tree = withoutEmptyRoot(decodeFlame(encodeFlame({ lines: "0 - 0\n1 a 1\n2 b 2\n2 (other)*4 3" })));
    expect([tree.count, [...tree.depth], [...(tree.self[0] ?? [])], [...tree.folded]]).toEqual([
      3,
      [0, 1, 1],
      [1, 2, 3],
      [[2, 4]],
    ]);
    const two = decodeFlame(encodeFlame({ lines: "0 - 0\n1 a 1\n1 b 2" }));
    expect(withoutEmptyRoot(two)).toBe(two);
  });

  it("hashes the full path of a node in a subtree", () => {
    const whole = of("0 - 0\n1 a 1\n2 b 2\n3 c 9");
    const part = of("0 b 2\n1 c 9", ["a"]);
    expect(nodeHash(part, 1)).toBe(nodeHash(whole, 3));
    expect(findByHash(part, nodeHash(whole, 2))).toBe(0);
  });
});

describe("path hash", () => {
  it("equals the hash of the server", () => {
    expect(pathHashText(EMPTY_PATH)).toBe("y_Kc5IQiIyU");
    const slow = (names: string[]): bigint => {
      let hash = 0xcbf29ce484222325n;
      for (const byte of new TextEncoder().encode(names.map((name) => `${name}\0`).join(""))) {
        hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
      }
      return hash;
    };
    for (const names of [["main"], ["main", "größe", "operator()<T>"], ["", "x"]]) {
      const { high, low } = hashPath(names);
      expect((BigInt(high) << 32n) | BigInt(low)).toBe(slow(names));
    }
  });

  it("survives a round trip through text", () => {
    expect(parsePathHash(pathHashText({ high: 0xffffffff, low: 1 }))).toEqual({ high: 0xffffffff, low: 1 });
    expect(parsePathHash("y_Kc5IQiIyV")).toBeNull();
    expect(parsePathHash("short")).toBeNull();
  });
});
