// SPDX-License-Identifier: Apache-2.0
//
// Charts as components.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Deployments, Series } from "../../api/types";
import { HeatCanvas, type HeatData } from "../../draw/heat_canvas";
import type { ChartData, ChartEvents, ChartLine, ChartMark, ChartPoint, SeriesChart } from "../../draw/series_chart";
import { seriesColor } from "../../profile/color/series_color";
import { cores, formatCores, formatValue } from "../../profile/cost/units";
import { nanosToMs } from "../../profile/time/time_range";
import { serviceColor, theme } from "../../state/theme";
import { timeZone } from "../../state/time_zone";
import { whenIdle } from "../parts/lazy_page";

export const INK = { light: "#6b7280", dark: "#97a0af" };
const GRID = { light: "#e9ecf0", dark: "#23272f" };

// The chart script initializes number formatting, which takes as long as the rest of a page. It is loaded in parallel, so
// that pages without charts do not wait for it.
const drawing = signal<typeof SeriesChart | null>(null);
let isRequested = false;

function loadDrawing(): void {
  if (isRequested) return;
  isRequested = true;
  import("../../draw/series_chart").then(
    (script) => (drawing.value = script.SeriesChart),
    () => (isRequested = false), // the next chart retries
  );
}

// Load it even without a chart, because the server may be upgraded before one is shown. Number formatting is initialized
// first, in a separate task.
whenIdle(() => {
  new Intl.NumberFormat(navigator.language).format(0);
  whenIdle(loadDrawing);
});

export interface ChartProps extends ChartEvents {
  readonly timesMs: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly points?: readonly ChartPoint[];
  readonly marks?: readonly ChartMark[];
  readonly selection?: ChartData["selection"];
  readonly format: (value: number) => string;
  readonly height: number;
  readonly isStacked?: boolean;
  readonly isBinary?: boolean;
  readonly syncKey?: string;
  readonly hasLegend?: boolean;
  readonly label: string;
}

export function Chart(props: ChartProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<SeriesChart | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const { hidden, toggle, solo } = useHidden(props.lines);
  const shown = useMemo(() => props.lines.filter((line) => !hidden.has(line.label)), [props.lines, hidden]);
  const mode = theme.value;
  const zone = timeZone.value;
  const key = [
    mode,
    zone,
    props.timesMs[0],
    props.timesMs.length,
    ...shown.map((line) => line.label + line.color),
    props.marks?.length,
    props.points?.length,
    props.selection?.fromMs,
    props.selection?.toMs,
  ].join();
  const Drawing = drawing.value;
  useEffect(loadDrawing, []);
  useLayoutEffect(() => {
    if (host.current === null || Drawing === null) return;
    chart.current ??= new Drawing(host.current, {});
    const points = pointsOf(props, shown);
    chart.current.set(
      {
        timesMs: props.timesMs,
        lines: shown,
        points: points.map(({ point }) => point),
        marks: props.marks ?? [],
        selection: props.selection ?? null,
        format: props.format,
        height: props.height,
        isStacked: props.isStacked ?? false,
        isBinary: props.isBinary ?? false,
        syncKey: props.syncKey ?? "",
        ink: INK[mode],
        grid: GRID[mode],
        zone,
      },
      {
        ...(props.onBrush === undefined ? {} : { onBrush: props.onBrush }),
        ...(props.onPoint === undefined ? {} : { onPoint: (i: number) => props.onPoint?.(points[i]?.index ?? -1) }),
        ...(props.onAxis === undefined ? {} : { onAxis: props.onAxis }),
        onCursor: setAt,
      },
    );
  }, [key, shown, Drawing]);
  useEffect(() => () => chart.current?.destroy(), []);
  return (
    <div role="group" aria-label={props.label}>
      <div
        class={`chart ${Drawing === null ? "is-loading" : ""}`}
        style={{ minHeight: `${props.height}px` }}
        ref={host}
      />
      {props.hasLegend !== false && (
        <div class="legend">
          {props.lines.map((line) => {
            const value = at === null || hidden.has(line.label) ? null : line.values[at];
            return (
              <button
                type="button"
                key={line.label}
                aria-pressed={!hidden.has(line.label)}
                title="Click to hide or show; Shift-click to show only this line"
                onClick={(event) => (event.shiftKey ? solo(line.label) : toggle(line.label))}
                onDblClick={() => solo(line.label)}
              >
                <i class="dot" style={{ background: line.color }} />
                {line.label} {value !== null && value !== undefined && <b class="number">{props.format(value)}</b>}
              </button>
            );
          })}
        </div>
      )}
    </div>
  );
}

// Lines hidden in the legend, by name, so that they stay hidden after a refresh.
function useHidden(lines: readonly ChartLine[]): {
  hidden: ReadonlySet<string>;
  toggle: (label: string) => void;
  solo: (label: string) => void;
} {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const toggle = (label: string): void =>
    setHidden((before) => {
      const next = new Set(before);
      if (!next.delete(label)) next.add(label);
      return next;
    });
  const solo = (label: string): void =>
    setHidden((before) => {
      const others = lines.map((line) => line.label).filter((other) => other !== label);
      const isAlone = !before.has(label) && others.every((other) => before.has(other));
      return new Set(isAlone ? [] : others);
    });
  return { hidden, toggle, solo };
}

// Points of the visible lines, with their index among all.
function pointsOf(props: ChartProps, shown: readonly ChartLine[]): { point: ChartPoint; index: number }[] {
  return (props.points ?? []).flatMap((point, index) => {
    const of = props.lines[point.line];
    const line = of === undefined ? -1 : shown.indexOf(of);
    return line < 0 ? [] : [{ point: { ...point, line }, index }];
  });
}

export const lineLabel = (labels: Readonly<Record<string, string>>, isRest: boolean): string =>
  isRest
    ? "other"
    : Object.values(labels)
        .map((value) => (value === "" ? "(none)" : value))
        .join(" · ") || "all";

// A series of the API: CPU time becomes cores, anything else is per step.
export function seriesLines(
  series: Series,
  isByName: boolean,
): { timesMs: number[]; lines: ChartLine[]; format: (value: number) => string; isBinary: boolean } {
  const start = nanosToMs(series.from);
  const step = series.step_ns / 1e6;
  const isTime = cores(1, series.unit, 1) !== null;
  const count = series.lines[0]?.values.length ?? 0;
  const mode = theme.value;
  return {
    timesMs: Array.from({ length: count }, (_, i) => start + i * step),
    lines: series.lines.map((line, i) => {
      const label = lineLabel(line.labels, line.rest);
      return {
        label,
        color: isByName ? serviceColor(label) : seriesColor(i, mode),
        values: line.values.map((value) => (isTime ? (cores(value, series.unit, series.step_ns) ?? 0) : value)),
      };
    }),
    isBinary: series.unit === "bytes",
    format: isTime ? (value) => formatCores(value) : (value) => formatValue(value, series.unit),
  };
}

export function deployMarks(deployments: Deployments | null): ChartMark[] {
  const versions = deployments?.versions ?? [];
  const first = Math.min(...versions.map((version) => nanosToMs(version.first_seen)));
  return versions
    .filter((version) => version.version !== "" && nanosToMs(version.first_seen) > first + 1)
    .map((version) => ({ timeMs: nanosToMs(version.first_seen), label: version.version }));
}

export function Heat(props: {
  readonly data: HeatData;
  readonly label: string;
  readonly onSelect: (first: number, last: number) => void;
  readonly onHover: (cell: number | null) => void;
}): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HeatCanvas | null>(null);
  const events = useRef(props);
  events.current = props;
  useEffect(() => {
    if (host.current === null) return;
    const made = new HeatCanvas(host.current, {
      onSelect: (a, b) => events.current.onSelect(a, b),
      onHover: (cell) => events.current.onHover(cell),
    });
    canvas.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => canvas.current?.set(props.data, props.label), [props.data, props.label]);
  return <div class="heat-host" ref={host} />;
}
