// SPDX-License-Identifier: Apache-2.0
//
// Which boxes of a flame graph are on the screen. Nodes too small to be seen are put together into runs, so that a
// frame costs by what is visible and not by how large the tree is. Boxes come out row by row.
import type { FlameLayout } from "../profile/flame_layout";

export interface Viewport {
  readonly from: number; // left and right edge, in units of the value
  readonly to: number;
  readonly widthPx: number;
  readonly firstRow: number;
  readonly lastRow: number; // included
  readonly boxPxMin: number; // what is smaller becomes part of a run
}

export const RUN = -1;
export const OWN_COLOR = -1; // runs look like their first box, and are never too small to be drawn

// Box i is entry i of each column; reused from frame to frame.
export class DrawList {
  count = 0;
  node = new Int32Array(4096); // RUN for several that are too small
  left = new Float32Array(4096);
  width = new Float32Array(4096);
  row = new Uint16Array(4096);
  color = new Uint8Array(4096);

  add(node: number, row: number, left: number, width: number, color: number): void {
    if (this.count === this.node.length) this.grow();
    const at = this.count++;
    this.node[at] = node;
    this.row[at] = row;
    this.left[at] = left;
    this.width[at] = width;
    this.color[at] = color;
  }

  private grow(): void {
    const size = this.node.length * 2;
    const larger = <T extends { set(from: T): void }>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.node = larger(this.node, new Int32Array(size));
    this.left = larger(this.left, new Float32Array(size));
    this.width = larger(this.width, new Float32Array(size));
    this.row = larger(this.row, new Uint16Array(size));
    this.color = larger(this.color, new Uint8Array(size));
  }
}

// Position of the first node in [low, high) that ends behind `x`.
function firstEndingBehind(rowEnd: Float64Array, low: number, high: number, x: number): number {
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rowEnd[middle] ?? 0) <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The same, for what is likely near: steps that double, and then the search between the last two.
function nextEndingBehind(rowEnd: Float64Array, from: number, end: number, x: number): number {
  let step = 1;
  let low = from;
  while (low < end && (rowEnd[low] ?? 0) <= x) {
    const high = Math.min(end, low + step);
    if (high === end || (rowEnd[high] ?? 0) > x) return firstEndingBehind(rowEnd, low + 1, high, x);
    low = high;
    step *= 2;
  }
  return low;
}

// The node at a place, or -1.
export function nodeAt(layout: FlameLayout, row: number, x: number): number {
  if (row < 0 || row >= layout.rowCount) return -1;
  const end = layout.rowStart[row + 1] ?? 0;
  const at = firstEndingBehind(layout.rowEnd, layout.rowStart[row] ?? 0, end, x);
  return at < end && (layout.rowX[at] ?? Infinity) <= x ? (layout.rowNodes[at] ?? -1) : -1;
}

export function cull(layout: FlameLayout, colors: Uint8Array, runColor: number, view: Viewport, out: DrawList): void {
  out.count = 0;
  const scale = view.widthPx / (view.to - view.from);
  const lastRow = Math.min(view.lastRow, layout.rowCount - 1);
  for (let row = Math.max(0, view.firstRow); row <= lastRow; ++row)
    cullRow(layout, colors, runColor, view, scale, row, out);
}

function cullRow(
  layout: FlameLayout,
  colors: Uint8Array,
  runColor: number,
  view: Viewport,
  scale: number,
  row: number,
  out: DrawList,
): void {
  const { rowX, rowEnd, rowNodes } = layout;
  const { from, to, widthPx, boxPxMin } = view;
  const end = layout.rowStart[row + 1] ?? 0;
  const small = boxPxMin / scale;
  let runLeft = 0;
  let runRight = -1;
  let runFirst = 0;
  let runCount = 0;
  // One that is alone keeps its name and colour: in the order of time most are narrow and apart.
  const endRun = (): void => {
    if (runRight < 0) return;
    const node = rowNodes[runFirst] ?? 0;
    if (runCount === 1) out.add(node, row, runLeft, runRight - runLeft, colors[node] ?? 0);
    else if (runColor === OWN_COLOR) out.add(RUN, row, runLeft, runRight - runLeft, colors[node] ?? 0);
    else if (runRight - runLeft >= 0.5) out.add(RUN, row, runLeft, runRight - runLeft, runColor);
    runRight = -1;
    runCount = 0;
  };
  let at = firstEndingBehind(rowEnd, layout.rowStart[row] ?? 0, end, from);
  while (at < end) {
    const start = rowX[at] ?? 0;
    if (start >= to) break;
    const left = Math.max(0, (start - from) * scale);
    const right = Math.min(widthPx, ((rowEnd[at] ?? 0) - from) * scale);
    if (right - left < boxPxMin) {
      if (runRight >= 0 && left - runRight > boxPxMin) endRun();
      if (runRight < 0) {
        runLeft = left;
        runFirst = at;
      }
      // All that ends within the next such width is smaller than it, and belongs to the run without being looked at.
      const next = nextEndingBehind(rowEnd, at + 1, end, start + small);
      runRight = Math.min(widthPx, ((rowEnd[next - 1] ?? 0) - from) * scale);
      runCount += next - at;
      at = next;
      continue;
    }
    endRun();
    const node = rowNodes[at] ?? 0;
    out.add(node, row, left, right - left, colors[node] ?? 0);
    ++at;
  }
  endRun();
}
