// SPDX-License-Identifier: Apache-2.0
//
// Which requests were slow? A search, durations over time, and the traces.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { getJson } from "../../api/client";
import type { TraceRow, Traces } from "../../api/types";
import { formatCount, formatNanos } from "../../profile/cost/units";
import { formatAgo, nanosToMs } from "../../profile/time/time_range";
import { go, hrefKeepingScope, hrefOf, nowMs, updateExtra, urlState } from "../../state/location";
import { type Resource, useApi } from "../../state/resource";
import { serviceColor } from "../../state/theme";
import { clock } from "../../state/time_zone";
import { Panel, ServiceName, Shown, say } from "../parts/parts";

const KEYS = ["name", "min_duration", "max_duration", "status", "attr"] as const;

const PAGE = 200;
const SLOWEST_MAX = 500; // the maximum that the server sorts by duration

// The newest traces are loaded in pages. The slowest have no pages, so more of them needs a request with a larger limit.
function useTraces(sort: string): {
  first: Resource<Traces>;
  traces: readonly TraceRow[];
  isAll: boolean;
  hasMore: boolean;
  isFetching: boolean;
  showMore: () => void;
} {
  const state = urlState.value;
  const [slowest, setSlowest] = useState({ of: "", limit: PAGE });
  const conditions: [string, string][] = [
    ...(state.q === "" ? [] : [["q", state.q] as [string, string]]),
    ["from", state.from],
    ["sort", sort],
    ...KEYS.flatMap((key) =>
      state.extra[key] === undefined || state.extra[key] === ""
        ? []
        : [[key, state.extra[key] ?? ""] as [string, string]],
    ),
  ];
  const requestKey = JSON.stringify([...conditions, state.to]);
  const limit = slowest.of === requestKey ? slowest.limit : PAGE;
  const first = useApi<Traces>("traces", [...conditions, ["to", state.to], ["limit", String(limit)]]);
  const [more, setMore] = useState<{ key: Traces; traces: readonly TraceRow[]; next: string | null } | null>(null);
  const [isFetching, setFetching] = useState(false);
  const pages = first.data !== null && more?.key === first.data ? more : null;
  const traces = joinTraces(first.data?.traces ?? [], pages?.traces ?? []);
  const next = pages === null ? (first.data?.next ?? null) : pages.next;
  const showMore = (): void => {
    if (sort === "duration") {
      setSlowest({ of: requestKey, limit: SLOWEST_MAX });
      return;
    }
    if (next === null || isFetching || first.data === null) return;
    const key = first.data;
    setFetching(true);
    getJson<Traces>("traces", [...conditions, ["to", next], ["limit", String(PAGE)]], new AbortController().signal)
      .then(
        (page) => setMore({ key, traces: [...(pages?.traces ?? []), ...page.traces], next: page.next }),
        (error: unknown) => say(error instanceof Error ? error.message : String(error)),
      )
      .finally(() => setFetching(false));
  };
  const hasMore = sort === "duration" ? first.data?.has_more === true && limit < SLOWEST_MAX : next !== null;
  const isAll = sort === "duration" ? first.data?.has_more === false : next === null;
  return { first, traces, isAll, hasMore, isFetching: isFetching || first.isLoading, showMore };
}

// A trace with spans in two pages is in both; the first row has its newest spans.
function joinTraces(first: readonly TraceRow[], more: readonly TraceRow[]): TraceRow[] {
  const rows = new Map<string, TraceRow>();
  for (const trace of [...first, ...more]) if (!rows.has(trace.trace_id)) rows.set(trace.trace_id, trace);
  return [...rows.values()];
}

const countOf = (count: number, sort: string, isAll: boolean): string =>
  isAll
    ? `${formatCount(count)} ${count === 1 ? "trace" : "traces"}`
    : `${sort === "duration" ? "Slowest" : "Newest"} ${formatCount(count)} traces`;

export function TracesPage(): JSX.Element {
  const state = urlState.value;
  const sort = state.extra["sort"] ?? "start";
  const { first, traces, isAll, hasMore, isFetching, showMore } = useTraces(sort);
  const name = state.extra["name"] ?? "";
  return (
    <>
      <div class="page-head">
        <h1>Traces</h1>
        <Filter label="Span name" placeholder="name or /regex/" of="name" width={200} />
        <Filter label="Minimum duration" placeholder="20ms" of="min_duration" width={80} />
        <Filter label="Maximum duration" placeholder="2s" of="max_duration" width={80} />
        <Filter label="Attribute" placeholder="KEY=VALUE" of="attr" width={170} />
        <select
          aria-label="Status"
          value={state.extra["status"] ?? ""}
          onChange={(event) => updateExtra({ status: event.currentTarget.value })}
        >
          <option value="">any status</option>
          <option value="error">failed</option>
          <option value="ok">ok</option>
          <option value="unset">unset</option>
        </select>
        <select aria-label="Order" value={sort} onChange={(event) => updateExtra({ sort: event.currentTarget.value })}>
          <option value="start">newest first</option>
          <option value="duration">slowest first</option>
        </select>
        <div class="grow" />
        {name !== "" && !name.startsWith("/") && (
          <a class="button" href={hrefKeepingScope("/explore", { spanname: name })}>
            Profile of these spans
          </a>
        )}
      </div>
      <Panel title="Durations" isFlush isLoading={isFetching}>
        <Shown of={first}>{() => <Scatter traces={traces} />}</Shown>
      </Panel>
      <div class="gap" />
      <Panel title={first.data === null ? "Traces" : countOf(traces.length, sort, isAll)} isFlush>
        <Shown of={first}>
          {() => (
            <>
              <table class="list">
                <colgroup>
                  <col style={{ width: "86px" }} />
                  <col />
                  <col style={{ width: "100px" }} />
                  <col style={{ width: "120px" }} />
                  <col style={{ width: "70px" }} />
                  <col style={{ width: "32%" }} />
                  <col style={{ width: "92px" }} />
                </colgroup>
                <thead>
                  <tr>
                    <th>Time</th>
                    <th>Trace</th>
                    <th class="number">Duration</th>
                    <th class="number">Matching span</th>
                    <th class="number">Spans</th>
                    <th>Services</th>
                    <th class="number">
                      <span class="visually-hidden">Errors</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {traces.map((trace) => (
                    <tr key={trace.trace_id}>
                      <td class="muted number" title={formatAgo(nanosToMs(trace.root.start), nowMs.value)}>
                        {clock(nanosToMs(trace.root.start))}
                      </td>
                      <td>
                        <span class="row">
                          <i class="dot" style={{ background: serviceColor(trace.root.service) }} />
                          <a class="clip" href={traceHref(trace)}>
                            {trace.root.name}
                          </a>
                          <span class="faint clip">{trace.root.service}</span>
                          {trace.root.is_orphan && (
                            <span class="chip" title="Root span not received">
                              no root
                            </span>
                          )}
                        </span>
                      </td>
                      <td class="number">{formatNanos(trace.root.duration)}</td>
                      <td class="number muted">{formatNanos(trace.longest_match)}</td>
                      <td class="number">{trace.spans}</td>
                      <td>
                        <span class="row">
                          {trace.services.map((service) => (
                            <ServiceName key={service} name={service} isLink={false} />
                          ))}
                        </span>
                      </td>
                      <td class="number">
                        {trace.errors > 0 && <span class="chip error">{trace.errors} failed</span>}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
              {hasMore && (
                <div class="pad">
                  <button type="button" class="button" disabled={isFetching} onClick={showMore}>
                    {isFetching ? "Loading …" : "Show more"}
                  </button>
                </div>
              )}
              {!hasMore && !isAll && (
                <div class="pad faint">More traces match. Add a filter or shorten the time range to see them.</div>
              )}
            </>
          )}
        </Shown>
      </Panel>
    </>
  );
}

const traceHref = (trace: TraceRow): string => hrefOf(`/trace/${trace.trace_id}`);

function Filter({
  label,
  of,
  placeholder,
  width,
}: {
  readonly label: string;
  readonly of: string;
  readonly placeholder: string;
  readonly width: number;
}): JSX.Element {
  const value = urlState.value.extra[of] ?? "";
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  const apply = (): void => {
    if (draft !== value) updateExtra({ [of]: draft.trim() });
  };
  return (
    <input
      type={of === "name" ? "search" : "text"}
      aria-label={label}
      title={label}
      placeholder={placeholder}
      value={draft}
      style={{ width: `${width}px` }}
      onInput={(event) => setDraft(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => event.key === "Enter" && apply()}
    />
  );
}

const PLOT_HEIGHT = 130;
const TIME_HEIGHT = 18;

// Logarithmic, because traces of a minute and of a millisecond are both relevant. The time axis covers only the start
// times of the listed traces, which may be just the end of the range.
function Scatter({ traces }: { readonly traces: readonly TraceRow[] }): JSX.Element {
  const host = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(1000);
  useEffect(() => {
    if (host.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(200, entry?.contentRect.width ?? 0)));
    observer.observe(host.current);
    return () => observer.disconnect();
  }, []);
  const starts = traces.map((trace) => nanosToMs(trace.root.start));
  const from = Math.min(...starts);
  const to = Math.max(...starts, from + 1);
  const x = (ms: number): number => 60 + ((ms - from) / (to - from)) * (width - 72);
  const most = Math.max(...traces.map((trace) => trace.longest_match), 1e6);
  const least = Math.max(1, Math.min(...traces.map((trace) => trace.longest_match), most / 10));
  const top = Math.log(most * 1.3);
  const bottom = Math.log(least / 1.3);
  const y = (nanos: number): number =>
    PLOT_HEIGHT - 8 - ((Math.log(Math.max(nanos, 1)) - bottom) / (top - bottom)) * (PLOT_HEIGHT - 16);
  const ticks = Array.from({ length: 14 }, (_, i) => 10 ** i).filter(
    (tick) => tick >= least / 1.3 && tick <= most * 1.3,
  );
  return (
    <svg
      class="scatter"
      ref={host}
      height={PLOT_HEIGHT + TIME_HEIGHT}
      role="img"
      aria-label={`Durations of ${traces.length} traces over time`}
    >
      {ticks.map((tick) => (
        <line key={tick} x1="54" x2={width - 6} y1={y(tick)} y2={y(tick)} stroke="var(--line-soft)" />
      ))}
      {ticks.map((tick) => (
        <text key={tick} x="48" y={y(tick) + 4} text-anchor="end">
          {formatNanos(tick)}
        </text>
      ))}
      {traces.map((trace) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the list below links to the same traces
        <circle
          key={trace.trace_id}
          cx={x(nanosToMs(trace.root.start))}
          cy={y(trace.longest_match)}
          r="3.5"
          fill={trace.errors > 0 ? "var(--bad)" : serviceColor(trace.root.service)}
          opacity="0.75"
          class="point"
          onClick={() =>
            go(`/trace/${trace.trace_id}`, { ...urlState.peek(), extra: {}, q: "", from: "now-1h", to: "now" })
          }
        >
          <title>
            {trace.root.name}, {formatNanos(trace.longest_match)}
          </title>
        </circle>
      ))}
      {traces.length > 0 &&
        [from, to].map((ms, i) => (
          <text key={i} x={x(ms)} y={PLOT_HEIGHT + TIME_HEIGHT - 5} text-anchor={i === 0 ? "start" : "end"}>
            {clock(ms)}
          </text>
        ))}
    </svg>
  );
}
