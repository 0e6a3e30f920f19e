// SPDX-License-Identifier: Apache-2.0
//
// A heat map of time within time: a column for each stretch, rows for the cells in it. Dragging selects from one cell to
// another.
import { oklch, css } from "../profile/color";
import type { Theme } from "../profile/palette";

export interface HeatData {
  readonly cells: readonly number[];
  readonly largest: number;
  readonly rows: number; // cells of a column
  readonly theme: Theme;
}

export interface HeatEvents {
  onSelect(firstCell: number, lastCell: number): void;
  onHover(cell: number | null): void;
}

const STEPS = 24;

function ramp(theme: Theme): string[] {
  return Array.from({ length: STEPS }, (_, i) => {
    const part = i / (STEPS - 1);
    return css(theme === "light" ? oklch(0.95 - part * 0.47, 0.03 + part * 0.14, 80 - part * 50) : oklch(0.27 + part * 0.55, 0.03 + part * 0.13, 20 + part * 60));
  });
}

export class HeatCanvas {
  private readonly canvas = document.createElement("canvas");
  private readonly observer: ResizeObserver;
  private data: HeatData | null = null;
  private dragFrom: number | null = null;
  private dragTo = 0;

  constructor(private readonly host: HTMLElement, events: HeatEvents) {
    this.canvas.className = "heat-canvas";
    this.canvas.tabIndex = 0;
    host.append(this.canvas);
    this.canvas.addEventListener("pointerdown", (event) => {
      this.dragFrom = this.dragTo = this.cellAt(event);
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const cell = this.cellAt(event);
      if (this.dragFrom !== null) {
        this.dragTo = cell;
        this.paint();
      }
      events.onHover(cell);
    });
    this.canvas.addEventListener("pointerleave", () => events.onHover(null));
    this.canvas.addEventListener("pointerup", () => {
      if (this.dragFrom === null) return;
      const [first, last] = [Math.min(this.dragFrom, this.dragTo), Math.max(this.dragFrom, this.dragTo)];
      this.dragFrom = null;
      this.paint();
      events.onSelect(first, last);
    });
    this.observer = new ResizeObserver(() => this.paint());
    this.observer.observe(host);
  }

  destroy(): void {
    this.observer.disconnect();
    this.canvas.remove();
  }

  set(data: HeatData, label: string): void {
    this.data = data;
    this.canvas.setAttribute("aria-label", label);
    this.canvas.setAttribute("role", "img");
    this.paint();
  }

  private cellAt(event: PointerEvent): number {
    if (this.data === null) return 0;
    const box = this.canvas.getBoundingClientRect();
    const columns = Math.ceil(this.data.cells.length / this.data.rows);
    const column = Math.floor(((event.clientX - box.left) / box.width) * columns);
    const row = Math.floor(((event.clientY - box.top) / box.height) * this.data.rows);
    const clamp = (value: number, most: number): number => Math.max(0, Math.min(most, value));
    return clamp(clamp(column, columns - 1) * this.data.rows + clamp(row, this.data.rows - 1), this.data.cells.length - 1);
  }

  private paint(): void {
    const context = this.canvas.getContext("2d");
    const { data } = this;
    if (context === null || data === null || this.host.clientWidth === 0) return;
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = this.host;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    context.scale(ratio, ratio);
    const columns = Math.max(1, Math.ceil(data.cells.length / data.rows));
    const cellWidth = width / columns;
    const cellHeight = height / data.rows;
    const colors = ramp(data.theme);
    const gap = cellWidth > 4 && cellHeight > 4 ? 1 : 0;
    const [first, last] = this.dragFrom === null ? [-1, -1] : [Math.min(this.dragFrom, this.dragTo), Math.max(this.dragFrom, this.dragTo)];
    data.cells.forEach((value, i) => {
      if (value === 0 && !(i >= first && i <= last)) return;
      const step = data.largest > 0 ? Math.min(STEPS - 1, Math.floor(Math.sqrt(value / data.largest) * STEPS)) : 0;
      context.fillStyle = i >= first && i <= last ? "#3b82f6" : (colors[step] ?? "#888");
      context.fillRect(Math.floor(i / data.rows) * cellWidth, (i % data.rows) * cellHeight, cellWidth - gap, cellHeight - gap);
    });
  }
}
