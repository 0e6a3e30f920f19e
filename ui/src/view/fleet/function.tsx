// SPDX-License-Identifier: Apache-2.0
//
// Which services use this function, since when, and on which lines?
import type { JSX } from "preact";
import type { Callers, Edge, Lines, Series } from "../../api/types";
import { costliestVersion } from "../../profile/cost/source_rows";
import { formatShare, formatValue } from "../../profile/cost/units";
import { internalsOf } from "../../profile/query/filter_steps";
import { scopeOf, scopeParameters } from "../../profile/query/url_state";
import { hrefOf, update, urlState } from "../../state/location";
import { useApi } from "../../state/resource";
import { Chart, seriesLines } from "../graphs/chart";
import { regexOf } from "../parts/filters";
import { HopList } from "../parts/hop_list";
import { FunctionName, Panel, Share, Shown, Tile } from "../parts/parts";
import { SourceLines } from "../parts/source_lines";

export function FunctionPage({ name }: { readonly name: string }): JSX.Element {
  const state = { ...scopeOf(urlState.value), f: internalsOf(urlState.value.f) };
  const scope = scopeParameters(state);
  const only: [string, string] = ["f", `only:${regexOf(name)}`];
  const series = useApi<Series>("series", [...scope, only, ["by", "service.name,service.version"], ["topk", "8"]]);
  const callers = useApi<Callers>("callers", [...scope, ["fn", name]]);
  const lines = useApi<Lines>("lines", [...scope, ["fn", name]]);
  const row = callers.data?.rows[0];
  const all = callers.data?.total ?? 0;
  return (
    <>
      <div class="page-head">
        <h1 class="mono">{name}</h1>
        <div class="grow" />
        {row !== undefined && (
          <div class="tiles">
            <Tile name="total">{formatShare(all === 0 ? 0 : row.total / all)}</Tile>
            <Tile name="self">{formatShare(all === 0 ? 0 : row.self / all)}</Tile>
          </div>
        )}
        <a class="button primary" href={hrefOf("/explore", { ...state, f: [...state.f, only[1]], sel: name })}>
          Explore stacks
        </a>
        <a class="button" href={hrefOf("/explore", { ...state, view: "sandwich", sel: name })}>
          Sandwich
        </a>
      </div>
      <div class="grid">
        <Panel class="w8" title="Total cost by service and version" isFlush isLoading={series.isLoading}>
          <Shown of={series}>
            {(data) => (
              <Chart
                {...seriesLines(data, false)}
                isStacked
                height={180}
                label={`Cost of ${name} over time`}
                onBrush={(from, to) => update({ from: String(Math.round(from)), to: String(Math.round(to)) })}
              />
            )}
          </Shown>
        </Panel>
        <Panel class="w4" title="Related">
          {state.scratch === "" ? (
            <HopList
              limit={8}
              parameters={[["fn", name], ...scope.filter(([key]) => ["q", "from", "to", "type"].includes(key))]}
            />
          ) : (
            <span class="faint">An uploaded file has no traces or logs.</span>
          )}
        </Panel>
        <Panel class="w12" title="Source" isFlush isLoading={lines.isLoading}>
          <Shown of={lines}>
            {(data) => <SourceLines lines={data} all={row?.total ?? 0} place={costliestVersion(series.data)} />}
          </Shown>
        </Panel>
        <Edges
          title="Called by"
          edges={row?.callers}
          unit={callers.data?.unit ?? ""}
          all={row?.total ?? 0}
          of={callers}
        />
        <Edges title="Calls" edges={row?.callees} unit={callers.data?.unit ?? ""} all={row?.total ?? 0} of={callers} />
      </div>
    </>
  );
}

function Edges(props: {
  readonly title: string;
  readonly edges: readonly Edge[] | undefined;
  readonly unit: string;
  readonly all: number;
  readonly of: Parameters<typeof Shown<Callers>>[0]["of"];
}): JSX.Element {
  return (
    <Panel class="w6" title={props.title} isFlush isLoading={props.of.isLoading}>
      <Shown of={props.of}>
        {() => (
          <table class="list">
            <colgroup>
              <col />
              <col style={{ width: "88px" }} />
              <col style={{ width: "118px" }} />
            </colgroup>
            <tbody>
              {(props.edges ?? []).slice(0, 40).map((edge) => (
                <tr key={edge.function}>
                  <td>
                    {edge.function === "" ? <span class="faint">(root)</span> : <FunctionName name={edge.function} />}
                  </td>
                  <td class="number">{formatValue(edge.value, props.unit)}</td>
                  <td>
                    <Share of={props.all === 0 ? 0 : edge.value / props.all} />
                  </td>
                </tr>
              ))}
              {(props.edges ?? []).length === 0 && (
                <tr>
                  <td colSpan={3} class="muted">
                    None in this time range.
                  </td>
                </tr>
              )}
            </tbody>
          </table>
        )}
      </Shown>
    </Panel>
  );
}
