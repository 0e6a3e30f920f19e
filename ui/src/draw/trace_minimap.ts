// SPDX-License-Identifier: Apache-2.0
//
// An overview of all spans of a trace: one line per span, in row order.

export interface MinimapSpans {
  readonly start: readonly number[];
  readonly duration: readonly number[];
  readonly whole: number; // duration of the trace
  readonly colorOf: (span: number) => string;
  readonly isFaint: (span: number) => boolean;
}

const LINE_PX_MAX = 4;

// Sizes the canvas to its element. With more spans than pixels, later ones cover earlier ones.
export function drawMinimap(canvas: HTMLCanvasElement, spans: MinimapSpans): void {
  const ratio = window.devicePixelRatio || 1;
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (context === null) return;
  const count = spans.start.length;
  const rowPx = Math.min(LINE_PX_MAX * ratio, height / Math.max(1, count));
  const linePx = Math.max(1, rowPx > 2 ? rowPx - 1 : rowPx);
  const top = (height - rowPx * count) / 2;
  // Matches of a search are drawn last, so that none is covered.
  for (const isFaint of [true, false]) {
    context.globalAlpha = isFaint ? 0.22 : 1;
    for (let i = 0; i < count; ++i) {
      if (spans.isFaint(i) !== isFaint) continue;
      context.fillStyle = spans.colorOf(i);
      context.fillRect(
        ((spans.start[i] ?? 0) / spans.whole) * width,
        top + i * rowPx,
        Math.max(ratio, ((spans.duration[i] ?? 0) / spans.whole) * width),
        linePx,
      );
    }
  }
}
