// SPDX-License-Identifier: Apache-2.0
//
// Selects the visible boxes of a flame graph. Nodes too narrow to be seen are merged into runs, so that the cost of a
// frame depends on what is visible and not on the size of the tree. Boxes are ordered by row.
import type { FlameLayout } from "../profile/flame/flame_layout";

export interface Viewport {
  readonly from: number; // left and right edge, in units of the value
  readonly to: number;
  readonly widthPx: number;
  readonly firstRow: number;
  readonly lastRow: number; // included
  readonly boxPxMin: number; // narrower boxes become part of a run
}

export const RUN = -1;
export const OWN_COLOR = -1; // runs have the colour of their first box, and are drawn at any width

// Box i is entry i of each column; reused across frames.
export class DrawList {
  count = 0;
  node = new Int32Array(4096); // RUN for several narrow boxes
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

// Returns the position of the first node in [low, high) that ends after `x`.
function firstEndingAfter(rowEnd: Float64Array, low: number, high: number, x: number): number {
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rowEnd[middle] ?? 0) <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The same for a result that is probably near: galloping search.
function nextEndingAfter(rowEnd: Float64Array, from: number, end: number, x: number): number {
  let step = 1;
  let low = from;
  while (low < end && (rowEnd[low] ?? 0) <= x) {
    const high = Math.min(end, low + step);
    if (high === end || (rowEnd[high] ?? 0) > x) return firstEndingAfter(rowEnd, low + 1, high, x);
    low = high;
    step *= 2;
  }
  return low;
}

// Returns the node at a position, or -1.
export function nodeAt(layout: FlameLayout, row: number, x: number): number {
  if (row < 0 || row >= layout.rowCount) return -1;
  const end = layout.rowStart[row + 1] ?? 0;
  const at = firstEndingAfter(layout.rowEnd, layout.rowStart[row] ?? 0, end, x);
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
  // A run of one box keeps its name and colour: in a timeline most boxes are narrow and isolated.
  const endRun = (): void => {
    if (runRight < 0) return;
    const node = rowNodes[runFirst] ?? 0;
    if (runCount === 1) out.add(node, row, runLeft, runRight - runLeft, colors[node] ?? 0);
    else if (runColor === OWN_COLOR) out.add(RUN, row, runLeft, runRight - runLeft, colors[node] ?? 0);
    else if (runRight - runLeft >= 0.5) out.add(RUN, row, runLeft, runRight - runLeft, runColor);
    runRight = -1;
    runCount = 0;
  };
  let at = firstEndingAfter(rowEnd, layout.rowStart[row] ?? 0, end, from);
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
      // Boxes that end within the next `small` are narrower than that, so all of them belong to the run.
      const next = nextEndingAfter(rowEnd, at + 1, end, start + small);
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
