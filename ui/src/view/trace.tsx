// SPDX-License-Identifier: Apache-2.0
//
// Why was this request slow? The spans, what the request waited for, and what the code did meanwhile.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Trace } from "../api/types";
import { formatClock, formatDay, nanosToMs } from "../profile/time_range";
import { formatNanos } from "../profile/units";
import { EMPTY_STATE } from "../profile/url_state";
import { costOf, parentSet, spanDepths, visibleSpans } from "../profile/waterfall";
import { hrefOf, update, urlState } from "../state/location";
import { useApi } from "../state/resource";
import { serviceColor } from "../state/theme";
import { VirtualList } from "./chart";
import { ErrorState, PartialNote, ServiceName, Tile } from "./parts";
import { SpanInspector } from "./span_inspector";

export function TracePage({ id }: { readonly id: string }): JSX.Element {
  const trace = useApi<Trace>(`trace/${encodeURIComponent(id)}`);
  if (trace.error !== null && trace.data === null) return <ErrorState error={trace.error} />;
  if (trace.data === null) return <div class="state faint">Loading …</div>;
  return <TraceView trace={trace.data} />;
}

function TraceView({ trace }: { readonly trace: Trace }): JSX.Element {
  const { spans } = trace;
  const { span: wanted } = urlState.value;
  const hottest = useMemo(() => {
    const most = [...trace.samples].filter((entry) => entry.span >= 0).sort((a, b) => sumOf(b) - sumOf(a))[0];
    return most?.span ?? trace.root;
  }, [trace]);
  const found = spans.span_id.indexOf(wanted);
  const selected = found >= 0 ? found : hottest;
  const select = (i: number): void => update({ span: spans.span_id[i] ?? "" }, true);
  const [closed, setClosed] = useState<ReadonlySet<number>>(new Set());
  const rows = useMemo(() => visibleSpans(spans.parent, closed), [trace, closed]);
  const at = rows.indexOf(selected);
  const toggle = (i: number): void => {
    const next = new Set(closed);
    if (!next.delete(i)) next.add(i);
    setClosed(next);
  };
  const start = nanosToMs(trace.start);
  const rootName = trace.names[spans.name[trace.root] ?? 0] ?? "";
  const errors = spans.status.filter((status) => status === "error").length;
  return (
    <>
      <div class="page-head">
        <h1>{rootName}</h1>
        <span class="muted">{formatDay(start)} {formatClock(start, true)} · <code>{trace.trace_id}</code></span>
        <div class="grow" />
        <a class="button" href={hrefOf("/explore", { ...EMPTY_STATE, trace: trace.trace_id })} title="All samples that carry a span of this trace, of all services">Profile of the whole trace</a>
        <div class="tiles">
          <Tile name="duration">{formatNanos(trace.duration)}</Tile>
          <Tile name="spans">{spans.span_id.length}</Tile>
          {errors > 0 && <Tile name="failed">{errors}</Tile>}
          <Tile name="samples">{trace.samples.reduce((sum, entry) => sum + entry.types.reduce((all, type) => all + type.count, 0), 0)}</Tile>
        </div>
      </div>
      <PartialNote meta={trace.meta} />
      <div class="workbench wide">
        <section class="panel" aria-label="Spans">
          <div class="toolbar">
            {trace.services.map((service) => <ServiceName key={service} name={service} />)}
            <div class="grow" />
            <span class="swatches"><span><i class="dot" style={{ background: "var(--text)" }} /> critical path</span><span><i class="dot" style={{ background: "var(--cpu)" }} /> on CPU</span><span><i class="dot" style={{ background: "var(--wait)" }} /> off CPU</span></span>
          </div>
          <div class="time-axis"><span class="pad">Span</span><span class="ticks">{[0, 0.25, 0.5, 0.75, 1].map((part) => <span key={part}>{formatNanos(trace.duration * part)}</span>)}</span></div>
          <VirtualList class="waterfall" role="treegrid" label="Spans of the trace" count={rows.length} rowPx={26} revealed={at}
            onKey={(event) => {
              const next = event.key === "ArrowDown" ? rows[at + 1] : event.key === "ArrowUp" ? rows[at - 1] : undefined;
              if (next !== undefined) select(next);
              else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
                if (closed.has(selected) === (event.key === "ArrowRight")) toggle(selected);
              } else return;
              event.preventDefault();
            }}
            row={(i) => <SpanRow trace={trace} span={rows[i] ?? 0} isSelected={rows[i] === selected} isClosed={closed.has(rows[i] ?? 0)} onSelect={select} onToggle={toggle} />} />
        </section>
        <SpanInspector trace={trace} span={selected} />
      </div>
    </>
  );
}

const sumOf = (entry: Trace["samples"][number]): number => entry.types.reduce((sum, type) => sum + (type.unit === "nanoseconds" && type.type === "cpu" ? type.sum : 0), 0);

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
  for (const { span, from, to } of trace.critical_path) critical.set(span, [...(critical.get(span) ?? []), { from, to }]);
  const made: Derived = {
    depth: spanDepths(trace.spans.parent), parents: parentSet(trace.spans.parent), critical,
    samples: new Map(trace.samples.map((entry) => [entry.span, entry])), logs: new Map(trace.logs.map((entry) => [entry.span, entry])),
  };
  derived.set(trace, made);
  return made;
}

function SpanRow(props: { readonly trace: Trace; readonly span: number; readonly isSelected: boolean; readonly isClosed: boolean; readonly onSelect: (span: number) => void; readonly onToggle: (span: number) => void }): JSX.Element {
  const { trace, span: i } = props;
  const { spans } = trace;
  const { depth, parents, critical, samples, logs } = derive(trace);
  const percent = (nanos: number): string => `${(nanos / Math.max(1, trace.duration)) * 100}%`;
  const start = spans.start[i] ?? 0;
  const duration = spans.duration[i] ?? 0;
  const service = trace.services[spans.service[i] ?? 0] ?? "";
  const cost = costOf(samples.get(i)?.types ?? [], duration);
  const failed = spans.status[i] === "error";
  return (
    <div class="span-row" role="row" aria-selected={props.isSelected} aria-level={(depth[i] ?? 0) + 1} aria-expanded={parents.has(i) ? !props.isClosed : undefined} onClick={() => props.onSelect(i)}>
      <div class="span-name" role="gridcell" style={{ paddingLeft: `${8 + Math.min(depth[i] ?? 0, 24) * 13}px` }}>
        {parents.has(i) ? <button class="fold" tabIndex={-1} aria-label={props.isClosed ? "Open" : "Close"} onClick={() => props.onToggle(i)}>{props.isClosed ? "▸" : "▾"}</button> : <span class="fold" />}
        <i class="dot" style={{ background: serviceColor(service) }} />
        <span class="clip">{trace.names[spans.name[i] ?? 0]}</span>
        <span class="faint clip">{service}</span>
        {failed && <span class="chip error">failed</span>}
        {spans.parent_is[i] === "missing" && <span class="chip" title="its parent was not received">orphan</span>}
      </div>
      <div class="span-lane" role="gridcell">
        <div class="span-bar" style={{ left: percent(start), width: percent(duration), background: failed ? "var(--bad)" : serviceColor(service) }} />
        {(critical.get(i) ?? []).map((part) => <div key={part.from} class="span-critical" style={{ left: percent(part.from), width: percent(part.to - part.from) }} />)}
        {cost.samples > 0 && (
          <div class="span-ribbon" style={{ left: percent(start), width: percent(duration) }} title={`on CPU ${Math.round(cost.onCpu * 100)} %, off CPU ${Math.round(cost.offCpu * 100)} %`}>
            <i class="cpu" style={{ width: `${cost.onCpu * 100}%` }} /><i class="wait" style={{ width: `${cost.offCpu * 100}%` }} />
          </div>
        )}
        {(logs.get(i)?.first ?? []).filter((log) => log.severity >= 13).map((log) => <i key={log.time} class="span-tick" style={{ left: percent(log.time) }} title={String(log.body)} />)}
        <span class="span-time" style={{ left: `calc(${percent(start + duration)} + 6px)` }}>
          {formatNanos(duration)}{cost.samples > 0 ? ` · ${cost.samples} ◆` : ""}
        </span>
      </div>
    </div>
  );
}
