// SPDX-License-Identifier: Apache-2.0
//
// A subsecond heat map: a column for each interval, a row for each cell in it, with axes for both. Dragging selects a
// range of cells.
import { css, oklch } from "../profile/color/color";
import type { Theme } from "../profile/color/palette";
import { formatNanos } from "../profile/cost/units";
import { timeTicks } from "../profile/time/time_ticks";
import type { TimeZone } from "../profile/time/time_zone";

// The time axis of another chart, with which this one is aligned.
export interface TimeAxis {
  readonly leftPx: number; // relative to the viewport
  readonly rightPx: number;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface HeatData {
  readonly cells: readonly number[];
  readonly largest: number;
  readonly rows: number; // cells per column
  readonly startMs: number; // of the first cell
  readonly cellMs: number;
  readonly axis: TimeAxis | null; // null: its own
  readonly theme: Theme;
  readonly ink: string; // of the axes
  readonly zone: TimeZone;
}

export interface HeatEvents {
  onSelect(firstCell: number, lastCell: number): void;
  onHover(cell: number | null): void;
}

const STEPS = 24;
const LEFT_PX = 62; // for the row labels, if no other chart sets it
const RIGHT_PX = 18;
const BOTTOM_PX = 24;
const TICK_ROOM_PX = 90;
const FONT = "11px ui-sans-serif, system-ui, sans-serif";
const SELECTED = "#3b82f6";

// From 0 to the largest cell, on a square root scale, so that small cells remain distinguishable.
export function heatColors(theme: Theme): string[] {
  return Array.from({ length: STEPS }, (_, i) => {
    const part = i / (STEPS - 1);
    return css(
      theme === "light"
        ? oklch(0.95 - part * 0.47, 0.03 + part * 0.14, 80 - part * 50)
        : oklch(0.27 + part * 0.55, 0.03 + part * 0.13, 20 + part * 60),
    );
  });
}

// In canvas pixels.
interface Geometry {
  readonly left: number; // of the first column
  readonly columnPx: number;
  readonly columns: number;
  readonly heightPx: number; // of all rows
  readonly endPx: number; // end of the axis; an incomplete last column may extend beyond it
}

export class HeatCanvas {
  private readonly canvas = document.createElement("canvas");
  private readonly observer: ResizeObserver;
  private data: HeatData | null = null;
  private dragFrom: number | null = null;
  private dragTo = 0;

  constructor(
    private readonly host: HTMLElement,
    events: HeatEvents,
  ) {
    this.canvas.className = "heat-canvas";
    this.canvas.tabIndex = 0;
    host.append(this.canvas);
    Object.assign(this.canvas, { axisPx: () => this.axisPx() }); // for tests
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

  private geometry(data: HeatData): Geometry {
    const { clientWidth: width, clientHeight: height } = this.host;
    const columns = Math.max(1, Math.ceil(data.cells.length / data.rows));
    const columnMs = data.cellMs * data.rows;
    const { axis } = data;
    const heightPx = Math.max(1, height - BOTTOM_PX);
    if (axis === null || axis.toMs <= axis.fromMs || axis.rightPx <= axis.leftPx) {
      const cellsPx = Math.max(1, width - LEFT_PX - RIGHT_PX);
      return {
        left: LEFT_PX,
        columnPx: (cellsPx * data.rows) / Math.max(1, data.cells.length),
        columns,
        heightPx,
        endPx: width - RIGHT_PX,
      };
    }
    const pxOfMs = (axis.rightPx - axis.leftPx) / (axis.toMs - axis.fromMs);
    const originPx = axis.leftPx - this.host.getBoundingClientRect().left;
    return {
      left: originPx + (data.startMs - axis.fromMs) * pxOfMs,
      columnPx: columnMs * pxOfMs,
      columns,
      heightPx,
      endPx: originPx + axis.rightPx - axis.leftPx,
    };
  }

  // The position of a time in the viewport.
  private axisPx(): { leftPx: number; pxOfMs: number; startMs: number } | null {
    if (this.data === null) return null;
    const { left, columnPx } = this.geometry(this.data);
    return {
      leftPx: this.host.getBoundingClientRect().left + left,
      pxOfMs: columnPx / (this.data.cellMs * this.data.rows),
      startMs: this.data.startMs,
    };
  }

  private cellAt(event: PointerEvent): number {
    if (this.data === null) return 0;
    const box = this.canvas.getBoundingClientRect();
    const { left, columnPx, columns, heightPx } = this.geometry(this.data);
    const column = Math.floor((event.clientX - box.left - left) / columnPx);
    const row = Math.floor(((event.clientY - box.top) / heightPx) * this.data.rows);
    const clamp = (value: number, most: number): number => Math.max(0, Math.min(most, value));
    return clamp(
      clamp(column, columns - 1) * this.data.rows + clamp(row, this.data.rows - 1),
      this.data.cells.length - 1,
    );
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
    const geometry = this.geometry(data);
    this.paintCells(context, data, geometry);
    this.paintAxes(context, data, geometry);
  }

  private paintCells(context: CanvasRenderingContext2D, data: HeatData, { left, columnPx, heightPx }: Geometry): void {
    const rowPx = heightPx / data.rows;
    const colors = heatColors(data.theme);
    const gap = columnPx > 4 && rowPx > 4 ? 1 : 0;
    const [first, last] =
      this.dragFrom === null ? [-1, -1] : [Math.min(this.dragFrom, this.dragTo), Math.max(this.dragFrom, this.dragTo)];
    data.cells.forEach((value, i) => {
      if (value === 0 && !(i >= first && i <= last)) return;
      const step = data.largest > 0 ? Math.min(STEPS - 1, Math.floor(Math.sqrt(value / data.largest) * STEPS)) : 0;
      context.fillStyle = i >= first && i <= last ? SELECTED : (colors[step] ?? "#888");
      context.fillRect(
        left + Math.floor(i / data.rows) * columnPx,
        (i % data.rows) * rowPx,
        columnPx - gap,
        rowPx - gap,
      );
    });
  }

  private paintAxes(
    context: CanvasRenderingContext2D,
    data: HeatData,
    { left, columnPx, heightPx, endPx }: Geometry,
  ): void {
    const columnMs = data.cellMs * data.rows;
    context.font = FONT;
    context.fillStyle = context.strokeStyle = data.ink;
    context.globalAlpha = 0.5;
    context.strokeRect(Math.round(left) - 0.5, -1, Math.round(endPx - left) + 1, Math.round(heightPx) + 1.5);
    context.globalAlpha = 1;
    // The first row is at the top: time runs down a column and continues at the top of the next.
    context.textAlign = "right";
    for (const part of [0, 0.5, 1]) {
      context.textBaseline = part === 0 ? "top" : part === 1 ? "bottom" : "middle";
      context.fillText(part === 0 ? "+0" : `+${formatNanos(columnMs * part * 1e6)}`, left - 8, heightPx * part);
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    const pxOfMs = columnPx / columnMs;
    const endMs = data.startMs + (endPx - left) / pxOfMs;
    for (const tick of timeTicks(
      data.startMs,
      endMs,
      Math.max(1, Math.floor((endPx - left) / TICK_ROOM_PX)),
      data.zone,
    )) {
      const x = left + (tick.ms - data.startMs) * pxOfMs;
      context.fillRect(Math.round(x), heightPx, 1, 4);
      context.fillText(tick.label, x, heightPx + 8);
    }
  }
}
