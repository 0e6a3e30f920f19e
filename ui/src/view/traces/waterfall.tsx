// SPDX-License-Identifier: Apache-2.0
//
// The spans of a trace as rows over time: search, overview, and collapsible subtrees.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Trace } from "../../api/types";
import { formatNanos } from "../../profile/cost/units";
import { searchSpans, stepMatch } from "../../profile/signals/span_search";
import {
  formatWindow,
  isWhole,
  parseWindow,
  placeIn,
  type TimeWindow,
  windowAround,
  windowTicks,
} from "../../profile/signals/time_window";
import { costOf, openTo, parentSet, shownInstead, spanDepths, visibleSpans } from "../../profile/signals/waterfall";
import { useKeys } from "../../state/keys";
import { update, updateExtra, urlState } from "../../state/location";
import { serviceColor } from "../../state/theme";
import { ServiceName } from "../parts/parts";
import { VirtualList } from "../parts/virtual_list";
import { TraceMinimap } from "./trace_minimap";

const TICKS = 5;

export function Waterfall({
  trace,
  selected,
  onSelect,
}: {
  readonly trace: Trace;
  readonly selected: number;
  readonly onSelect: (span: number) => void;
}): JSX.Element {
  const { spans } = trace;
  const state = urlState.value;
  const whole = Math.max(1, trace.duration);
  const [dragged, setDragged] = useState<TimeWindow | null>(null);
  const shown = dragged ?? parseWindow(state.extra["window"] ?? "", whole);
  const setWindow = (next: TimeWindow, isDone: boolean): void => {
    setDragged(isDone ? null : next);
    if (isDone) updateExtra({ window: formatWindow(next, whole) }, true);
  };
  const [closed, setClosed] = useState<ReadonlySet<number>>(new Set());
  const rows = useMemo(() => visibleSpans(spans.parent, closed), [trace, closed]);
  const at = rows.indexOf(selected);
  const { matches, error } = useMemo(() => searchSpans(trace, state.s), [trace, state.s]);
  const close = (next: ReadonlySet<number>): void => {
    setClosed(next);
    const instead = shownInstead(spans.parent, next, selected);
    if (instead !== selected) onSelect(instead);
  };
  const toggle = (i: number): void => {
    const next = new Set(closed);
    if (!next.delete(i)) next.add(i);
    close(next);
  };
  const step = (way: 1 | -1): void => {
    const found = stepMatch(matches?.spans ?? [], selected, way);
    if (found < 0) return;
    setClosed(openTo(spans.parent, closed, found));
    onSelect(found);
  };
  const zoomToSpan = (i: number): void =>
    setWindow(windowAround(spans.start[i] ?? 0, spans.duration[i] ?? 0, whole), true);
  const zoomOut = (): void => setWindow({ from: 0, to: whole }, true);
  useKeys({ n: () => step(1), N: () => step(-1), z: () => zoomToSpan(selected), "0": zoomOut });
  const { parents } = derive(trace);
  return (
    <section class="panel" aria-label="Spans">
      <div class="toolbar">
        <input
          type="search"
          class="span-search"
          placeholder="Find spans: name, service, key=value, /regex/"
          aria-label="Find spans"
          spellcheck={false}
          value={state.s}
          onInput={(event) => update({ s: event.currentTarget.value }, true)}
          onKeyDown={(event) => event.key === "Enter" && step(event.shiftKey ? -1 : 1)}
        />
        {error !== "" && (
          <span class="chip error" role="alert">
            {error}
          </span>
        )}
        {matches !== null && <MatchSteps spans={matches.spans} selected={selected} onStep={step} />}
        <div class="grow" />
        {!isWhole(shown, whole) && (
          <button type="button" class="button ghost" title="Show the whole trace (0)" onClick={zoomOut}>
            Reset zoom
          </button>
        )}
        <button type="button" class="button ghost" disabled={closed.size === 0} onClick={() => setClosed(new Set())}>
          Expand all
        </button>
        <button
          type="button"
          class="button ghost"
          disabled={closed.size >= parents.size}
          onClick={() => close(new Set(parents))}
        >
          Collapse all
        </button>
      </div>
      <div class="toolbar thin">
        <span class="row wrap">
          {trace.services.map((service) => (
            <ServiceName key={service} name={service} />
          ))}
        </span>
        <div class="grow" />
        <span class="swatches">
          <span>
            <i class="dot" style={{ background: "var(--text)" }} /> critical path
          </span>
          <span>
            <i class="dot" style={{ background: "var(--cpu)" }} /> on CPU
          </span>
          <span>
            <i class="dot" style={{ background: "var(--wait)" }} /> off CPU
          </span>
        </span>
      </div>
      <TraceMinimap trace={trace} whole={whole} window={shown} matches={matches} onChange={setWindow} />
      <div class="time-axis">
        <span class="pad">Span</span>
        <span class="ticks">
          {windowTicks(shown, TICKS).map((label, i) => (
            <span key={i}>{label}</span>
          ))}
        </span>
      </div>
      <VirtualList
        class="waterfall"
        role="treegrid"
        label="Spans of the trace"
        count={rows.length}
        rowPx={26}
        revealed={at}
        onKey={(event) =>
          moveByKey(event, {
            rows,
            at,
            selected,
            isOpen: parents.has(selected) && !closed.has(selected),
            isClosed: closed.has(selected),
            parent: spans.parent[selected] ?? -1,
            onSelect,
            toggle,
          })
        }
        row={(i) => {
          const span = rows[i] ?? 0;
          return (
            <SpanRow
              trace={trace}
              span={span}
              window={shown}
              isSelected={span === selected}
              isClosed={closed.has(span)}
              isDim={matches !== null && matches.isMatch[span] !== 1}
              onSelect={onSelect}
              onToggle={toggle}
              onZoom={zoomToSpan}
            />
          );
        }}
      />
    </section>
  );
}

function MatchSteps({
  spans,
  selected,
  onStep,
}: {
  readonly spans: readonly number[];
  readonly selected: number;
  readonly onStep: (way: 1 | -1) => void;
}): JSX.Element {
  const at = spans.indexOf(selected);
  return (
    <span class="row tight">
      <span class="number muted" role="status" aria-label="Matches">
        {spans.length === 0
          ? "No matches"
          : at >= 0
            ? `${at + 1} of ${spans.length}`
            : `${spans.length} ${spans.length === 1 ? "match" : "matches"}`}
      </span>
      <button
        type="button"
        class="button ghost"
        aria-label="Previous match"
        title="Previous match (Shift Enter, N)"
        disabled={spans.length === 0}
        onClick={() => onStep(-1)}
      >
        ‹
      </button>
      <button
        type="button"
        class="button ghost"
        aria-label="Next match"
        title="Next match (Enter, n)"
        disabled={spans.length === 0}
        onClick={() => onStep(1)}
      >
        ›
      </button>
    </span>
  );
}

interface Cursor {
  readonly rows: readonly number[];
  readonly at: number;
  readonly selected: number;
  readonly isOpen: boolean; // has visible children
  readonly isClosed: boolean;
  readonly parent: number;
  readonly onSelect: (span: number) => void;
  readonly toggle: (span: number) => void;
}

// As in other trees: right expands or moves to the first child, left collapses or moves to the parent.
function moveByKey(event: KeyboardEvent, cursor: Cursor): void {
  const { rows, at, selected } = cursor;
  const go = (span: number | undefined): void => {
    if (span !== undefined && span >= 0) cursor.onSelect(span);
  };
  if (event.key === "ArrowDown") go(rows[at + 1]);
  else if (event.key === "ArrowUp") go(rows[at - 1]);
  else if (event.key === "Home") go(rows[0]);
  else if (event.key === "End") go(rows.at(-1));
  else if (event.key === "ArrowRight") cursor.isClosed ? cursor.toggle(selected) : cursor.isOpen && go(rows[at + 1]);
  else if (event.key === "ArrowLeft") cursor.isOpen ? cursor.toggle(selected) : go(cursor.parent);
  else return;
  event.preventDefault();
}

interface Derived {
  readonly depth: Uint16Array;
  readonly parents: ReadonlySet<number>;
  readonly critical: ReadonlyMap<number, { from: number; to: number }[]>;
  readonly samples: ReadonlyMap<number, Trace["samples"][number]>;
  readonly logs: ReadonlyMap<number, Trace["logs"][number]>;
}

const derived = new WeakMap<Trace, Derived>();

function derive(trace: Trace): Derived {
  const known = derived.get(trace);
  if (known !== undefined) return known;
  const critical = new Map<number, { from: number; to: number }[]>();
  for (const { span, from, to } of trace.critical_path)
    critical.set(span, [...(critical.get(span) ?? []), { from, to }]);
  const made: Derived = {
    depth: spanDepths(trace.spans.parent),
    parents: parentSet(trace.spans.parent),
    critical,
    samples: new Map(trace.samples.map((entry) => [entry.span, entry])),
    logs: new Map(trace.logs.map((entry) => [entry.span, entry])),
  };
  derived.set(trace, made);
  return made;
}

interface SpanRowProps {
  readonly trace: Trace;
  readonly span: number;
  readonly window: TimeWindow;
  readonly isSelected: boolean;
  readonly isClosed: boolean;
  readonly isDim: boolean;
  readonly onSelect: (span: number) => void;
  readonly onToggle: (span: number) => void;
  readonly onZoom: (span: number) => void;
}

function SpanRow(props: SpanRowProps): JSX.Element {
  const { trace, span: i } = props;
  const { spans } = trace;
  const { depth, parents } = derive(trace);
  const service = trace.services[spans.service[i] ?? 0] ?? "";
  return (
    <div
      class={`span-row ${props.isDim ? "dim" : ""}`}
      role="row"
      aria-selected={props.isSelected}
      aria-level={(depth[i] ?? 0) + 1}
      aria-expanded={parents.has(i) ? !props.isClosed : undefined}
      onClick={() => props.onSelect(i)}
      onDblClick={() => props.onZoom(i)}
    >
      <div class="span-name" role="gridcell" style={{ paddingLeft: `${8 + Math.min(depth[i] ?? 0, 24) * 13}px` }}>
        {parents.has(i) ? (
          <button
            type="button"
            class="fold"
            tabIndex={-1}
            aria-label={props.isClosed ? "Expand" : "Collapse"}
            onDblClick={(event) => event.stopPropagation()}
            onClick={(event) => {
              event.stopPropagation();
              props.onToggle(i);
            }}
          >
            {props.isClosed ? "▸" : "▾"}
          </button>
        ) : (
          <span class="fold" />
        )}
        <i class="dot" style={{ background: serviceColor(service) }} />
        <span class="clip">{trace.names[spans.name[i] ?? 0]}</span>
        <span class="faint clip">{service}</span>
        {spans.status[i] === "error" && <span class="chip error">failed</span>}
        {spans.parent_is[i] === "missing" && (
          <span class="chip" title="Parent span not received">
            orphan
          </span>
        )}
      </div>
      <SpanLane {...props} color={serviceColor(service)} />
    </div>
  );
}

const share = (of: number): string => `${of * 100}%`;

function SpanLane({ trace, span: i, window: shown, color }: SpanRowProps & { readonly color: string }): JSX.Element {
  const { spans } = trace;
  const { critical, samples, logs } = derive(trace);
  const start = spans.start[i] ?? 0;
  const duration = spans.duration[i] ?? 0;
  const bar = placeIn(shown, start, duration);
  const isOut = bar.isBefore || bar.isAfter;
  if (isOut) {
    return (
      <div class="span-lane" role="gridcell">
        <span
          class={`span-away ${bar.isAfter ? "after" : ""}`}
          title={`${formatNanos(duration)}, ${bar.isBefore ? "before" : "after"} the visible time range`}
        >
          {bar.isBefore ? "‹" : "›"}
        </span>
      </div>
    );
  }
  const cost = costOf(samples.get(i)?.types ?? [], duration);
  const place = { left: share(bar.left), width: share(bar.width) };
  return (
    <div class="span-lane" role="gridcell">
      <div class="span-bar" style={{ ...place, background: spans.status[i] === "error" ? "var(--bad)" : color }} />
      {(critical.get(i) ?? []).map((part) => {
        const { left, width, isBefore, isAfter } = placeIn(shown, part.from, part.to - part.from);
        return isBefore || isAfter ? null : (
          <div key={part.from} class="span-critical" style={{ left: share(left), width: share(width) }} />
        );
      })}
      {cost.samples > 0 && (
        <div
          class="span-ribbon"
          style={place}
          title={`on CPU ${Math.round(cost.onCpu * 100)} %, off CPU ${Math.round(cost.offCpu * 100)} %`}
        >
          <i class="cpu" style={{ width: `${cost.onCpu * 100}%` }} />
          <i class="wait" style={{ width: `${cost.offCpu * 100}%` }} />
        </div>
      )}
      {(logs.get(i)?.first ?? [])
        .filter((log) => log.severity >= 13 && log.time >= shown.from && log.time <= shown.to)
        .map((log) => (
          <i
            key={log.time}
            class="span-tick"
            style={{ left: share(placeIn(shown, log.time, 0).left) }}
            title={String(log.body)}
          />
        ))}
      <span class="span-time" style={{ left: `calc(${share(bar.left + bar.width)} + 6px)` }}>
        {formatNanos(duration)}
        {cost.samples > 0 ? ` · ${cost.samples} ◆` : ""}
      </span>
    </div>
  );
}
