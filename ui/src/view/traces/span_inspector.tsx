// SPDX-License-Identifier: Apache-2.0
//
// One span: time breakdown, profile, attributes and events, and related data.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Links, Trace } from "../../api/types";
import { formatNanos, formatShare } from "../../profile/cost/units";
import { nodeName } from "../../profile/flame/flame_layout";
import { EMPTY_STATE, scopeParameters } from "../../profile/query/url_state";
import { nanosToMs } from "../../profile/time/time_range";
import { go, hrefOf } from "../../state/location";
import { useApi } from "../../state/resource";
import { useFlame } from "../graphs/flame_data";
import { FlameView } from "../graphs/flame_view";
import { HopList } from "../parts/hop_list";
import { ErrorState, Facts, Quality, ServiceName, Tabs, textOf } from "../parts/parts";

const SCOPES = [
  ["self", "Span"],
  ["children", "With children"],
  ["thread", "Whole thread"],
] as const;

export function SpanInspector({ trace, span }: { readonly trace: Trace; readonly span: number }): JSX.Element {
  const { spans } = trace;
  const id = spans.span_id[span] ?? "";
  const service = trace.services[spans.service[span] ?? 0] ?? "";
  const duration = spans.duration[span] ?? 0;
  const logs = trace.logs.find((entry) => entry.span === span);
  const link: [string, string][] = [
    ["trace", trace.trace_id],
    ["span", id],
  ];
  const cost = useApi<Links>("links", link).data?.cost;
  return (
    <aside class="panel inspector" aria-label="Selected span">
      <section>
        <div class="name">{trace.names[spans.name[span] ?? 0]}</div>
        <div class="row wrap">
          <ServiceName name={service} />
          <span class="chip">{spans.kind[span]}</span>
          <span class="muted">
            {formatNanos(duration)}, self {formatNanos(spans.self[span] ?? 0)}
          </span>
        </div>
        {(spans.status_message[span] ?? "") !== "" && <div class="note bad">{spans.status_message[span]}</div>}
      </section>
      {cost !== undefined && (
        <section>
          <h2 class="row">
            <span class="grow">Time breakdown</span>
            <Quality of={cost.quality} />
          </h2>
          <div
            class="account"
            role="img"
            aria-label={[
              `on CPU ${formatNanos(cost.on_cpu_ns)}`,
              `off CPU ${formatNanos(cost.off_cpu_ns)}`,
              `unaccounted ${formatNanos(cost.unaccounted_ns)}`,
            ].join(", ")}
          >
            <i class="cpu" style={{ width: `${(cost.on_cpu_ns / Math.max(1, cost.duration_ns)) * 100}%` }} />
            <i class="wait" style={{ width: `${(cost.off_cpu_ns / Math.max(1, cost.duration_ns)) * 100}%` }} />
          </div>
          <dl class="facts">
            <dt>on CPU</dt>
            <dd class="number">
              {formatNanos(cost.on_cpu_ns)} · {formatShare(cost.on_cpu_ns / Math.max(1, cost.duration_ns))}
            </dd>
            <dt>off CPU</dt>
            <dd class="number">
              {formatNanos(cost.off_cpu_ns)} · {formatShare(cost.off_cpu_ns / Math.max(1, cost.duration_ns))}
            </dd>
            <dt>unaccounted</dt>
            <dd class="number">{formatNanos(cost.unaccounted_ns)}</dd>
          </dl>
        </section>
      )}
      <SpanFlame trace={trace} span={span} />
      <section>
        <h2>Related</h2>
        <HopList parameters={link} />
      </section>
      {logs !== undefined && (
        <section>
          <h2>Span logs ({logs.count})</h2>
          {logs.first.map((log) => (
            <div key={log.time} class="row">
              <i class={`dot sev-${log.severity >= 17 ? "error" : log.severity >= 13 ? "warn" : "info"}`} />
              <span class="faint number">+{formatNanos(log.time - (spans.start[span] ?? 0))}</span>
              <span class="grow">{textOf(log.body)}</span>
            </div>
          ))}
          <a href={hrefOf("/logs", { ...EMPTY_STATE, trace: trace.trace_id, span: id })}>View all</a>
        </section>
      )}
      {(spans.events[span] ?? []).length > 0 && (
        <section>
          <h2>Events</h2>
          {(spans.events[span] ?? []).map((event) => (
            <div key={event.time}>
              <div class="row">
                <span class="faint number">+{formatNanos(event.time - (spans.start[span] ?? 0))}</span>
                <b>{event.name}</b>
              </div>
              <Facts of={event.attributes} />
            </div>
          ))}
        </section>
      )}
      <section>
        <h2>Attributes</h2>
        <Facts of={spans.attributes[span] ?? {}} />
      </section>
      <section>
        <h2>Resource</h2>
        <Facts of={trace.resources[spans.resource[span] ?? 0]?.attributes ?? {}} />
      </section>
    </aside>
  );
}

function SpanFlame({ trace, span }: { readonly trace: Trace; readonly span: number }): JSX.Element {
  const id = trace.spans.span_id[span] ?? "";
  const own = trace.samples.find((entry) => entry.span === span);
  const types = own?.types ?? [];
  const [chosenType, setType] = useState("");
  const type = types.some((entry) => entry.type === chosenType)
    ? chosenType
    : (types.find((entry) => entry.type === "cpu") ?? types[0])?.type;
  const [scope, setScope] = useState<string>("self");
  const spanscope = own === undefined && scope === "self" ? "thread" : scope;
  const unit = types.find((entry) => entry.type === type)?.unit;
  const state = {
    ...EMPTY_STATE,
    trace: trace.trace_id,
    span: id,
    spanscope,
    type: type === undefined || unit === undefined ? "" : `${type}:${unit}`,
  };
  const flame = useFlame([...scopeParameters(state), ["nodes", "4000"]]);
  const duration = trace.spans.duration[span] ?? 0;
  const startMs = nanosToMs(trace.start);
  return (
    <section>
      <h2 class="row">
        <span class="grow">Span profile</span>
        <Quality of={spanscope === "thread" ? "inferred" : "exact"} />
      </h2>
      <div class="row wrap">
        <Tabs label="Samples" options={SCOPES} value={spanscope} onChoose={setScope} />
        {types.length > 1 && (
          <Tabs
            label="Type"
            options={types.map((entry) => [entry.type, entry.type === "off_cpu" ? "off CPU" : entry.type] as const)}
            value={type ?? ""}
            onChoose={setType}
          />
        )}
      </div>
      {flame.error !== null ? (
        <ErrorState error={flame.error} />
      ) : flame.data === null ? (
        <div class="state faint">Loading …</div>
      ) : flame.data.empty !== undefined ? (
        <div class="state">
          <strong>No samples</strong>
          {flame.data.empty.reason}
          {own === undefined && (
            <div>
              The span took {formatNanos(duration)}: at 100 samples per second, expect about{" "}
              {(duration / 1e7).toFixed(1)}.
            </div>
          )}
        </div>
      ) : (
        <div class="small-flame">
          <FlameView
            layout={flame.data.layout}
            colorMode="type"
            matching={null}
            isRootBelow={false}
            zoomed={0}
            selected={0}
            label="Flame graph of the span"
            onSelect={() => undefined}
            onZoom={(node) =>
              flame.data !== null && go("/explore", { ...state, sel: nodeName(flame.data.layout, node) })
            }
          />
        </div>
      )}
      <div class="row wrap">
        <a href={hrefOf("/explore", state)}>Explore</a>
        <a
          href={hrefOf("/diff", {
            ...state,
            baseline: {
              trace: "",
              span: "",
              spanname: trace.names[trace.spans.name[span] ?? 0] ?? "",
              from: String(Math.round(startMs - 3_600_000)),
              to: String(Math.round(startMs)),
            },
          })}
        >
          Compare with spans of the same name
        </a>
      </div>
    </section>
  );
}
