// SPDX-License-Identifier: Apache-2.0
//
// What did the program log at this time? Records in pages, with links to their traces and profiles.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { getJson } from "../../api/client";
import type { LogRecord, Logs, LogVolume } from "../../api/types";
import { withMatch } from "../../profile/query/selector";
import { EMPTY_STATE } from "../../profile/query/url_state";
import { PATTERNS_MAX } from "../../profile/signals/log_facets";
import { msToNanos, nanosToMs } from "../../profile/time/time_range";
import { useRefreshHold } from "../../state/auto_refresh";
import { hrefKeepingScope, hrefOf, update, updateExtra, urlState } from "../../state/location";
import { useApi } from "../../state/resource";
import { clock, day } from "../../state/time_zone";
import { HopList } from "../parts/hop_list";
import { EmptyState, ErrorState, Facts, PartialNote, ServiceName, say, textOf } from "../parts/parts";
import { VirtualList } from "../parts/virtual_list";
import { LogFacetPanel } from "./log_facets";
import { LogVolumePanel } from "./log_volume";

const SEVERITIES = ["trace", "debug", "info", "warn", "error", "fatal"];
const severityClass = (severity: number): string =>
  severity >= 17 ? "error" : severity >= 13 ? "warn" : severity >= 9 ? "info" : "debug";

export function LogsPage(): JSX.Element {
  const state = urlState.value;
  const text = state.extra["text"] ?? "";
  const isOfTrace = state.trace !== "";
  const parameters: [string, string][] = [
    ...(state.q === "" ? [] : [["q", state.q] as [string, string]]),
    ...(isOfTrace
      ? [
          ["trace", state.trace] as [string, string],
          ...(state.span === "" ? [] : [["span", state.span] as [string, string]]),
        ]
      : [["from", state.from] as [string, string], ["to", state.to] as [string, string]]),
    ...["severity", "text", "order"].flatMap((key) =>
      (state.extra[key] ?? "") === "" ? [] : [[key, state.extra[key] ?? ""] as [string, string]],
    ),
    ["limit", "500"],
  ];
  const first = useApi<Logs>("logs", parameters);
  const volume = useApi<LogVolume>("logs/volume", [
    ...parameters.filter(([key]) => key !== "limit" && key !== "order"),
    ["facets", String(PATTERNS_MAX)],
  ]);
  const [more, setMore] = useState<{ key: Logs; records: readonly LogRecord[]; next: string | null } | null>(null);
  const [isFetching, setFetching] = useState(false);
  const [selected, setSelected] = useState(-1);
  useEffect(() => setSelected(-1), [first.data]);
  const pages = first.data !== null && more?.key === first.data ? more : null;
  const records = [...(first.data?.records ?? []), ...(pages?.records ?? [])];
  const next = pages === null ? (first.data?.next ?? null) : pages.next;
  const fetchMore = (): void => {
    if (next === null || isFetching || first.data === null) return;
    const key = first.data;
    setFetching(true);
    getJson<Logs>("logs", [...parameters, ["cursor", next]], new AbortController().signal)
      .then(
        (page) => setMore({ key, records: [...(pages?.records ?? []), ...page.records], next: page.next }),
        (error: unknown) => say(error instanceof Error ? error.message : String(error)),
      )
      .finally(() => setFetching(false));
  };
  const [draft, setDraft] = useState(text);
  useEffect(() => setDraft(text), [text]);
  const record = records[selected];
  useRefreshHold(record === undefined ? "" : "a record is selected");
  return (
    <>
      <div class="page-head">
        <h1>Logs</h1>
        <input
          type="search"
          placeholder="Text or /regex/"
          aria-label="Text"
          value={draft}
          onInput={(event) => setDraft(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && updateExtra({ text: draft })}
          onBlur={() => draft !== text && updateExtra({ text: draft })}
        />
        <select
          aria-label="Severity"
          value={state.extra["severity"] ?? ""}
          onChange={(event) => updateExtra({ severity: event.currentTarget.value })}
        >
          <option value="">any severity</option>
          {SEVERITIES.map((name) => (
            <option key={name} value={name}>
              {name} and above
            </option>
          ))}
        </select>
        <select
          aria-label="Order"
          value={state.extra["order"] ?? "desc"}
          onChange={(event) => updateExtra({ order: event.currentTarget.value })}
        >
          <option value="desc">newest first</option>
          <option value="asc">oldest first</option>
        </select>
        {isOfTrace && (
          <span class="chip">
            {state.span === "" ? "trace" : "span"} {(state.span === "" ? state.trace : state.span).slice(0, 8)}{" "}
            <button type="button" aria-label="Remove trace filter" onClick={() => update({ trace: "", span: "" })}>
              ×
            </button>
          </span>
        )}
        {isOfTrace && <a href={hrefOf(`/trace/${state.trace}`, { ...EMPTY_STATE, span: state.span })}>Open trace</a>}
        <div class="grow" />
        <a class="button" href={hrefKeepingScope("/explore")}>
          Profile for this time range
        </a>
      </div>
      <PartialNote meta={first.data?.meta} />
      {!isOfTrace && <LogVolumePanel data={volume.data} />}
      <div class={`workbench has-facets ${record === undefined ? "no-inspector" : ""}`}>
        <LogFacetPanel records={records} volume={volume} />
        <section class="panel" aria-label="Records">
          {first.isLoading && <div class="progress-line" />}
          {first.error !== null ? (
            <ErrorState error={first.error} />
          ) : first.data?.empty !== undefined && records.length === 0 ? (
            <EmptyState empty={first.data.empty} />
          ) : (
            <VirtualList
              class="grow"
              role="grid"
              label="Log records"
              count={records.length}
              rowPx={26}
              revealed={selected}
              onEnd={fetchMore}
              onKey={(event) => {
                const way = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
                if (way === 0) return;
                event.preventDefault();
                setSelected(Math.max(0, Math.min(records.length - 1, selected + way)));
              }}
              row={(i) => {
                const entry = records[i];
                return entry === undefined ? null : (
                  <LogRow
                    record={entry}
                    isSelected={i === selected}
                    onSelect={() => setSelected(i === selected ? -1 : i)}
                  />
                );
              }}
            />
          )}
          <div class="status-line">
            <span>
              {records.length} records{next === null ? "" : ", scroll for more"}
            </span>
            {isFetching && <span>Loading …</span>}
          </div>
        </section>
        {record !== undefined && <RecordInspector record={record} />}
      </div>
    </>
  );
}

function LogRow({
  record,
  isSelected,
  onSelect,
}: {
  readonly record: LogRecord;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}): JSX.Element {
  const kind = severityClass(record.severity);
  const ms = nanosToMs(record.time);
  return (
    <div class="log-row" role="row" aria-selected={isSelected} onClick={onSelect} title={day(ms)}>
      <i class={`stripe sev-${kind}`} />
      <span class="number muted" role="gridcell">
        {clock(ms, true)}
      </span>
      <span role="gridcell" class={kind === "error" ? "bad-text" : kind === "warn" ? "warn-text" : "faint"}>
        {record.severity_text || kind}
      </span>
      <span class="clip" role="gridcell">
        <ServiceName name={record.service} isLink={false} />
      </span>
      <span class="clip" role="gridcell">
        {textOf(record.body)}
      </span>
      <span role="gridcell">
        {record.trace_id !== undefined && record.trace_id !== "" && (
          <a class="chip" href={hrefOf(`/trace/${record.trace_id}`, { ...EMPTY_STATE, span: record.span_id ?? "" })}>
            trace
          </a>
        )}
      </span>
    </div>
  );
}

function RecordInspector({ record }: { readonly record: LogRecord }): JSX.Element {
  const ms = nanosToMs(record.time);
  const around = hrefOf("/explore", {
    ...EMPTY_STATE,
    q: withMatch("", "service.name", record.service),
    from: msToNanos(ms - 50),
    to: msToNanos(ms + 50),
  });
  return (
    <aside class="panel inspector" aria-label="Selected record">
      <section>
        <div class="muted">
          {day(ms)} {clock(ms, true)}
        </div>
        <div class="name">{textOf(record.body)}</div>
        <ServiceName name={record.service} />
      </section>
      <section>
        <h2>Related</h2>
        <p>
          <a href={around}>Profile of the service, ±50 ms</a> <span class="chip inferred">inferred</span>
        </p>
        {record.trace_id !== undefined && record.trace_id !== "" ? (
          <HopList
            parameters={[
              ["trace", record.trace_id],
              ...(record.span_id === undefined || record.span_id === ""
                ? []
                : [["span", record.span_id] as [string, string]]),
            ]}
          />
        ) : (
          <span class="faint">This record has no trace ID.</span>
        )}
      </section>
      <section>
        <h2>Attributes</h2>
        <Facts of={record.attributes} />
      </section>
    </aside>
  );
}
