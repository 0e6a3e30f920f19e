// SPDX-License-Identifier: Apache-2.0
//
// How long a frame of a large flame graph takes: 200,000 nodes of 12,000 names, 70 levels deep, on 1600 by 900 pixels.
// `npm run bench` opens this in a browser without a GPU and prints what it leaves in window.result.
import "../src/style/tokens.css";
import "../src/style/pages.css";
import "../src/style/signals.css";
import { FlameCanvas } from "../src/draw/flame_canvas";
import type { FlameTree } from "../src/profile/flame_decoder";
import { childrenOf, layOut } from "../src/profile/flame_layout";
import { nodeColors, PALETTES } from "../src/profile/palette";
import { parseQuery, searchFlame } from "../src/profile/search";

const NODES = 200_000;
const NAMES = 12_000;
const DEPTH_MAX = 70;
const FRAMES = 60;

let seed = 1;
const random = (): number => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 4294967296;

function makeTree(): FlameTree {
  const depth = new Uint16Array(NODES);
  const frame = new Uint32Array(NODES);
  const self = new Float64Array(NODES);
  let next = 0;
  // A node with so many below it: mostly one child, as code calls, and now and then a fork of unequal parts.
  const grow = (below: number, level: number): void => {
    const node = next++;
    depth[node] = level;
    frame[node] = node === 0 ? 0 : 1 + Math.floor(random() ** 2 * (NAMES - 1));
    self[node] = Math.floor(Math.exp((random() + random() + random() - 1.5) * 4 + 6));
    let left = below;
    while (left > 0) {
      const isFork = level < 3 || random() < 0.35;
      const part = level + 1 >= DEPTH_MAX ? 1 : isFork ? Math.max(1, Math.floor(left * random() * 0.6)) : left;
      grow(part - 1, level + 1);
      left -= part;
    }
  };
  grow(NODES - 1, 0);
  const types = ["native", "kernel", "go", "jvm", "v8js"];
  const names = Array.from({ length: NAMES }, (_, i) => (i === 0 ? "" : `company::project${i % 97}::module_with_long_name::Type${i % 311}<int>::method_${i}(int, char const*)`));
  const column = (of: (i: number) => string): string[] => names.map((_, i) => of(i));
  return {
    type: "cpu", unit: "nanoseconds", path: [], count: NODES, depth, frame, self: [self], folded: new Map(), probability: null,
    frames: { name: names, file: column(() => "file.cc"), module: column((i) => `lib${i % 40}.so`), type: column((i) => types[i % 5] ?? ""), line: new Int32Array(NAMES), flags: new Uint8Array(NAMES) },
  };
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const p95 = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0;

const host = document.getElementById("host") as HTMLElement;
host.style.cssText = "position:relative;width:1600px;height:900px";
const tree = makeTree();
const begin = performance.now();
const layout = layOut(tree);
const layoutMs = performance.now() - begin;
const canvas = new FlameCanvas(host, { onHover() {}, onSelect() {}, onZoom() {}, onMenu() {} });
const colors = nodeColors(layout, "type");
const scene = { layout, colors, matching: null as Uint8Array | null, palette: PALETTES.light, isRootBelow: false, label: "", describe: () => "" };
const measure = (): { boxes: number; best: number; median: number; p95: number } => {
  const { boxes } = canvas.measureFrame();
  const times = Array.from({ length: FRAMES }, () => canvas.measureFrame().ms);
  return { boxes, best: Number(Math.min(...times).toFixed(1)), median: Number(median(times).toFixed(1)), p95: Number(p95(times).toFixed(1)) };
};
canvas.setScene(scene, 0, 0);
requestAnimationFrame(() => {
  const whole = measure();
  const widest = childrenOf(layout, 0).reduce((best, node) => ((layout.width[node] ?? 0) > (layout.width[best] ?? 0) ? node : best), 1);
  const deep = childrenOf(layout, widest).reduce((best, node) => ((layout.width[node] ?? 0) > (layout.width[best] ?? 0) ? node : best), widest);
  canvas.setScene({ ...scene }, deep, 0);
  canvas.setScene({ ...scene, label: "zoomed" }, deep, 0);
  const start = performance.now();
  const { query } = parseQuery("/method_1.*int/");
  const found = query === null ? null : searchFlame(layout, query);
  const searchMs = performance.now() - start;
  const zoomed = measure();
  Object.assign(window, { canvas, result: { nodes: NODES, layoutMs: Number(layoutMs.toFixed(1)), searchMs: Number(searchMs.toFixed(1)), found: found?.nodes.length ?? 0, whole, zoomed } });
});
