// SPDX-License-Identifier: Apache-2.0
//
// Which boxes of a flame graph are on the screen. Nodes too small to be seen are put together into runs, so that a frame
// costs by what is visible and not by how large the tree is. Boxes come out grouped by colour.
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

// Box i is entry i of each column; reused from frame to frame.
export class DrawList {
  count = 0;
  node = new Int32Array(4096); // RUN for several that are too small
  left = new Float32Array(4096);
  width = new Float32Array(4096);
  row = new Uint16Array(4096);
  color = new Uint8Array(4096);
  order = new Uint32Array(4096); // boxes of colour c: order[colorStart[c] .. colorStart[c + 1])
  readonly colorStart = new Uint32Array(257);

  add(node: number, row: number, left: number, width: number, color: number): void {
    if (this.count === this.node.length) this.grow();
    const at = this.count++;
    this.node[at] = node;
    this.row[at] = row;
    this.left[at] = left;
    this.width[at] = width;
    this.color[at] = color;
  }

  groupByColor(): void {
    const start = this.colorStart.fill(0);
    for (let i = 0; i < this.count; ++i) {
      const next = (this.color[i] ?? 0) + 1;
      start[next] = (start[next] ?? 0) + 1;
    }
    for (let c = 0; c < 256; ++c) start[c + 1] = (start[c + 1] ?? 0) + (start[c] ?? 0);
    const fill = start.slice();
    for (let i = 0; i < this.count; ++i) {
      const color = this.color[i] ?? 0;
      const at = fill[color] ?? 0;
      this.order[at] = i;
      fill[color] = at + 1;
    }
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
    this.order = larger(this.order, new Uint32Array(size));
  }
}

// Position within the row of the first node that ends behind `x`.
function firstEndingBehind(layout: FlameLayout, row: number, x: number): number {
  let low = layout.rowStart[row] ?? 0;
  let high = layout.rowStart[row + 1] ?? 0;
  while (low < high) {
    const middle = (low + high) >> 1;
    const node = layout.rowNodes[middle] ?? 0;
    if ((layout.x[node] ?? 0) + (layout.width[node] ?? 0) <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The node at a place, or -1.
export function nodeAt(layout: FlameLayout, row: number, x: number): number {
  if (row < 0 || row >= layout.rowCount) return -1;
  const at = firstEndingBehind(layout, row, x);
  if (at >= (layout.rowStart[row + 1] ?? 0)) return -1;
  const node = layout.rowNodes[at] ?? -1;
  return (layout.x[node] ?? Infinity) <= x ? node : -1;
}

export function cull(layout: FlameLayout, colors: Uint8Array, runColor: number, view: Viewport, out: DrawList): void {
  out.count = 0;
  const scale = view.widthPx / (view.to - view.from);
  const lastRow = Math.min(view.lastRow, layout.rowCount - 1);
  for (let row = Math.max(0, view.firstRow); row <= lastRow; ++row) cullRow(layout, colors, runColor, view, scale, row, out);
  out.groupByColor();
}

function cullRow(
  layout: FlameLayout, colors: Uint8Array, runColor: number, view: Viewport, scale: number, row: number, out: DrawList,
): void {
  const { x, width, rowNodes } = layout;
  const end = layout.rowStart[row + 1] ?? 0;
  let runLeft = 0;
  let runRight = -1;
  for (let at = firstEndingBehind(layout, row, view.from); at < end; ++at) {
    const node = rowNodes[at] ?? 0;
    const start = x[node] ?? 0;
    if (start >= view.to) break;
    const left = Math.max(0, (start - view.from) * scale);
    const right = Math.min(view.widthPx, (start + (width[node] ?? 0) - view.from) * scale);
    if (right - left < view.boxPxMin) {
      if (runRight < 0) runLeft = left;
      else if (left - runRight > view.boxPxMin) {
        if (runRight - runLeft >= 0.5) out.add(RUN, row, runLeft, runRight - runLeft, runColor);
        runLeft = left;
      }
      runRight = right;
      continue;
    }
    if (runRight >= 0) {
      if (runRight - runLeft >= 0.5) out.add(RUN, row, runLeft, runRight - runLeft, runColor);
      runRight = -1;
    }
    out.add(node, row, left, right - left, colors[node] ?? 0);
  }
  if (runRight - runLeft >= 0.5) out.add(RUN, row, runLeft, runRight - runLeft, runColor);
}
