// SPDX-License-Identifier: Apache-2.0
//
// The overview of a trace above its rows, with the visible window. Drag to select a window, drag the window or an edge to
// move it, click elsewhere to center it there. The window and its edges are sliders for the keyboard.
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Trace } from "../../api/types";
import { drawMinimap } from "../../draw/trace_minimap";
import { formatNanos } from "../../profile/cost/units";
import type { SpanMatches } from "../../profile/signals/span_search";
import {
  clampWindow,
  isWhole,
  moveEdge,
  moveWindow,
  scaleWindow,
  type TimeWindow,
} from "../../profile/signals/time_window";
import { serviceColor, theme } from "../../state/theme";

interface MinimapProps {
  readonly trace: Trace;
  readonly whole: number;
  readonly window: TimeWindow;
  readonly matches: SpanMatches | null;
  readonly onChange: (window: TimeWindow, isDone: boolean) => void;
}

type Grip = "from" | "to" | "move" | "select";
const CLICK_PX = 4;
const STEP = 0.02; // of the window
const STEP_LARGE = 0.2;

interface Drag {
  readonly grip: Grip;
  readonly at: number; // in nanoseconds
  readonly x: number;
  readonly window: TimeWindow; // at the start of the drag
  last: TimeWindow | null;
}

function moved(drag: Drag, at: number, whole: number): TimeWindow {
  if (drag.grip === "move") return moveWindow(drag.window, at - drag.at, whole);
  return drag.grip === "select" ? clampWindow(drag.at, at, whole) : moveEdge(drag.window, drag.grip, at, whole);
}

export function TraceMinimap(props: MinimapProps): JSX.Element {
  const { trace, whole, window: shown, matches } = props;
  const track = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const drag = useRef<Drag | null>(null);
  const mode = theme.value;
  const colors = trace.services.map(serviceColor);
  useEffect(() => {
    const made = canvas.current;
    if (made === null) return;
    const { spans } = trace;
    const bad = getComputedStyle(made).getPropertyValue("--bad");
    const draw = (): void =>
      drawMinimap(made, {
        start: spans.start,
        duration: spans.duration,
        whole,
        colorOf: (i) => (spans.status[i] === "error" ? bad : (colors[spans.service[i] ?? 0] ?? "")),
        isFaint: (i) => matches !== null && matches.isMatch[i] !== 1,
      });
    const observer = new ResizeObserver(draw);
    observer.observe(made);
    draw();
    return () => observer.disconnect();
  }, [trace, matches, mode, colors.join()]);
  const timeAt = (event: PointerEvent): number => {
    const box = track.current?.getBoundingClientRect();
    return box === undefined
      ? 0
      : Math.min(1, Math.max(0, (event.clientX - box.left) / Math.max(1, box.width))) * whole;
  };
  const down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const named = event.target instanceof HTMLElement ? event.target.dataset["grip"] : undefined;
    const grip: Grip =
      named === "from" || named === "to" ? named : named === "move" && !isWhole(shown, whole) ? "move" : "select";
    drag.current = { grip, at: timeAt(event), x: event.clientX, window: shown, last: null };
    track.current?.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent): void => {
    const { current } = drag;
    if (current === null || (current.last === null && Math.abs(event.clientX - current.x) < CLICK_PX)) return;
    current.last = moved(current, timeAt(event), whole);
    props.onChange(current.last, false);
  };
  const up = (): void => {
    const { current } = drag;
    drag.current = null;
    if (current === null) return;
    const isClick = current.last === null && current.grip === "select" && !isWhole(current.window, whole);
    if (isClick)
      props.onChange(
        moveWindow(current.window, current.at - (current.window.from + current.window.to) / 2, whole),
        true,
      );
    else if (current.last !== null) props.onChange(current.last, true);
  };
  const percent = (nanos: number): string => `${(nanos / whole) * 100}%`;
  const text = `${formatNanos(shown.from)} to ${formatNanos(shown.to)} of ${formatNanos(whole)}`;
  const grip = (name: "from" | "to" | "move", label: string, value: number): JSX.Element => (
    <div
      class={`grip ${name}`}
      data-grip={name}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.round(whole)}
      aria-valuenow={Math.round(value)}
      aria-valuetext={text}
      style={
        name === "move"
          ? { left: percent(shown.from), width: percent(shown.to - shown.from) }
          : { left: percent(value) }
      }
      onKeyDown={(event) => slide(event, name, props)}
    />
  );
  return (
    <div
      class={`minimap ${isWhole(shown, whole) ? "whole" : ""}`}
      ref={track}
      role="group"
      aria-label="Trace overview"
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={up}
      onDblClick={() => props.onChange({ from: 0, to: whole }, true)}
    >
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a canvas without tabIndex is not focusable */}
      <canvas ref={canvas} aria-hidden="true" />
      <i class="outside" style={{ left: 0, width: percent(shown.from) }} />
      <i class="outside" style={{ left: percent(shown.to), right: 0 }} />
      {grip("move", "Visible time range", (shown.from + shown.to) / 2)}
      {grip("from", "Start of visible time range", shown.from)}
      {grip("to", "End of visible time range", shown.to)}
    </div>
  );
}

function slide(
  event: KeyboardEvent,
  name: "from" | "to" | "move",
  { window: shown, whole, onChange }: MinimapProps,
): void {
  const by = (shown.to - shown.from) * (event.shiftKey ? STEP_LARGE : STEP);
  const shift = (way: number): TimeWindow =>
    name === "move" ? moveWindow(shown, way, whole) : moveEdge(shown, name, shown[name] + way, whole);
  const ends: Readonly<Record<string, () => TimeWindow>> = {
    ArrowLeft: () => shift(-by),
    ArrowRight: () => shift(by),
    Home: () => shift(-whole),
    End: () => shift(whole),
    ArrowUp: () => scaleWindow(shown, 0.8, whole),
    "+": () => scaleWindow(shown, 0.8, whole),
    ArrowDown: () => scaleWindow(shown, 1.25, whole),
    "-": () => scaleWindow(shown, 1.25, whole),
    Escape: () => ({ from: 0, to: whole }),
  };
  const next = ends[event.key];
  if (next === undefined) return;
  event.preventDefault();
  onChange(next(), true);
}
