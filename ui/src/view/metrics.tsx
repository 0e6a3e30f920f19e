// SPDX-License-Identifier: Apache-2.0
//
// When did it start? Charts with exemplars that link to traces, and marks for new versions.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Deployments, Exemplar, Metric, MetricLines, Metrics } from "../api/types";
import { seriesColor } from "../profile/color/series_color";
import { formatCount, formatCounted, formatValue, unitText } from "../profile/cost/units";
import { scopeOf, scopeParameters } from "../profile/query/url_state";
import { stepsJoined } from "../profile/signals/gaps";
import { nanosToMs } from "../profile/time/time_range";
import { go, hrefKeepingScope, update, updateExtra, urlState } from "../state/location";
import { useApi } from "../state/resource";
import { serviceColor, serviceNames, theme } from "../state/theme";
import { Chart, deployMarks, lineLabel } from "./graphs/chart";
import { HopList } from "./parts/hop_list";
import { Panel, Shown } from "./parts/parts";

const PANELS_MAX = 12;
const EXEMPLAR_PARTS = 40;

export function MetricsPage(): JSX.Element {
  const state = urlState.value;
  const metrics = useApi<Metrics>("metrics", state.q === "" ? [] : [["q", state.q]]);
  const chosen = (state.extra["metric"] ?? "").split(",").filter((name) => name !== "");
  const [find, setFind] = useState("");
  const all = metrics.data?.metrics ?? [];
  const shown = chosen.length > 0 ? all.filter((metric) => chosen.includes(metric.name)) : all.slice(0, 4);
  const toggle = (name: string): void => {
    const now = shown.map((metric) => metric.name);
    const next = now.includes(name) ? now.filter((other) => other !== name) : [...now, name].slice(-PANELS_MAX);
    updateExtra({ metric: next.join(",") });
  };
  const deployments = useApi<Deployments>("deployments", scopeParameters(scopeOf(state)));
  return (
    <>
      <div class="page-head">
        <h1>Metrics</h1>
        <input
          type="search"
          placeholder="Find a metric"
          aria-label="Find a metric"
          value={find}
          onInput={(event) => setFind(event.currentTarget.value)}
        />
        <select
          aria-label="Group by"
          value={state.by === "" ? "service.name" : state.by}
          onChange={(event) => update({ by: event.currentTarget.value })}
        >
          {[
            "service.name",
            "service.version",
            "host.name",
            "service.instance.id",
            ...new Set(shown.flatMap((metric) => metric.attributes)),
          ].map((key) => (
            <option key={key} value={key}>
              by {key}
            </option>
          ))}
        </select>
        <span class="muted">
          Drag over a chart to select a time range. Click a diamond (exemplar) to open its trace.
        </span>
      </div>
      <div class="grid">
        <div class="w4">
          <Panel
            title={
              metrics.data?.meta?.partial === true
                ? `${formatCount(all.length)}+ metrics`
                : formatCounted(all.length, "metric")
            }
            isFlush
            isLoading={metrics.isLoading}
          >
            <Shown of={metrics}>
              {(data) => (
                <div class="metric-list">
                  {data.metrics
                    .filter((metric) => metric.name.toLowerCase().includes(find.toLowerCase()))
                    .map((metric) => (
                      <label key={metric.name} class="menu-item" title={metric.description}>
                        <span class="row">
                          <input
                            type="checkbox"
                            checked={shown.includes(metric)}
                            onChange={() => toggle(metric.name)}
                          />
                          <span class="clip">{metric.name}</span>
                        </span>
                        <span class="faint">
                          {metric.type}
                          {unitText(metric.unit) === "" ? "" : `, ${unitText(metric.unit)}`}
                        </span>
                      </label>
                    ))}
                </div>
              )}
            </Shown>
          </Panel>
          <div class="gap" />
          <Panel title="Related data">
            <HopList
              parameters={[
                ...(state.q === "" ? [] : [["q", state.q] as [string, string]]),
                ["from", state.from],
                ["to", state.to],
                ["metric", shown[0]?.name ?? ""],
              ]}
            />
          </Panel>
        </div>
        <div class="w8 stack">
          {shown.map((metric) => (
            <MetricPanel key={metric.name} metric={metric} deployments={deployments.data} />
          ))}
        </div>
      </div>
    </>
  );
}

type FiniteExemplar = Exemplar & { readonly value: number };
const hasValue = (exemplar: Exemplar): exemplar is FiniteExemplar => exemplar.value !== null;

// The API returns the largest exemplars of the whole range; keep the largest of each part of the chart.
function worstOfEach(exemplars: readonly Exemplar[], startMs: number, spanMs: number): FiniteExemplar[] {
  const worst = new Map<number, FiniteExemplar>();
  for (const exemplar of exemplars.filter(hasValue)) {
    const part = Math.floor(((nanosToMs(exemplar.time) - startMs) / Math.max(1, spanMs)) * EXEMPLAR_PARTS);
    if (exemplar.value > (worst.get(part)?.value ?? -Infinity)) worst.set(part, exemplar);
  }
  return [...worst.values()];
}

const aggregates = (metric: Metric): readonly string[] =>
  metric.type.includes("histogram")
    ? ["p95", "p50", "p99", "count", "avg", "max"]
    : metric.type === "sum"
      ? ["sum", "avg", "max"]
      : ["avg", "sum", "min", "max"];

function MetricPanel({
  metric,
  deployments,
}: {
  readonly metric: Metric;
  readonly deployments: Deployments | null;
}): JSX.Element {
  const state = urlState.value;
  const [agg, setAgg] = useState(aggregates(metric)[0] ?? "avg");
  const isRate = (metric.type === "sum" && metric.is_monotonic) || agg === "count";
  const by = state.by === "" ? "service.name" : state.by;
  const lines = useApi<MetricLines>("metrics/query", [
    ["name", metric.name],
    ...(state.q === "" ? [] : [["q", state.q] as [string, string]]),
    ["from", state.from],
    ["to", state.to],
    ["by", by],
    ["agg", agg],
    ["rate", isRate ? "1" : "0"],
  ]);
  const mode = theme.value;
  const chart = useMemo(() => {
    const data = lines.data;
    if (data === null) return null;
    const start = nanosToMs(data.start);
    const count = data.lines[0]?.values.length ?? 0;
    const exemplars = data.lines.flatMap((line, i) =>
      worstOfEach(line.exemplars, start, (count * data.step) / 1e6).map((exemplar) => ({
        exemplar,
        point: { timeMs: nanosToMs(exemplar.time), value: exemplar.value, line: i },
      })),
    );
    return {
      timesMs: Array.from({ length: count }, (_, i) => start + (i * data.step) / 1e6),
      lines: data.lines.map((line, i) => {
        const label = lineLabel(line.key, line.is_other);
        return {
          label,
          values: line.values,
          stepsJoined: stepsJoined(data.step, line.interval),
          color: by === "service.name" ? serviceColor(label) : seriesColor(i, mode),
        };
      }),
      exemplars: isRate ? [] : exemplars,
    };
  }, [lines.data, mode, by, serviceNames.value]);
  const brush = (from: number, to: number): void =>
    update({ from: String(Math.round(from)), to: String(Math.round(to)) });
  return (
    <Panel
      title={
        <>
          {metric.name} <span class="faint">{metric.description}</span>
        </>
      }
      isFlush
      isLoading={lines.isLoading}
      actions={
        <>
          <select aria-label="Aggregate" value={agg} onChange={(event) => setAgg(event.currentTarget.value)}>
            {aggregates(metric).map((name) => (
              <option key={name} value={name}>
                {name}
                {metric.is_monotonic && name === "sum" ? " per second" : ""}
              </option>
            ))}
          </select>
          <a class="button ghost" href={hrefKeepingScope("/explore")}>
            Profile
          </a>
          <a class="button ghost" href={hrefKeepingScope("/traces", { extra: { sort: "duration" } })}>
            Slowest traces
          </a>
        </>
      }
    >
      <Shown of={lines}>
        {(data) =>
          chart === null ? null : (
            <Chart
              timesMs={chart.timesMs}
              lines={chart.lines}
              points={chart.exemplars.map((entry) => entry.point)}
              marks={deployMarks(deployments)}
              height={170}
              isBinary={data.unit === "By"}
              syncKey="metrics"
              label={metric.name}
              format={(value) => `${formatValue(value, data.unit)}${data.is_rate ? "/s" : ""}`}
              onBrush={brush}
              onPoint={(i) => {
                const exemplar = chart.exemplars[i]?.exemplar;
                if (exemplar !== undefined)
                  go(`/trace/${exemplar.trace_id}`, {
                    ...scopeOf(state),
                    q: "",
                    type: "",
                    from: "now-1h",
                    to: "now",
                    span: exemplar.span_id,
                  });
              }}
            />
          )
        }
      </Shown>
    </Panel>
  );
}
