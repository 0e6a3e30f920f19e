// SPDX-License-Identifier: Apache-2.0
//
// Rasterizes the boxes of a flame graph. All pixel lines of a row are equal, so one is filled and copied: the cost of a
// frame depends on the size of the picture, and hardly on the number of boxes. Without a GPU, a canvas takes about a
// microsecond per box (bench/results/ui_bench.txt), which exceeds the time of a frame at ten thousand boxes.
import type { Palette } from "../profile/color/palette";
import type { DrawList } from "./flame_cull";

export interface RasterRows {
  readonly top: (row: number) => number; // start of a row, in CSS pixels
  readonly heightPx: number; // of a box
  readonly ratio: number; // device pixels per CSS pixel
  readonly isCovering?: boolean; // fill each pixel that a box touches, so that narrow boxes align vertically
}

const TRANSPARENT = 0;
const GAP_FROM_PX = 3; // wider boxes have a gap on the right

// Red is first in memory, so it is the lowest byte: every machine with a browser is little-endian.
export function pixelColors(palette: Palette): Uint32Array {
  return Uint32Array.from(palette.fill, ([red, green, blue], i) =>
    palette.css[i] === "transparent" ? TRANSPARENT : ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0,
  );
}

export class BoxRaster {
  private pixels = new Uint32Array(0);
  private line = new Uint32Array(0);
  private image: ImageData | null = null;
  private widthPx = 0;
  private heightPx = 0;

  // In device pixels.
  resize(widthPx: number, heightPx: number): void {
    if (widthPx === this.widthPx && heightPx === this.heightPx) return;
    this.widthPx = widthPx;
    this.heightPx = heightPx;
    this.pixels = new Uint32Array(widthPx * heightPx);
    this.line = new Uint32Array(widthPx);
    this.image = null;
  }

  // The boxes of `list` are ordered by row, as cull() returns them.
  fill(list: DrawList, colors: Uint32Array, rows: RasterRows): Uint32Array {
    this.pixels.fill(TRANSPARENT);
    for (let at = 0; at < list.count; ) {
      const row = list.row[at] ?? 0;
      this.line.fill(TRANSPARENT);
      for (; at < list.count && list.row[at] === row; ++at) this.fillBox(list, at, colors, rows);
      const top = Math.round(rows.top(row) * rows.ratio);
      const bottom = Math.min(this.heightPx, top + Math.max(1, Math.round(rows.heightPx * rows.ratio)));
      for (let y = Math.max(0, top); y < bottom; ++y) this.pixels.set(this.line, y * this.widthPx);
    }
    return this.pixels;
  }

  private fillBox(list: DrawList, at: number, colors: Uint32Array, { ratio, isCovering = false }: RasterRows): void {
    const left = (list.left[at] ?? 0) * ratio;
    const width = list.width[at] ?? 0;
    const right = left + width * ratio;
    const begin = isCovering ? Math.floor(left) : Math.round(left);
    const end = Math.max(
      begin + 1,
      (isCovering ? Math.ceil(right) : Math.round(right)) - (width > GAP_FROM_PX ? Math.round(ratio) : 0),
    );
    const color = colors[list.color[at] ?? 0] ?? TRANSPARENT;
    if (end - begin > 16) this.line.fill(color, begin, end);
    else for (let x = begin; x < end; ++x) this.line[x] = color; // faster than a call for so few
  }

  drawOn(context: CanvasRenderingContext2D): void {
    if (this.pixels.length === 0) return;
    this.image ??= new ImageData(new Uint8ClampedArray(this.pixels.buffer), this.widthPx, this.heightPx);
    context.putImageData(this.image, 0, 0);
  }
}
