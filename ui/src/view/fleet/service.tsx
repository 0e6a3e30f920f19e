// SPDX-License-Identifier: Apache-2.0
//
// One service: its cost, its changes, and related data.
import type { JSX } from "preact";
import type { Deployments, Regressions, Series, Services, Top, Traces } from "../../api/types";
import { cores, formatCores, formatCounted, formatNanos, formatSigned, formatValue } from "../../profile/cost/units";
import { withMatch } from "../../profile/query/selector";
import { scopeOf, scopeParameters } from "../../profile/query/url_state";
import { formatAgo, nanosToMs } from "../../profile/time/time_range";
import { hrefOf, nowMs, update, urlState } from "../../state/location";
import { useApi } from "../../state/resource";
import { Chart, deployMarks, seriesLines } from "../graphs/chart";
import { HopList } from "../parts/hop_list";
import { FunctionName, Panel, ServiceName, Share, Shown } from "../parts/parts";

export function ServicePage({ name }: { readonly name: string }): JSX.Element {
  const state = { ...scopeOf(urlState.value), q: withMatch(urlState.value.q, "service.name", name) };
  const scope = scopeParameters(state);
  const series = useApi<Series>("series", [...scope, ["by", "service.version"]]);
  const deployments = useApi<Deployments>("deployments", scope);
  const top = useApi<Top>("top", [...scope, ["limit", "15"], ["sort", "total"]]);
  const services = useApi<Services>("services", [["q", withMatch("", "service.name", name)]]);
  const traces = useApi<Traces>("traces", [
    ["q", state.q],
    ["from", state.from],
    ["to", state.to],
    ["sort", "duration"],
    ["limit", "8"],
  ]);
  const versions = deployments.data?.versions ?? [];
  const [last, before] = [versions.at(-1), versions.at(-2)];
  const span = series.data?.observed_ns ?? 0;
  const total = series.data?.lines.reduce((sum, line) => sum + line.total, 0) ?? 0;
  const busy = cores(total, series.data?.unit ?? "", span);
  const link = (to: string): string => hrefOf(to, state);
  const seen = services.data?.services[0];
  return (
    <>
      <div class="page-head">
        <h1>
          <ServiceName name={name} isLink={false} />
        </h1>
        {last !== undefined && <span class="chip">{last.version === "" ? "no version" : last.version}</span>}
        {seen !== undefined && (
          <span class="muted">
            {seen.instances} {seen.instances === 1 ? "instance" : "instances"}, seen{" "}
            {formatAgo(Math.min(nowMs.value, nanosToMs(seen.last_seen) + 60_000), nowMs.value)}
          </span>
        )}
        {seen !== undefined && seen.named_by.length > 0 && (
          <span
            class="chip"
            title="service.name was not set, so the recorder chose this name. Set OTEL_SERVICE_NAME to change it."
          >
            named by {seen.named_by.join(", ")}
          </span>
        )}
        <div class="grow" />
        <a class="button primary" href={link("/explore")}>
          Explore
        </a>
        {before !== undefined && last !== undefined && (
          <a class="button" href={compareHref(state, before.version, last.version)}>
            Compare {before.version} with {last.version}
          </a>
        )}
        <a class="button" href={link("/traces")}>
          Traces
        </a>
        <a class="button" href={link("/charts")}>
          Metrics
        </a>
        <a class="button" href={link("/logs")}>
          Logs
        </a>
      </div>
      <div class="grid">
        <Panel
          class="w8"
          title={`Cost by version${busy === null ? "" : ", in cores"}`}
          isLoading={series.isLoading}
          isFlush
          actions={busy !== null && <span class="muted">{formatCores(busy)} cores on average</span>}
        >
          <Shown of={series}>
            {(data) => (
              <Chart
                {...seriesLines(data, false)}
                height={190}
                isStacked
                marks={deployMarks(deployments.data)}
                label="Cost over time by version"
                onBrush={(from, to) => update({ from: String(Math.round(from)), to: String(Math.round(to)) })}
              />
            )}
          </Shown>
        </Panel>
        <Panel class="w4" title="Related data">
          <HopList
            parameters={[
              ["q", state.q],
              ["from", state.from],
              ["to", state.to],
            ]}
          />
        </Panel>
        {versions.length > 1 && <RegressionPanel scope={scope} />}
        <Panel
          class={versions.length > 1 ? "w5" : "w6"}
          title="Top functions by total"
          isFlush
          isLoading={top.isLoading}
        >
          <Shown of={top}>
            {(data) => (
              <table class="list">
                <colgroup>
                  <col />
                  <col style={{ width: "150px" }} />
                </colgroup>
                <tbody>
                  {data.rows.map((row) => (
                    <tr key={`${row.function} ${row.file} ${row.module}`}>
                      <td>
                        <FunctionName name={row.function} scope={{ q: state.q }} />
                      </td>
                      <td>
                        <Share of={data.total === 0 ? 0 : row.total / data.total} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </Shown>
        </Panel>
        <Panel
          class={versions.length > 1 ? "w12" : "w6"}
          title="Slowest traces"
          isFlush
          isLoading={traces.isLoading}
          actions={<a href={hrefOf("/traces", { ...state, extra: { sort: "duration" } })}>All</a>}
        >
          <Shown of={traces}>
            {(data) => (
              <table class="list">
                <colgroup>
                  <col />
                  <col style={{ width: "90px" }} />
                  <col style={{ width: "90px" }} />
                  <col style={{ width: "100px" }} />
                </colgroup>
                <tbody>
                  {data.traces.map((trace) => (
                    <tr key={trace.trace_id}>
                      <td>
                        <a href={hrefOf(`/trace/${trace.trace_id}`)}>{trace.root.name}</a>
                      </td>
                      <td class="number">{formatNanos(trace.longest_match)}</td>
                      <td class="number muted">{formatCounted(trace.spans, "span")}</td>
                      <td class="number muted">{formatAgo(nanosToMs(trace.root.start), nowMs.value)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </Shown>
        </Panel>
      </div>
    </>
  );
}

export function compareHref(state: ReturnType<typeof scopeOf>, before: string, after: string): string {
  return hrefOf("/diff", {
    ...state,
    q: withMatch(state.q, "service.version", after),
    norm: "share",
    baseline: { q: withMatch(state.q, "service.version", before) },
  });
}

const NORM_NAMES: Readonly<Record<string, string>> = {
  request: "per request",
  rate: "per instance-second",
  share: "% of total",
  none: "raw",
};

function RegressionPanel({ scope }: { readonly scope: [string, string][] }): JSX.Element {
  const found = useApi<Regressions>("regressions", [...scope, ["limit", "12"]]);
  const data = found.data;
  const title =
    data?.before !== undefined && data.after !== undefined
      ? `What changed from ${data.before.version} to ${data.after.version}`
      : "What changed";
  return (
    <Panel
      class="w7"
      title={title}
      isFlush
      isLoading={found.isLoading}
      actions={data !== null && <span class="muted">{NORM_NAMES[data.norm] ?? data.norm}</span>}
    >
      <Shown of={found}>
        {(response) => {
          const isPerRequest = response.norm === "request" && (response.requests_before ?? 0) > 0;
          const show = (value: number): string =>
            isPerRequest
              ? formatValue(value / (response.requests_before ?? 1), response.unit)
              : formatValue(value, response.unit);
          return (
            <table class="list">
              <colgroup>
                <col />
                <col style={{ width: "104px" }} />
                <col style={{ width: "80px" }} />
                <col style={{ width: "100px" }} />
              </colgroup>
              <thead>
                <tr>
                  <th>Function</th>
                  <th class="number">Change</th>
                  <th class="number">Ratio</th>
                  <th class="number">p-value</th>
                </tr>
              </thead>
              <tbody>
                {response.rows.map((row) => (
                  <tr key={row.function}>
                    <td>
                      <FunctionName name={row.function} />
                    </td>
                    <td class={`number ${row.delta > 0 ? "more" : "less"}`}>
                      {formatSigned(show(row.delta), row.delta)}
                    </td>
                    <td class="number">
                      {row.before === 0 ? (
                        <span class="chip new">new</span>
                      ) : row.ratio === null ? (
                        "–"
                      ) : (
                        `×${row.ratio.toFixed(2)}`
                      )}
                    </td>
                    <td class="number muted">{row.probability < 0.001 ? "< 0.001" : row.probability.toFixed(3)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          );
        }}
      </Shown>
    </Panel>
  );
}
