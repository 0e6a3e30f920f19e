// SPDX-License-Identifier: Apache-2.0
//
// A line chart over time, drawn by uPlot. Dragging selects a range; diamonds are exemplars, dashed marks deployments.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { type Joined, joinGaps, lonePoints, piecesOf } from "../profile/signals/gaps";
import { fieldsOf, type TimeZone, two } from "../profile/time/time_zone";
import type { TimeAxis } from "./heat_canvas";

export interface ChartLine {
  readonly label: string;
  readonly color: string;
  readonly values: readonly (number | null)[];
  readonly stepsJoined?: number; // points up to this many steps apart are connected (default 1)
}

export interface ChartPoint {
  readonly timeMs: number;
  readonly value: number;
  readonly line: number;
}

export interface ChartMark {
  readonly timeMs: number;
  readonly label: string;
}

export interface ChartData {
  readonly timesMs: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly points: readonly ChartPoint[];
  readonly marks: readonly ChartMark[];
  readonly selection: { readonly fromMs: number; readonly toMs: number } | null;
  readonly format: (value: number) => string;
  readonly ink: string; // axes and marks
  readonly grid: string;
  readonly zone: TimeZone;
  readonly height: number;
  readonly isStacked: boolean;
  readonly isBinary: boolean; // marks at powers of two, for bytes
  readonly syncKey: string; // charts with the same key share their cursor; "" for none
}

export interface ChartEvents {
  onBrush?(fromMs: number, toMs: number): void;
  onPoint?(index: number): void;
  onCursor?(index: number | null): void;
  onAxis?(axis: TimeAxis): void; // when it is drawn or has moved
}

const FONT = "11px ui-sans-serif, system-ui, sans-serif";
const POINT_REACH_PX = 9;
const AXIS_MIN_PX = 62;
const AXIS_PADDING_PX = 14;
const POWERS_OF_TWO = Array.from({ length: 56 }, (_, i) => 2 ** i);

export class SeriesChart {
  private plot: uPlot | null = null;
  private data: ChartData | null = null;
  private reportedAxis = "";
  private timeLabels: readonly string[] = [];
  private readonly observer: ResizeObserver;

  constructor(
    private readonly host: HTMLElement,
    private events: ChartEvents,
  ) {
    this.observer = new ResizeObserver(() => {
      if (this.plot !== null && this.data !== null && host.clientWidth > 0)
        this.plot.setSize({ width: host.clientWidth, height: this.data.height });
    });
    this.observer.observe(host);
    Object.assign(host, {
      drawnLines: () => this.drawnLines(),
      timeLabels: () => this.timeLabels,
      axis: () => this.reportedAxis,
    }); // for tests, which check this instead of pixels
  }

  private drawnLines(): { label: string; points: number; pieces: number; lone: number }[] {
    return (this.data?.lines ?? []).map((line, i) => {
      const values = (this.plot?.data[i + 1] ?? []) as Joined[];
      return {
        label: line.label,
        points: values.filter((value) => typeof value === "number").length,
        pieces: piecesOf(values),
        lone: lonePoints(values).length,
      };
    });
  }

  destroy(): void {
    this.observer.disconnect();
    this.plot?.destroy();
  }

  set(data: ChartData, events: ChartEvents): void {
    this.data = data;
    this.events = events;
    this.plot?.destroy();
    this.plot = new uPlot(this.options(data), aligned(data), this.host);
    this.plot.over.addEventListener("click", (event) => this.click(event));
  }

  private options(data: ChartData): uPlot.Options {
    const axis = { stroke: data.ink, font: FONT, grid: { stroke: data.grid, width: 1 }, ticks: { show: false } };
    return {
      width: Math.max(this.host.clientWidth, 50),
      height: data.height,
      padding: [8, spanOf(data) > DAYS_SPAN_MS ? 38 : 18, 0, 0], // half of the last time label
      legend: { show: false },
      ...(data.zone === "utc"
        ? { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC") }
        : {}), // positions of round values
      cursor: {
        drag: { x: this.events.onBrush !== undefined, y: false, setScale: false },
        points: { size: 6 },
        y: false,
        ...(data.syncKey === "" ? {} : { sync: { key: data.syncKey } }),
      },
      scales: {
        x: { time: true },
        y: { range: (_plot, low, high) => [Math.min(0, low ?? 0), (high ?? 0) <= 0 ? 1 : (high ?? 1) * 1.08] },
      },
      axes: [
        {
          ...axis,
          size: 26,
          space: 70,
          values: (_plot, ticks) => {
            this.timeLabels = ticks.map(clockOf(data));
            return this.timeLabels.slice();
          },
        },
        {
          ...axis,
          size: axisWidth,
          space: data.height < 100 ? 18 : 28,
          ...(data.isBinary ? { incrs: POWERS_OF_TWO } : {}),
          values: (_plot, ticks) => ticks.map((tick) => data.format(tick)),
        },
      ],
      series: [
        {},
        ...stackOrder(data).map((line) => ({
          label: line.label,
          stroke: line.color,
          width: 1.4,
          ...(data.isStacked ? { fill: line.color } : data.lines.length === 1 ? { fill: `${line.color}22` } : {}),
          points: {
            show: false,
            size: 5,
            fill: line.color,
            filter: (plot: uPlot, series: number) => lonePoints((plot.data[series] ?? []) as Joined[]),
          },
          spanGaps: false,
        })),
      ],
      hooks: {
        draw: [
          (plot) => this.drawMarks(plot, data),
          (plot) => this.drawPoints(plot, data),
          (plot) => this.reportAxis(plot),
        ],
        setSelect: [(plot) => this.brush(plot)],
        setCursor: [(plot) => this.events.onCursor?.(plot.cursor.idx ?? null)],
      },
    };
  }

  private reportAxis(plot: uPlot): void {
    if (this.events.onAxis === undefined) return;
    const { left, right } = plot.over.getBoundingClientRect();
    const axis = {
      leftPx: left,
      rightPx: right,
      fromMs: (plot.scales["x"]?.min ?? 0) * 1000,
      toMs: (plot.scales["x"]?.max ?? 0) * 1000,
    };
    if (JSON.stringify(axis) === this.reportedAxis) return;
    this.reportedAxis = JSON.stringify(axis);
    this.events.onAxis(axis);
  }

  private brush(plot: uPlot): void {
    if (plot.select.width < 4) return;
    const from = plot.posToVal(plot.select.left, "x") * 1000;
    const to = plot.posToVal(plot.select.left + plot.select.width, "x") * 1000;
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.events.onBrush?.(from, to);
  }

  private drawMarks(plot: uPlot, data: ChartData): void {
    const { ctx, bbox } = plot;
    const ratio = window.devicePixelRatio || 1;
    ctx.save();
    if (data.selection !== null) {
      const left = Math.max(bbox.left, plot.valToPos(data.selection.fromMs / 1000, "x", true));
      const right = Math.min(bbox.left + bbox.width, plot.valToPos(data.selection.toMs / 1000, "x", true));
      ctx.fillStyle = `${data.ink}22`;
      if (right > left) ctx.fillRect(left, bbox.top, right - left, bbox.height);
    }
    ctx.strokeStyle = data.ink;
    ctx.fillStyle = data.ink;
    ctx.lineWidth = ratio;
    ctx.font = `${10 * ratio}px system-ui, sans-serif`;
    for (const mark of data.marks) {
      const x = plot.valToPos(mark.timeMs / 1000, "x", true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.setLineDash([3 * ratio, 3 * ratio]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      const isAtEdge = x > bbox.left + bbox.width - 90 * ratio;
      ctx.textAlign = isAtEdge ? "right" : "left";
      ctx.fillText(mark.label, x + (isAtEdge ? -4 : 4) * ratio, bbox.top + 10 * ratio);
    }
    ctx.restore();
  }

  private pointPlace(plot: uPlot, point: ChartPoint, isCanvas: boolean): [number, number] {
    const { max } = plot.scales["y"] ?? { max: 1 };
    return [
      plot.valToPos(point.timeMs / 1000, "x", isCanvas),
      plot.valToPos(Math.min(point.value, max ?? point.value), "y", isCanvas),
    ];
  }

  private drawPoints(plot: uPlot, data: ChartData): void {
    const { ctx, bbox } = plot;
    const size = 4 * (window.devicePixelRatio || 1);
    ctx.save();
    for (const point of data.points) {
      const [x, y] = this.pointPlace(plot, point, true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.fillStyle = data.lines[point.line]?.color ?? data.ink;
      ctx.strokeStyle = data.grid;
      ctx.beginPath();
      ctx.moveTo(x, y - size);
      ctx.lineTo(x + size, y);
      ctx.lineTo(x, y + size);
      ctx.lineTo(x - size, y);
      ctx.closePath();
      ctx.fill();
      ctx.stroke();
    }
    ctx.restore();
  }

  private click(event: MouseEvent): void {
    if (this.plot === null || this.data === null) return;
    const box = this.plot.over.getBoundingClientRect();
    let best = -1;
    let reach = POINT_REACH_PX;
    this.data.points.forEach((point, i) => {
      if (this.plot === null) return;
      const [x, y] = this.pointPlace(this.plot, point, false);
      const distance = Math.hypot(event.clientX - box.left - x, event.clientY - box.top - y);
      if (distance < reach) {
        reach = distance;
        best = i;
      }
    });
    if (best >= 0) this.events.onPoint?.(best);
  }
}

// As wide as the longest label. Labels depend only on the height, so the width is the same in every cycle.
function axisWidth(plot: uPlot, labels: readonly string[] | null): number {
  if (labels === null) return AXIS_MIN_PX;
  plot.ctx.save();
  plot.ctx.font = FONT;
  const widest = labels.reduce((most, label) => Math.max(most, plot.ctx.measureText(label ?? "").width), 0);
  plot.ctx.restore();
  return Math.max(AXIS_MIN_PX, Math.ceil(widest) + AXIS_PADDING_PX);
}

// The largest stack is drawn first, so that the ones below it cover its lower part.
function stackOrder(data: ChartData): readonly ChartLine[] {
  return data.isStacked ? [...data.lines].reverse() : data.lines;
}

function aligned(data: ChartData): uPlot.AlignedData {
  const times = data.timesMs.map((ms) => ms / 1000);
  if (!data.isStacked)
    return [times, ...data.lines.map((line) => joinGaps(line.values, line.stepsJoined ?? 1))] as uPlot.AlignedData;
  const sum = new Array<number>(times.length).fill(0);
  const stacks = data.lines.map((line) => line.values.map((value, i) => (sum[i] = (sum[i] ?? 0) + (value ?? 0))));
  return [times, ...stacks.reverse()] as uPlot.AlignedData;
}

const DAYS_SPAN_MS = 36 * 3_600_000; // from here on time labels include the day
const spanOf = (data: ChartData): number => (data.timesMs.at(-1) ?? 0) - (data.timesMs[0] ?? 0);

function clockOf(data: ChartData): (seconds: number) => string {
  const span = spanOf(data);
  return (seconds) => {
    const at = fieldsOf(seconds * 1000, data.zone);
    const clock = `${two(at.hour)}:${two(at.minute)}`;
    if (span < 600_000) return `${clock}:${two(at.second)}`;
    return span > DAYS_SPAN_MS ? `${two(at.month)}-${two(at.day)} ${clock}` : clock;
  };
}
