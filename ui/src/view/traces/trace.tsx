// SPDX-License-Identifier: Apache-2.0
//
// Why was this request slow? The spans, what the request waited for, and what the code executed.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Trace } from "../../api/types";
import { formatNanos } from "../../profile/cost/units";
import { EMPTY_STATE } from "../../profile/query/url_state";
import { nanosToMs } from "../../profile/time/time_range";
import { hrefOf, update, urlState } from "../../state/location";
import { useApi } from "../../state/resource";
import { clock, day } from "../../state/time_zone";
import { ErrorState, PartialNote, Tile } from "../parts/parts";
import { SpanInspector } from "./span_inspector";
import { Waterfall } from "./waterfall";

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
  const start = nanosToMs(trace.start);
  const rootName = trace.names[spans.name[trace.root] ?? 0] ?? "";
  const errors = spans.status.filter((status) => status === "error").length;
  return (
    <>
      <div class="page-head">
        <h1>{rootName}</h1>
        <span class="muted">
          {day(start)} {clock(start, true)} · <code>{trace.trace_id}</code>
        </span>
        <div class="grow" />
        <a
          class="button"
          href={hrefOf("/explore", { ...EMPTY_STATE, trace: trace.trace_id })}
          title="All samples tagged with a span of this trace, across services"
        >
          Profile of this trace
        </a>
        <div class="tiles">
          <Tile name="duration">{formatNanos(trace.duration)}</Tile>
          <Tile name="spans">{spans.span_id.length}</Tile>
          {errors > 0 && <Tile name="failed">{errors}</Tile>}
          <Tile name="samples">
            {trace.samples.reduce((sum, entry) => sum + entry.types.reduce((all, type) => all + type.count, 0), 0)}
          </Tile>
        </div>
      </div>
      <PartialNote meta={trace.meta} />
      <div class="workbench wide">
        <Waterfall trace={trace} selected={selected} onSelect={select} />
        <SpanInspector trace={trace} span={selected} />
      </div>
    </>
  );
}

const sumOf = (entry: Trace["samples"][number]): number =>
  entry.types.reduce((sum, type) => sum + (type.unit === "nanoseconds" && type.type === "cpu" ? type.sum : 0), 0);
