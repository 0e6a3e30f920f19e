// SPDX-License-Identifier: Apache-2.0
//
// The home page: which services and functions use CPU, across the fleet?
import type { JSX } from "preact";
import type { Deployments, Series, Service, Services, Top } from "../../api/types";
import { change, observedSteps } from "../../profile/cost/trend";
import { cores, formatCores, formatShare, formatValue } from "../../profile/cost/units";
import { typeLabel } from "../../profile/query/profile_type";
import { withMatch } from "../../profile/query/selector";
import { scopeParameters } from "../../profile/query/url_state";
import { formatAgo, nanosToMs } from "../../profile/time/time_range";
import { hrefKeepingScope, nowMs, update, urlState } from "../../state/location";
import { useApi } from "../../state/resource";
import { serviceColor } from "../../state/theme";
import { Chart, deployMarks, seriesLines } from "../graphs/chart";
import { FunctionName, Panel, ServiceName, Share, Shown, Spark, Tile } from "../parts/parts";
import { FirstSteps } from "../start/first_steps";
import { NewVersions } from "./new_versions";

export function FleetPage(): JSX.Element {
  const state = urlState.value;
  const scope = scopeParameters(state);
  const services = useApi<Services>("services");
  const series = useApi<Series>("series", [...scope, ["by", "service.name"], ["topk", "50"]]);
  const deployments = useApi<Deployments>("deployments", scope);
  const top = useApi<Top>("top", [...scope, ["limit", "25"]]);
  if (services.data !== null && services.data.services.length === 0) return <FirstSteps />;
  const span = series.data?.observed_ns ?? 0;
  const total = series.data?.lines.reduce((sum, line) => sum + line.total, 0) ?? 0;
  const unit = series.data?.unit ?? "";
  const busy = cores(total, unit, span);
  const type = state.type === "" ? (series.data?.type ?? "cpu") : state.type;
  return (
    <>
      <div class="page-head">
        <h1 class="grow">Fleet</h1>
        <div class="tiles">
          <Tile name={busy === null ? typeLabel(type) : "cores used"}>
            {busy === null ? formatValue(total, unit) : formatCores(busy)}
          </Tile>
          <Tile name="services">{services.data?.services.length ?? "–"}</Tile>
        </div>
      </div>
      <div class="grid">
        <Panel
          title={`${typeLabel(type)} by service${busy === null ? "" : ", in cores"}`}
          class="w12"
          isLoading={series.isLoading}
          isFlush
        >
          <Shown of={series}>
            {(data) => (
              <Chart
                {...seriesLines(data, true)}
                height={170}
                isStacked
                marks={deployMarks(deployments.data)}
                label="Cost over time by service"
                onBrush={(from, to) => update({ from: String(Math.round(from)), to: String(Math.round(to)) })}
              />
            )}
          </Shown>
        </Panel>
        <div class="w7 stack">
          <Panel title="Services" isFlush isLoading={services.isLoading}>
            <Shown of={services}>
              {(data) => <ServiceTable services={data.services} series={series.data} total={total} spanNanos={span} />}
            </Shown>
          </Panel>
          <NewVersions services={services.data?.services ?? []} />
        </div>
        <Panel
          title="Top functions, all services"
          class="w5"
          isFlush
          isLoading={top.isLoading}
          actions={<a href={hrefKeepingScope("/explore", { view: "table" })}>All</a>}
        >
          <Shown of={top}>
            {(data) => (
              <table class="list">
                <colgroup>
                  <col />
                  <col style={{ width: "96px" }} />
                  <col style={{ width: "132px" }} />
                </colgroup>
                <thead>
                  <tr>
                    <th>Function</th>
                    <th class="number">Self</th>
                    <th class="number">Share</th>
                  </tr>
                </thead>
                <tbody>
                  {data.rows.map((row) => (
                    <tr key={`${row.function} ${row.file} ${row.module}`}>
                      <td title={row.module}>
                        <FunctionName name={row.function} />
                      </td>
                      <td class="number">{formatValue(row.self, data.unit)}</td>
                      <td>
                        <Share of={data.total === 0 ? 0 : row.self / data.total} />
                      </td>
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

function ServiceTable(props: {
  readonly services: readonly Service[];
  readonly series: Series | null;
  readonly total: number;
  readonly spanNanos: number;
}): JSX.Element {
  const { series } = props;
  const lineOf = new Map((series?.lines ?? []).map((line) => [line.labels["service.name"] ?? "", line]));
  const rows = [...props.services].sort(
    (a, b) => (lineOf.get(b.service)?.total ?? 0) - (lineOf.get(a.service)?.total ?? 0),
  );
  const state = urlState.value;
  const observed = observedSteps(series?.lines ?? []);
  return (
    <table class="list">
      <colgroup>
        <col />
        <col style={{ width: "70px" }} />
        <col style={{ width: "112px" }} />
        <col style={{ width: "92px" }} />
        <col style={{ width: "86px" }} />
        <col style={{ width: "122px" }} />
        <col class="wide-only" style={{ width: "100px" }} />
      </colgroup>
      <thead>
        <tr>
          <th>Service</th>
          <th class="number">{cores(1, series?.unit ?? "", 1) === null ? "Cost" : "Cores"}</th>
          <th class="number">Share</th>
          <th>Trend</th>
          <th class="number" title="Second half of the observed time compared with the first">
            Change
          </th>
          <th>Versions</th>
          <th class="number wide-only">Last seen</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((service) => {
          const line = lineOf.get(service.service);
          const cost = line?.total ?? 0;
          const busy = cores(cost, series?.unit ?? "", props.spanNanos);
          const rise = change(line?.values ?? [], observed);
          const versions = [...service.versions].sort((a, b) => (a.last_seen < b.last_seen ? 1 : -1));
          return (
            <tr key={service.service}>
              <td>
                <ServiceName name={service.service} />
              </td>
              <td class="number">{busy === null ? formatValue(cost, series?.unit ?? "") : formatCores(busy)}</td>
              <td>
                <Share of={props.total === 0 ? 0 : cost / props.total} />
              </td>
              <td>
                <a
                  href={hrefKeepingScope("/explore", { q: withMatch(state.q, "service.name", service.service) })}
                  aria-label={`Explore ${service.service}`}
                >
                  <Spark
                    values={line?.values ?? []}
                    color={serviceColor(service.service)}
                    label={`Trend of ${service.service}`}
                  />
                </a>
              </td>
              <td class={`number ${rise === null || Math.abs(rise) < 0.1 ? "muted" : rise > 0 ? "more" : "less"}`}>
                {rise === null ? "–" : `${rise > 0 ? "+" : ""}${formatShare(rise)}`}
              </td>
              <td>
                <span class="row">
                  {versions.slice(0, 2).map((version, i) => (
                    <span key={version.version} class={`chip ${versions.length > 1 && i === 0 ? "new" : ""}`}>
                      {version.version === "" ? "no version" : version.version}
                    </span>
                  ))}
                  {versions.length > 2 && <span class="faint">+{versions.length - 2}</span>}
                </span>
              </td>
              <td class="number muted wide-only" title="Accurate to the minute">
                {formatAgo(Math.min(nowMs.value, nanosToMs(service.last_seen) + 60_000), nowMs.value)}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
